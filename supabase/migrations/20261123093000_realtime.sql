-- Live changes, by `postgres_changes` and by broadcast, and who is online.

-- Every project has the publication; a bare PostgreSQL has none.
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

/**
 * Broadcasts a change of a row to the private channel of its owner, whose column is the trigger's argument. Times are UTC:
 * clients compare versions as text, and a request may choose its time zone.
 */
create function private.broadcast_to_owner() returns trigger
  language plpgsql
  security definer
  set search_path = ''
  set timezone = 'UTC'
as $$
declare
  owner text := to_jsonb(case when tg_op = 'DELETE' then old else new end) ->> tg_argv[0];
begin
  perform realtime.broadcast_changes(
    'user:' || owner, tg_op, tg_op, tg_table_name::text, tg_table_schema::text, new, old
  );
  return null;
end
$$;

/**
 * Turns the broadcasts of notifications and preferences on or off; they are off by default. Subscriptions to
 * `postgres_changes` go on in both cases.
 */
create function private.broadcast_notifications(is_enabled boolean) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  drop trigger if exists broadcast_notification on public.notifications;
  drop trigger if exists broadcast_preferences on public.notification_preferences;
  if is_enabled then
    create trigger broadcast_notification after insert or update or delete on public.notifications
      for each row execute function private.broadcast_to_owner('recipient_id');
    create trigger broadcast_preferences after insert or update or delete on public.notification_preferences
      for each row execute function private.broadcast_to_owner('user_id');
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

/** Tells the devices of a user to read public.online_topics() again. */
create function private.announce_online_topics(user_id uuid) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  -- A bare PostgreSQL lacks the realtime service.
  if to_regproc('realtime.send') is not null then
    execute 'select realtime.send($1, $2, $3, true)' using '{}'::jsonb, 'online_topics_changed', 'user:' || user_id;
  end if;
end
$$;

/** Gives a user a new topic, which readers of the present one do not know. */
create function private.replace_online_topic(user_id uuid) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update private.online_topics t set topic = default where t.user_id = replace_online_topic.user_id;
  perform private.announce_online_topics(user_id);
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
    perform private.announce_online_topics(new.inviter_id);
    perform private.announce_online_topics(invitee);
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
      perform private.announce_online_topics(old.user_id);
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
    perform private.announce_online_topics(new.user_id);
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
