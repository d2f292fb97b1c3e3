-- The delivery of what users sent. Their statements only queue it; a job delivers it after the commit, so that a sender
-- waits for no lock of a recipient, and cannot tell recipients apart by the work that a delivery takes.
create table private.outgoing_notifications (
  id bigint generated always as identity primary key,
  sender_id uuid not null references auth.users (id) on delete cascade,
  -- Without a foreign key, because the recipient may have no account.
  recipient_id uuid,
  content text,
  -- An invitation, whose invitee is found by the address at the time of delivery.
  invitation_id uuid references public.invitations (id) on delete cascade,
  created_at timestamptz not null,
  constraint one_target check (num_nonnulls(recipient_id, invitation_id) = 1)
);
create index outgoing_notifications_sender_idx on private.outgoing_notifications (sender_id);
create index outgoing_notifications_invitation_idx on private.outgoing_notifications (invitation_id, id)
  where invitation_id is not null;

/** Runs after each statement that queues: wakes a scheduler that listens, after the commit. */
create function private.announce_outgoing() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  perform pg_notify('outgoing_notifications', '');
  return null;
end
$$;

create trigger announce_outgoing after insert on private.outgoing_notifications
  for each statement execute function private.announce_outgoing();

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
 * Delivers the oldest queued invitation, or else the oldest notifications in the order of sending, and removes them. A row that can never be stored, such as one for an
 * account that was deleted meanwhile, is dropped with a warning; after a deadlock, a full disk or a cancelled statement
 * all rows stay queued.
 *
 * Returns the number of rows; 0 while another session delivers.
 */
create function private.deliver_outgoing_batch(batch_size integer) returns integer
  language plpgsql security definer
  set search_path = ''
as $$
declare
  ids bigint[];
  failed_id bigint;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('private.deliver_outgoing', 0)) then
    return 0;
  end if;
  ids := array(
    select o.id from private.outgoing_notifications o where o.invitation_id is not null order by o.id limit 1
  );
  if ids = '{}' then
    ids := array(select o.id from private.outgoing_notifications o order by o.id limit batch_size);
  end if;
  begin
    perform private.deliver_rows(ids);
  exception when others then
    if private.is_transient(sqlstate) then
      raise;
    end if;
    for failed_id in
      select o.id from private.outgoing_notifications o where o.id = any (ids) order by o.recipient_id, o.id
    loop
      begin
        perform private.deliver_rows(array[failed_id]);
      exception when others then
        if private.is_transient(sqlstate) then
          raise;
        end if;
        raise warning 'The outgoing notification % cannot be delivered: %', failed_id, sqlerrm;
      end;
    end loop;
  end;
  delete from private.outgoing_notifications o where o.id = any (ids);
  return cardinality(ids);
end
$$;

/**
 * Delivers everything that users and backends have queued, and renews the words of deleted senders, each batch in a transaction of its
 * own. A job calls it each second; the embedded service calls it after each notification of the channel `outgoing_notifications`.
 */
create procedure private.deliver_outgoing(batch_size integer default 100)
  language plpgsql
as $$
begin
  while private.deliver_outgoing_batch(batch_size) > 0 loop
    commit;
  end loop;
  while private.deliver_message_batch(batch_size) loop
    commit;
  end loop;
  while private.renew_forgotten_words(batch_size) loop
    commit;
  end loop;
end
$$;

revoke all on procedure private.deliver_outgoing(integer) from public;

revoke all on all functions in schema private from public;
