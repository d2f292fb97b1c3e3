-- Live changes, by broadcast and by `postgres_changes`, and who is online.

-- Every project has the publication; a bare PostgreSQL has none. It publishes no deletions: the realtime service tests
-- them against the filters of a subscription and against no policy, so that a stranger's filters would tell ids. The
-- private channels below bring them to the owner. An operator may publish them for clients that subscribe to changes.
do $$
declare
  published text;
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
  foreach published in array array['notifications', 'notification_preferences', 'notification_bulk_changes'] loop
    if not exists (
      select from pg_publication_tables
      where pubname = 'supabase_realtime' and schemaname = 'public' and tablename = published
    ) then
      execute format('alter publication supabase_realtime add table public.%I', published);
    end if;
  end loop;
end
$$;
alter publication supabase_realtime set (publish = 'insert, update');

-- The log of a deletion names the key and the owner, by which the realtime service tests the filters of subscriptions. The
-- full row would tell strangers what was in it.
create unique index notifications_identity_idx on public.notifications (id, recipient_id);
alter table public.notifications replica identity using index notifications_identity_idx;
create unique index notification_preferences_identity_idx on public.notification_preferences (id, user_id);
alter table public.notification_preferences replica identity using index notification_preferences_identity_idx;

-- The private channel of a user: the user receives, services send. Every other private channel is closed.
do $$
begin
  if to_regclass('realtime.messages') is not null then
    create policy "Users receive in their own channel" on realtime.messages
      for select to authenticated
      using ((select realtime.topic()) = 'user:' || (select auth.uid())::text);
  end if;
end
$$;

/** Broadcasts to the private channel of a user. The realtime service warns of what it cannot send, so no statement fails. */
create function private.send_to_user(user_id uuid, event text, payload jsonb default '{}') returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  -- A bare PostgreSQL lacks the realtime service.
  if to_regprocedure('realtime.send(jsonb, text, text, boolean)') is not null then
    perform realtime.send(payload, event, 'user:' || user_id, true);
  end if;
end
$$;

/**
 * Broadcasts changed rows to their owner in one message {schema, table, operation, records}; for a deletion {…,
 * old_records} with the ids. Null, or more than 128 kB: the message has no rows, and its receivers read again.
 */
create function private.send_changes(owner_id uuid, operation text, table_name text, changed_rows jsonb) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  message jsonb := jsonb_build_object('schema', 'public', 'table', table_name, 'operation', operation);
begin
  if octet_length(changed_rows::text) <= 128 * 1024 then
    message := message
      || jsonb_build_object(case operation when 'DELETE' then 'old_records' else 'records' end, changed_rows);
  end if;
  perform private.send_to_user(owner_id, operation, message);
end
$$;

/**
 * Runs after each statement: one message for each recipient, without rows if the statement changed more than 100 of this
 * recipient. Times are UTC: clients compare versions as text, and a request may choose its time zone.
 */
create function private.broadcast_notification_changes() returns trigger
  language plpgsql security definer
  set search_path = ''
  set timezone = 'UTC'
as $$
declare
  changed record;
begin
  if tg_op = 'DELETE' then
    for changed in
      select
        o.recipient_id,
        case when count(*) <= 100 then jsonb_agg(jsonb_build_object('id', o.id)) filter (where o.place <= 100) end as rows
      from (
        select r.recipient_id, r.id, row_number() over (partition by r.recipient_id) as place from old_rows r
      ) o
      group by o.recipient_id
    loop
      perform private.send_changes(changed.recipient_id, tg_op, tg_table_name, changed.rows);
    end loop;
  else
    for changed in
      select
        n.recipient_id,
        case when count(*) <= 100 then jsonb_agg(to_jsonb(n.changed_row)) filter (where n.place <= 100) end as rows
      from (
        select r.recipient_id, r as changed_row, row_number() over (partition by r.recipient_id) as place
        from new_rows r
      ) n
      group by n.recipient_id
    loop
      perform private.send_changes(changed.recipient_id, tg_op, tg_table_name, changed.rows);
    end loop;
  end if;
  return null;
end
$$;

create trigger broadcast_inserted after insert on public.notifications
  referencing new table as new_rows for each statement execute function private.broadcast_notification_changes();
create trigger broadcast_updated after update on public.notifications
  referencing new table as new_rows for each statement execute function private.broadcast_notification_changes();
