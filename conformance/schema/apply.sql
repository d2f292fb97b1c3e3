-- The tables, policies and functions of protocol/product.md, as far as audits need them. For a project for tests; remove.sql
-- removes them. Run it as the owner of the database, in one transaction: it refuses a project that has tables of these names.
begin;

do $$
begin
  if to_regclass('public.notifications') is not null then
    raise exception 'public.notifications exists: this project has a schema of its own';
  end if;
end
$$;

create schema audit_schema;
comment on schema audit_schema is 'supabase-conformance';

create table public.notifications (
  id uuid primary key default gen_random_uuid(),
  recipient_id uuid not null references auth.users (id) on delete cascade,
  status text not null default 'unread' check (status in ('unread', 'read', 'archived')),
  content text check (octet_length(content) <= 65536),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  kind text not null default 'system' check (length(kind) between 1 and 50),
  sender_id uuid references auth.users (id) on delete set null,
  snoozed_until timestamptz
);
create index on public.notifications (recipient_id, created_at desc, id desc);
create index on public.notifications (sender_id);
alter table public.notifications alter column content set storage main;

create table public.notification_preferences (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique references auth.users (id) on delete cascade,
  enable_email_notifications boolean not null default true,
  enable_in_app_notifications boolean not null default true,
  email_mentions boolean not null default true,
  email_edits boolean not null default false,
  email_comments boolean not null default true,
  email_invites boolean not null default true,
  email_digest_frequency text not null default 'daily'
    check (email_digest_frequency in ('never', 'instant', 'hourly', 'daily', 'weekly')),
  in_app_mentions boolean not null default true,
  in_app_edits boolean not null default true,
  in_app_comments boolean not null default true,
  in_app_invites boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  language text not null default 'en',
  time_zone text not null default 'UTC',
  digest_hour smallint not null default 8 check (digest_hour between 0 and 23),
  digest_weekday smallint not null default 1 check (digest_weekday between 1 and 7),
  quiet_hours_start time(0),
  quiet_hours_end time(0),
  quiet_weekdays smallint[] not null default '{1,2,3,4,5,6,7}'
);

create table public.blocked_senders (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  sender_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (user_id, sender_id),
  constraint not_oneself check (user_id <> sender_id)
);

create table public.muted_threads (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  entity_type text not null check (length(entity_type) <= 100),
  entity_id text not null check (length(entity_id) <= 200),
  entity_name text check (length(entity_name) <= 200),
  muted_until timestamptz,
  created_at timestamptz not null default now(),
  primary key (user_id, entity_type, entity_id)
);

create table public.notification_bulk_changes (
  user_id uuid primary key references auth.users (id) on delete cascade,
  revision bigint not null default 0
);

