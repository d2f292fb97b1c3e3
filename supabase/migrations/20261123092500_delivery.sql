-- The delivery of what users sent. Their statements only queue it; a job delivers it after the commit, so that a sender
-- waits for no lock of a recipient, and cannot distinguish recipients by the work that a delivery takes.
create table private.outgoing_notifications (
  id bigint generated always as identity primary key,
  sender_id uuid not null references auth.users (id) on delete cascade,
  -- Without a foreign key, because the recipient may have no account.
  recipient_id uuid,
  content text,
  -- An invitation, whose invitee is found by the address at the time of delivery.
  invitation_id uuid references public.invitations (id) on delete cascade,
  created_at timestamptz not null,
  -- The next attempt; `infinity`: set aside, until public.resend_dead_letters().
  due_at timestamptz not null default now(),
  attempts smallint not null default 0,
  reason text,
  constraint one_target check (num_nonnulls(recipient_id, invitation_id) = 1)
);
create index outgoing_notifications_sender_idx on private.outgoing_notifications (sender_id);
create index outgoing_notifications_invitation_idx on private.outgoing_notifications (invitation_id)
  where invitation_id is not null;
create index outgoing_notifications_due_invitation_idx on private.outgoing_notifications (due_at, id)
  where invitation_id is not null;
create index outgoing_notifications_due_idx on private.outgoing_notifications (due_at, id);
create index outgoing_notifications_recipient_idx on private.outgoing_notifications (recipient_id) where recipient_id is not null;

/** Runs after each statement that queues. */
create function private.announce_outgoing() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.wake_delivery();
  return null;
end
$$;

create trigger announce_outgoing after insert on private.outgoing_notifications
  for each statement execute function private.announce_outgoing();

/** Runs after an account was deleted: deletes its pending deliveries. */
create function private.forget_outgoing() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  delete from private.outgoing_notifications o where o.recipient_id = old.id;
  return null;
end
$$;

create trigger forget_outgoing after delete on auth.users
  for each row execute function private.forget_outgoing();

/** Maximum number of attempts of a delivery that fails transiently: about 40 minutes in total. */
create function private.most_attempts() returns integer
  language sql immutable parallel safe
  set search_path = ''
as $$ select 12 $$;

/** When a delivery is retried after its `attempts`-th failure: 1, 2, 4 … 512 seconds later, and then each ten minutes. */
create function private.next_attempt_at(attempts integer) returns timestamptz
  language sql stable
  set search_path = ''
as $$
  select clock_timestamp() + least(power(2, attempts - 1), 600) * interval '1 second'
$$;

/**
 * Notifies and mails the account that has confirmed the address of a pending invitation, unless it has blocked the inviter.
 * The notification replaces the one of an earlier delivery; of a withdrawn invitation it is only deleted.
 */
create function private.deliver_invitation(about public.invitations) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  invitee uuid := private.account_of_address(about.invitee_email);
begin
  if about.status = 'revoked' then
    perform private.forget_invitation_notifications(invitee, about);
    return;
  end if;
  if invitee is null or about.status <> 'pending' or private.is_blocked(invitee, about.inviter_id) then
    return;
  end if;
  perform private.mail_invitation(invitee, about);
  perform private.forget_invitation_notifications(invitee, about);
  perform private.notify_about_invitation(invitee, about.inviter_id, about, '/join/' || about.token);
end
$$;

/**
 * Delivers queued rows by their ids: one invitation, or notifications in one statement, which locks the counters last and in
 * the order of their users.
 */
create function private.deliver_rows(ids bigint[]) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.deliver_invitation(i)
  from private.outgoing_notifications o join public.invitations i on i.id = o.invitation_id
  where o.id = any (ids);
  -- The changes since a time are found by updated_at, which therefore is the time of the delivery.
  insert into public.notifications (recipient_id, sender_id, content, created_at, updated_at)
  select o.recipient_id, o.sender_id, o.content, o.created_at, clock_timestamp()
  from private.outgoing_notifications o join auth.users u on u.id = o.recipient_id
  where o.id = any (ids) and not private.is_blocked(o.recipient_id, o.sender_id)
  order by o.id;
end
$$;

/**
 * Delivers a queued row. A transient failure is retried later; after another one, and after the last attempt, the row is set
 * aside with its reason. Returns the code of the failure; null: the row was delivered, and is deleted.
 */