create trigger broadcast_deleted after delete on public.notifications
  referencing old table as old_rows for each statement execute function private.broadcast_notification_changes();

/** Runs after each change of a user's preferences, which are one row. Times are UTC, as those of notifications. */
create function private.broadcast_preferences() returns trigger
  language plpgsql security definer
  set search_path = ''
  set timezone = 'UTC'
as $$
begin
  if tg_op = 'DELETE' then
    perform private.send_changes(
      old.user_id, tg_op, tg_table_name, jsonb_build_array(jsonb_build_object('id', old.id))
    );
  else
    perform private.send_changes(new.user_id, tg_op, tg_table_name, jsonb_build_array(to_jsonb(new)));
  end if;
  return null;
end
$$;

create trigger broadcast_written after insert or update on public.notification_preferences
  for each row execute function private.broadcast_preferences();
create trigger broadcast_deleted after delete on public.notification_preferences
  for each row execute function private.broadcast_preferences();

/**
 * Turns the broadcasts of inserts and updates on, the default, or off, for a project whose clients all subscribe to
 * `postgres_changes`. Deletions are broadcast in both cases.
 */
create function private.broadcast_notifications(is_enabled boolean) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  if is_enabled then
    alter table public.notifications enable trigger broadcast_inserted, enable trigger broadcast_updated;
    alter table public.notification_preferences enable trigger broadcast_written;
  else
    alter table public.notifications disable trigger broadcast_inserted, disable trigger broadcast_updated;
    alter table public.notification_preferences disable trigger broadcast_written;
  end if;
end
$$;

-- Who is online: presence in private channels. Each person has one topic, in which only that person may track presence and
-- which contacts may read: people who share an accepted invitation and have not blocked each other. A topic is random and
-- is replaced when a contact loses the right to read it, because the realtime service checks the policies of a joined
-- channel again only when its token is renewed.

-- An accepted invitation makes two users contacts; the row stays when retention deletes the invitation.
create table private.accepted_invitations (
  invitation_id uuid primary key,
  inviter_id uuid not null references auth.users (id) on delete cascade,
  invitee_id uuid not null references auth.users (id) on delete cascade,
  check (inviter_id <> invitee_id)
);
create index accepted_invitations_inviter_idx on private.accepted_invitations (inviter_id, invitee_id);
create index accepted_invitations_invitee_idx on private.accepted_invitations (invitee_id, inviter_id);

create table private.online_topics (
  user_id uuid primary key references auth.users (id) on delete cascade,
  topic text not null unique default 'online:' || gen_random_uuid()::text
);

/**
 * The account that has confirmed an address; null without one. Accounts of single sign-on may share an address: the account
 * with a password comes first, as in public.create_invitation().
 */
create function private.account_of_address(address text) returns uuid
  language sql stable security definer
  set search_path = ''
as $$
  select u.id from auth.users u
  where u.instance_id = '00000000-0000-0000-0000-000000000000'
    and lower(u.email) = lower(address) and u.deleted_at is null and u.email_confirmed_at is not null
  order by u.is_sso_user, u.created_at
  limit 1
$$;

/** Whether two users share an accepted invitation. */
create function private.share_invitation(one uuid, other uuid) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return exists (select from private.accepted_invitations a where a.inviter_id = one and a.invitee_id = other)
    or exists (select from private.accepted_invitations a where a.inviter_id = other and a.invitee_id = one);
end
$$;

/** Whether two users share an accepted invitation and neither has blocked the other. */
create function private.are_contacts(one uuid, other uuid) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return private.share_invitation(one, other)
    and not private.is_blocked(one, other)
    and not private.is_blocked(other, one);
end
$$;

/** Whether a user lets contacts see that the user is online: the default, unless the preferences say otherwise. */
create function private.shows_online(user_id uuid) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return not exists (
    select from public.notification_preferences p where p.user_id = shows_online.user_id and not p.show_online
  );
end
$$;

/** Whether the caller may track presence in a topic: the caller's own, while the caller shows to be online. */
create function private.may_track_online(topic text) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return exists (
    select from private.online_topics t
    where t.topic = may_track_online.topic and t.user_id = auth.uid() and private.shows_online(t.user_id)
  );
end
$$;

/**
 * Whether the caller may read the presence of a topic: the caller's own and those of contacts. A contact who does not show
 * to be online and one who has blocked the caller look the same.
 */