create table public.invitations (
  id uuid primary key default gen_random_uuid(),
  token text not null unique default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
  inviter_id uuid not null references auth.users (id) on delete cascade,
  invitee_email text not null,
  entity_type text,
  entity_id text,
  entity_name text,
  status text not null default 'pending' check (status in ('pending', 'accepted', 'declined')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days'
);

-- Notifications: a user sends in the own name, always unread; the kind is that of the content.
create function audit_schema.parse_json(document text) returns jsonb
  language plpgsql immutable
as $$
begin
  return document::jsonb;
exception when others then
  return null;
end
$$;

create function audit_schema.prepare_notification() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  content jsonb := audit_schema.parse_json(new.content);
  is_wanted boolean;
begin
  if jsonb_typeof(content) is distinct from 'object' then
    content := jsonb_strip_nulls(jsonb_build_object('type', 'system', 'data', jsonb_build_object('text', new.content)));
  end if;
  new.kind := coalesce(nullif(lower(content ->> 'type'), ''), 'system');
  if new.kind in ('mentions', 'edits', 'comments', 'invites') then
    new.kind := rtrim(new.kind, 's');
  end if;
  if auth.role() = 'authenticated' and current_setting('audit_schema.is_trusted', true) is distinct from 'yes' then
    new.sender_id := coalesce(new.sender_id, auth.uid());
    content := content || jsonb_build_object('metadata', coalesce(content -> 'metadata', '{}') || jsonb_build_object(
      'actor_id', auth.uid(),
      'actor_name', coalesce(auth.jwt() #>> '{user_metadata,name}', split_part(auth.jwt() ->> 'email', '@', 1))
    ));
  end if;
  new.content := content::text;
  new.created_at := clock_timestamp();
  new.updated_at := new.created_at;
  select p.enable_in_app_notifications and case new.kind
    when 'mention' then p.in_app_mentions
    when 'edit' then p.in_app_edits
    when 'comment' then p.in_app_comments
    when 'invite' then p.in_app_invites
    else true
  end into is_wanted from public.notification_preferences p where p.user_id = new.recipient_id;
  if exists (
    select from public.blocked_senders b where b.user_id = new.recipient_id and b.sender_id = new.sender_id
  ) or not coalesce(is_wanted, true) then
    return null;
  end if;
  return new;
end
$$;
create trigger prepare_notification before insert on public.notifications
  for each row execute function audit_schema.prepare_notification();

create function audit_schema.stamp_updated_at() returns trigger
  language plpgsql
as $$
begin
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  return new;
end
$$;
create trigger stamp_updated_at before update on public.notifications
  for each row execute function audit_schema.stamp_updated_at();
create trigger stamp_updated_at before update on public.notification_preferences
  for each row execute function audit_schema.stamp_updated_at();

alter table public.notifications enable row level security;
alter table public.notification_preferences enable row level security;
alter table public.blocked_senders enable row level security;
alter table public.muted_threads enable row level security;
alter table public.notification_bulk_changes enable row level security;
alter table public.invitations enable row level security;
revoke all on public.notifications, public.notification_preferences, public.blocked_senders, public.muted_threads,
  public.notification_bulk_changes, public.invitations from anon, authenticated;
grant all on public.notifications, public.notification_preferences, public.blocked_senders, public.muted_threads,
  public.notification_bulk_changes, public.invitations to service_role;
grant select, insert, delete on public.notifications to authenticated;
-- The sent content is immutable.
grant update (status, snoozed_until) on public.notifications to authenticated;
grant select, insert, update, delete on public.notification_preferences, public.muted_threads to authenticated;
grant select, insert, delete on public.blocked_senders to authenticated;
grant select on public.notification_bulk_changes to authenticated;

create policy "own rows" on public.notifications for select to authenticated using (recipient_id = auth.uid());
create policy "to others" on public.notifications for insert to authenticated
  with check (sender_id = auth.uid() and status = 'unread' and not coalesce((auth.jwt() ->> 'is_anonymous')::boolean, false));
create policy "own state" on public.notifications for update to authenticated
  using (recipient_id = auth.uid()) with check (recipient_id = auth.uid());
create policy "own deletions" on public.notifications for delete to authenticated using (recipient_id = auth.uid());
create policy "own row" on public.notification_preferences for all to authenticated
  using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy "own list" on public.blocked_senders for all to authenticated
  using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy "own list" on public.muted_threads for all to authenticated
  using (user_id = auth.uid()) with check (user_id = auth.uid());
create policy "own row" on public.notification_bulk_changes for select to authenticated using (user_id = auth.uid());

-- Invitations are reached by functions only.
create function audit_schema.notify(recipient uuid, about public.invitations) returns void
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform set_config('audit_schema.is_trusted', 'yes', true);
  insert into public.notifications (recipient_id, sender_id, content)
  values (recipient, auth.uid(), jsonb_strip_nulls(jsonb_build_object(
    'type', 'invite',
    'metadata', jsonb_build_object('actor_id', auth.uid(), 'actor_name', split_part(auth.jwt() ->> 'email', '@', 1)),
    'entity_type', about.entity_type,
    'entity_id', about.entity_id,
    'data', jsonb_build_object(
      'invitation_id', about.id, 'status', about.status, 'entity_name', about.entity_name, 'invitee_email', about.invitee_email,
      'url', case about.status when 'pending' then '/join/' || about.token end
    )
  ))::text);
  perform set_config('audit_schema.is_trusted', '', true);
end
$$;

create function public.create_invitation(
  invitee_email text, entity_type text default null, entity_id text default null, entity_name text default null
)
  returns table (id uuid, token text, expires_at timestamptz)
  language plpgsql security definer rows 1
  set search_path = ''
as $$
#variable_conflict use_column
declare
  made public.invitations;
  invitee uuid;
begin
  if coalesce(create_invitation.invitee_email, '') !~ '^[^@\s]+@[^@\s]+$' then
    raise sqlstate 'PT400' using message = 'invitation_email_invalid', detail = 'This is not an email address.';
  end if;
  insert into public.invitations as i (inviter_id, invitee_email, entity_type, entity_id, entity_name)
  values (
    auth.uid(), create_invitation.invitee_email, create_invitation.entity_type, create_invitation.entity_id,
    create_invitation.entity_name
  )
  returning i.* into made;
  select u.id into invitee from auth.users u
  where lower(u.email) = lower(create_invitation.invitee_email) and u.email_confirmed_at is not null;
  if invitee is not null then
    perform audit_schema.notify(invitee, made);
  end if;
  return query select made.id, made.token, made.expires_at;
end
$$;

create function audit_schema.is_for_me(about public.invitations) returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select exists (select from auth.users u where u.id = auth.uid() and lower(u.email) = lower(about.invitee_email))
$$;

create function public.get_invitation(token text)
  returns table (id uuid, status text, inviter_id uuid, invitee_email text, is_for_me boolean, entity_type text, entity_id text,
    entity_name text, created_at timestamptz, expires_at timestamptz)
  language sql stable security definer rows 1
  set search_path = ''
as $$
  select i.id, i.status, i.inviter_id, i.invitee_email, audit_schema.is_for_me(i), i.entity_type, i.entity_id, i.entity_name,
    i.created_at, i.expires_at
  from public.invitations i where i.token = get_invitation.token
$$;

create function audit_schema.answer(token text, answer text) returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  found public.invitations;
begin
  select * into found from public.invitations i where i.token = answer.token for update;
  if found.id is null then
    raise sqlstate 'PT404' using message = 'invitation_not_found', detail = 'There is no such invitation.';
  end if;
  if not audit_schema.is_for_me(found) then
    raise sqlstate 'PT403' using message = 'invitation_for_another_account', detail = 'It was sent to another address.';
  end if;
  if found.status = answer.answer then
    return;
  end if;
  if found.status <> 'pending' then
    raise sqlstate 'PT409' using message = 'invitation_already_answered', detail = 'The invitation has an answer.';
  end if;
  update public.invitations i set status = answer.answer where i.id = found.id returning * into found;
  perform audit_schema.notify(found.inviter_id, found);
end
$$;

create function public.accept_invitation(token text)
  returns table (id uuid, status text, inviter_id uuid, invitee_email text, is_for_me boolean, entity_type text, entity_id text,
    entity_name text, created_at timestamptz, expires_at timestamptz)
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform audit_schema.answer(accept_invitation.token, 'accepted');
  return query select * from public.get_invitation(accept_invitation.token);
end
$$;

create function public.decline_invitation(token text)
  returns table (id uuid, status text, inviter_id uuid, invitee_email text, is_for_me boolean, entity_type text, entity_id text,
    entity_name text, created_at timestamptz, expires_at timestamptz)
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform audit_schema.answer(decline_invitation.token, 'declined');
  return query select * from public.get_invitation(decline_invitation.token);
end
$$;

revoke all on function public.create_invitation, public.get_invitation, public.accept_invitation, public.decline_invitation
  from public, anon;
grant execute on function public.create_invitation, public.get_invitation, public.accept_invitation, public.decline_invitation
  to authenticated, service_role;

-- Live changes: the publication for inserts and updates, and the private channel of each user.
create table audit_schema.publication as select pubinsert, pubupdate, pubdelete, pubtruncate
  from pg_publication where pubname = 'supabase_realtime';
do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end
$$;
alter publication supabase_realtime
  add table public.notifications, public.notification_preferences, public.notification_bulk_changes;
alter publication supabase_realtime set (publish = 'insert, update');
create unique index notifications_identity_idx on public.notifications (id, recipient_id);
alter table public.notifications replica identity using index notifications_identity_idx;
create unique index notification_preferences_identity_idx on public.notification_preferences (id, user_id);
alter table public.notification_preferences replica identity using index notification_preferences_identity_idx;

-- Realtime makes its table and functions when it first starts, and a project may have no such service.
do $$
begin
  if to_regclass('realtime.messages') is not null then
    create policy "audits: own channel" on realtime.messages for select to authenticated
      using ((select realtime.topic()) = 'user:' || (select auth.uid())::text);
  end if;
end
$$;

create function audit_schema.broadcast() returns trigger
  language plpgsql security definer
  set search_path = ''
  set timezone = 'UTC'
as $$
declare
  owner uuid;
  row_list jsonb;
begin
  if to_regclass('realtime.messages') is null then
    return null;
  end if;
  for owner, row_list in execute format(
    'select %1$I, jsonb_agg(%2$s) from %3$I c group by %1$I',
    tg_argv[0],
    case tg_op when 'DELETE' then 'jsonb_build_object(''id'', c.id)' else 'to_jsonb(c)' end,
    'changed'
  )
  loop
    perform realtime.send(
      jsonb_build_object(
        'schema', 'public', 'table', tg_table_name, 'operation', tg_op,
        case tg_op when 'DELETE' then 'old_records' else 'records' end, row_list
      ),
      tg_op, 'user:' || owner, true
    );
  end loop;
  return null;
end
$$;
create trigger broadcast_inserted after insert on public.notifications
  referencing new table as changed for each statement execute function audit_schema.broadcast('recipient_id');
create trigger broadcast_updated after update on public.notifications
  referencing new table as changed for each statement execute function audit_schema.broadcast('recipient_id');
create trigger broadcast_deleted after delete on public.notifications
  referencing old table as changed for each statement execute function audit_schema.broadcast('recipient_id');
create trigger broadcast_inserted after insert on public.notification_preferences
  referencing new table as changed for each statement execute function audit_schema.broadcast('user_id');
create trigger broadcast_updated after update on public.notification_preferences
  referencing new table as changed for each statement execute function audit_schema.broadcast('user_id');

notify pgrst, 'reload schema';
commit;