create function private.deliver_row(row_id bigint) returns text
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.deliver_rows(array[row_id]);
  delete from private.outgoing_notifications o where o.id = row_id;
  return null;
exception when others then
  update private.outgoing_notifications o
  set
    attempts = o.attempts + 1,
    due_at = case when private.is_transient(sqlstate) and o.attempts + 1 < private.most_attempts()
      then private.next_attempt_at(o.attempts + 1) else 'infinity' end,
    reason = left(sqlerrm, 500)
  where o.id = row_id;
  return sqlstate;
end
$$;

/**
 * Delivers the oldest notifications of users that are due and that no other session has locked, in the order of sending;
 * where that fails, each alone, so that one does not stop the others. One whose recipient's rows are locked is retried later,
 * so that no recipient waits for another. Returns the number of rows.
 */
create function private.deliver_outgoing_batch(batch_size integer) returns integer
  language plpgsql security definer
  set search_path = ''
  set lock_timeout = '500ms'
as $$
declare
  ids bigint[] := array(
    select o.id from private.outgoing_notifications o
    where o.due_at <= clock_timestamp() and o.recipient_id is not null
    order by o.due_at, o.id limit batch_size for update skip locked
  );
  queued record;
  locked uuid[] := '{}';
begin
  begin
    perform private.deliver_rows(ids);
    delete from private.outgoing_notifications o where o.id = any (ids);
  exception when others then
    for queued in
      select o.id, o.recipient_id from private.outgoing_notifications o where o.id = any (ids) order by o.recipient_id, o.id
    loop
      if queued.recipient_id = any (locked) then
        update private.outgoing_notifications o set due_at = private.next_attempt_at(1) where o.id = queued.id;
      elsif private.deliver_row(queued.id) = '55P03' then
        locked := locked || queued.recipient_id;
      end if;
    end loop;
  end;
  return cardinality(ids);
end
$$;

/**
 * Delivers the oldest invitation that is due. One session at a time: a delivery that has read the pending invitation ends before that of
 * its withdrawal. Returns whether there was one.
 */
create function private.deliver_next_invitation() returns boolean
  language plpgsql security definer
  set search_path = ''
  set lock_timeout = '500ms'
as $$
declare
  row_id bigint;
begin
  if not exists (
      select from private.outgoing_notifications o where o.invitation_id is not null and o.due_at <= clock_timestamp()
    )
    or not pg_try_advisory_xact_lock(hashtextextended('private.deliver_invitation', 0))
  then
    return false;
  end if;
  row_id := (
    select o.id from private.outgoing_notifications o
    where o.invitation_id is not null and o.due_at <= clock_timestamp() order by o.due_at, o.id limit 1
  );
  perform private.deliver_row(row_id) where row_id is not null;
  return row_id is not null;
end
$$;

/**
 * Delivers everything that users and backends have queued, and renews the words of deleted senders, each batch in its own
 * transaction. What users send and messages to few go between the batches of messages to many. Several sessions may run it at once.
 *
 * Ends when nothing is due, or after `run_seconds`, before a hosted project cancels the statement. Jobs call it each second; the embedded
 * service calls it after each notification of the channel `outgoing_notifications`.
 */
create procedure private.deliver_outgoing(batch_size integer default 100, run_seconds double precision default 50)
  language plpgsql
as $$
declare
  invitations_of_turn constant integer := 10;
  ends_at constant timestamptz := clock_timestamp() + make_interval(secs => run_seconds);
  last_message uuid;
  are_many boolean;
  batch record;
  was_busy boolean := true;
begin
  while was_busy and clock_timestamp() < ends_at loop
    was_busy := private.deliver_outgoing_batch(batch_size) > 0;
    if was_busy then
      commit;
    end if;
    for turn in 1 .. invitations_of_turn loop
      exit when not private.deliver_next_invitation();
      was_busy := true;
      commit;
    end loop;
    foreach are_many in array '{false,true}'::boolean[] loop
      select * into batch from private.deliver_ranges(are_many, batch_size, clock_timestamp(), last_message);
      if batch.was_busy then
        was_busy := true;
        commit;
      end if;
      last_message := case when are_many then batch.last_message else last_message end;
    end loop;
    if private.renew_forgotten_words(batch_size) then
      was_busy := true;
      commit;
    end if;
  end loop;
end
$$;

revoke all on procedure private.deliver_outgoing(integer, double precision) from public;

revoke all on all functions in schema private from public;