create function private.may_read_online(topic text) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return exists (
    select from private.online_topics t
    where t.topic = may_read_online.topic
      and (t.user_id = auth.uid() or private.are_contacts(t.user_id, auth.uid()))
      and private.shows_online(t.user_id)
  );
end
$$;

/**
 * The topics in which people are online: the caller's own and those of contacts, of those who show to be online. Creates
 * topics that do not exist yet.
 */
create function public.online_topics() returns table (user_id uuid, topic text)
  language plpgsql security definer rows 20
  set search_path = ''
as $$
#variable_conflict use_column
declare
  me uuid := private.require_assurance();
  visible uuid[];
begin
  select array_agg(p.id) into visible
  from (
    select me as id
    union
    select a.invitee_id from private.accepted_invitations a where a.inviter_id = me
    union
    select a.inviter_id from private.accepted_invitations a where a.invitee_id = me
  ) p
  where (p.id = me or private.are_contacts(p.id, me)) and private.shows_online(p.id);
  insert into private.online_topics (user_id)
    select v.id from unnest(visible) v (id)
    where not exists (select from private.online_topics t where t.user_id = v.id)
    on conflict do nothing;
  return query select t.user_id, t.topic from private.online_topics t where t.user_id = any (visible);
end
$$;

/** Gives a user a new topic, which readers of the present one do not know. */
create function private.replace_online_topic(user_id uuid) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update private.online_topics t set topic = default where t.user_id = replace_online_topic.user_id;
  perform private.send_to_user(user_id, 'online_topics_changed');
end
$$;

/** Runs after the status of an invitation has changed. */
create function private.follow_accepted_invitation() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  invitee uuid;
begin
  if new.status = 'accepted' then
    -- The invitee is the caller, unless a service changes the row.
    invitee := coalesce(auth.uid(), private.account_of_address(new.invitee_email));
    if invitee is null or invitee = new.inviter_id then
      return null;
    end if;
    insert into private.accepted_invitations (invitation_id, inviter_id, invitee_id)
      values (new.id, new.inviter_id, invitee)
      on conflict do nothing;
    perform private.send_to_user(new.inviter_id, 'online_topics_changed');
    perform private.send_to_user(invitee, 'online_topics_changed');
  else
    delete from private.accepted_invitations a where a.invitation_id = new.id returning a.invitee_id into invitee;
    if invitee is not null then
      perform private.replace_online_topic(new.inviter_id);
      perform private.replace_online_topic(invitee);
    end if;
  end if;
  return null;
end
$$;

create trigger follow_accepted_invitation after update of status on public.invitations
  for each row when (old.status <> new.status) execute function private.follow_accepted_invitation();

/**
 * Runs after a contact was blocked or unblocked. Only the user who blocks is told: to the sender it must look as if that
 * user had gone offline.
 */
create function private.follow_blocked_contact() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    if private.share_invitation(old.user_id, old.sender_id) then
      perform private.send_to_user(old.user_id, 'online_topics_changed');
    end if;
  elsif private.share_invitation(new.user_id, new.sender_id) then
    perform private.replace_online_topic(new.user_id);
  end if;
  return null;
end
$$;

create trigger follow_blocked_contact after insert or delete on public.blocked_senders
  for each row execute function private.follow_blocked_contact();

/** Runs after a user has changed whether to show to be online: the user's devices track or untrack. */
create function private.follow_show_online() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if not new.show_online then
    perform private.replace_online_topic(new.user_id);
  else
    perform private.send_to_user(new.user_id, 'online_topics_changed');
  end if;
  return null;
end
$$;

create trigger follow_show_online after update of show_online on public.notification_preferences
  for each row when (old.show_online <> new.show_online) execute function private.follow_show_online();
-- Policies call these functions as the role of the request.
grant execute on function private.may_track_online(text), private.may_read_online(text) to authenticated;
revoke all on function public.online_topics() from public, anon;
grant execute on function public.online_topics() to authenticated, service_role;

do $$
begin
  if to_regclass('realtime.messages') is not null then
    create policy "Contacts see who is online" on realtime.messages
      for select to authenticated
      using (extension = 'presence' and (select private.may_read_online(realtime.topic())));
    create policy "Users track themselves as online" on realtime.messages
      for insert to authenticated
      with check (extension = 'presence' and (select private.may_track_online(realtime.topic())));
  end if;
end
$$;

revoke all on all functions in schema private from public;
