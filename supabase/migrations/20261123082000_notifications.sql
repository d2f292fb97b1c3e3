-- The table of notifications and the indexes of its lists. The server sets the kind and the sender; the recipient changes
-- only the reading state.
create table public.notifications (
  id uuid primary key default gen_random_uuid(),
  recipient_id uuid not null references auth.users (id) on delete cascade,
  status text not null default 'unread' check (status in ('unread', 'read', 'archived')),
  content text check (octet_length(content) <= 65536),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  kind text not null default 'system' check (length(kind) between 1 and 50),
  sender_id uuid references auth.users (id) on delete set null,
  snoozed_until timestamptz,
  thread text,
  needs_user boolean not null default false,
  expires_at timestamptz,
  constraint snoozed_until_is_finite check (isfinite(snoozed_until))
);

comment on column public.notifications.content is
  'JSON of {type, metadata, entity_type, entity_id, data}. metadata.actor_id and metadata.actor_name are the sender.';
comment on column public.notifications.kind is
  'From the content, by the server: mention, edit, comment, invite, message, system, or another kind of a service.';
comment on column public.notifications.sender_id is
  'The user who sent it, by the server. Null: a service, or an account that was deleted.';

comment on column public.notifications.thread is
  'The entity of the content as one text, type/id, by the server: what belongs together in a list. Null: none.';
comment on column public.notifications.needs_user is
  'By the server: a mention, an invitation, or what a service marked as important. The inbox lists it first until it is read.';
comment on column public.notifications.expires_at is
  'From then on the notification is deleted, read or not. Null: never.';
comment on column public.notifications.snoozed_until is
  'Until then the notification is snoozed. A past time is when it returned to the inbox; null: it was never snoozed.';

-- Content up to a page stays in the row: an UPDATE without the full old row logs no value that is stored apart from
-- it, and realtime would send the change without its content.
alter table public.notifications alter column content set storage main;
alter table public.notifications set (toast_tuple_target = 8160);

-- Indexes of the inbox lists, newest first. A partial index for each list has fewer entries than one index by status: none
-- for what was read, so that marking a row as read writes two index entries less. As the smallest index that fits, it also
-- wins in a table of so few rows that all plans are estimated to read one.
create index notifications_inbox_idx on public.notifications (recipient_id, created_at desc, id desc)
  where status <> 'archived';
create index notifications_inbox_kind_idx on public.notifications (recipient_id, kind, created_at desc, id desc)
  where status <> 'archived';
create index notifications_unread_idx on public.notifications (recipient_id, created_at desc, id desc)
  where status = 'unread';
create index notifications_unread_kind_idx on public.notifications (recipient_id, kind, created_at desc, id desc)
  where status = 'unread';
create index notifications_archived_idx on public.notifications (recipient_id, created_at desc, id desc)
  where status = 'archived';
create index notifications_archived_kind_idx on public.notifications (recipient_id, kind, created_at desc, id desc)
  where status = 'archived';
create index notifications_snoozed_list_idx on public.notifications (recipient_id, created_at desc, id desc)
  where snoozed_until is not null;

create index notifications_thread_idx on public.notifications (recipient_id, thread, created_at desc, id desc)
  where thread is not null;
create index notifications_needs_user_idx on public.notifications (recipient_id, created_at desc, id desc)
  where status = 'unread' and needs_user;

-- Indexes for changes since a time, the retention job, the deletion of a sender's account and snoozed notifications.
create index notifications_changes_idx on public.notifications (recipient_id, updated_at);
create index notifications_retention_idx on public.notifications (updated_at) where status <> 'unread';
create index notifications_expiry_idx on public.notifications (expires_at) where expires_at is not null;
create index notifications_sender_idx on public.notifications (sender_id, recipient_id) where sender_id is not null;
create index notifications_snoozed_idx on public.notifications (recipient_id, snoozed_until)
  where snoozed_until is not null;

-- The invitations of one sender to one recipient, by the sender first: an index that began with the recipient looked as
-- good for a list of invitations as the list's own index, and all invitations were read.
create index notifications_invitations_idx on public.notifications (sender_id, recipient_id) where kind = 'invite';

select private.hide_statistics('public.notifications');
create trigger stamp_updated_at before update on public.notifications
  for each row execute function private.stamp_updated_at();

/** The kind of a notification, in the singular; content without a type is a system notification. */
create function private.notification_kind(content jsonb) returns text
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
declare
  type text := private.bounded_text(lower(content ->> 'type'), 50);
begin
  return case type
    when 'mentions' then 'mention'
    when 'edits' then 'edit'
    when 'comments' then 'comment'
    when 'invites' then 'invite'
    else coalesce(type, 'system')
  end;
end
$$;

/** Whether a notification needs the user until it is read: `content` is its parsed content. */
create function private.needs_user(kind text, content jsonb) returns boolean
  language sql immutable parallel safe
  set search_path = ''
as $$
  select kind = 'mention'
    or kind = 'invite' and coalesce(content #>> '{data,answer}', content #>> '{data,status}', 'pending') = 'pending'
    or coalesce(content #> '{data,important}' = 'true', false)
$$;

/** Sets the columns that narrow lists: the kind, the thread, and whether it needs the user. */
create function private.stamp_lists(inout listed public.notifications)
  language plpgsql immutable parallel safe
  set search_path = ''
as $$
declare
  content jsonb := private.parse_json(listed.content);
begin
  listed.kind := private.notification_kind(content);
  -- As long as the content of a user may be: the index of threads refuses longer ones, which services may send.
  listed.thread := coalesce(left(content ->> 'entity_type', 100), '') || '/' || nullif(left(content ->> 'entity_id', 200), '');
  listed.needs_user := private.needs_user(listed.kind, content);
end
$$;

/** Removes the name of a sender whose account was deleted from `content`: the foreign key sets sender_id to null. */
create function private.forget_sender() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  new.content := coalesce(
    (private.parse_json(new.content) #- '{metadata,actor_id}' #- '{metadata,actor_name}')::text,
    new.content
  );
  return new;
end
$$;

create trigger forget_sender before update of sender_id on public.notifications
  for each row when (old.sender_id is not null and new.sender_id is null)
  execute function private.forget_sender();

alter table public.notifications enable row level security;
revoke all on public.notifications from anon, authenticated;
grant select, insert, delete on public.notifications to authenticated;
-- The recipient may update only the columns of the reading state; the sent content is immutable.
grant update (status, snoozed_until) on public.notifications to authenticated;
grant all on public.notifications to service_role;

select private.require_assurance_on('public.notifications');
create policy "Users read their own notifications" on public.notifications
  for select to authenticated using (recipient_id = (select auth.uid()));
create policy "Users notify others" on public.notifications
  for insert to authenticated with check (sender_id = (select auth.uid()) and status = 'unread');
create policy "Users change their own notifications" on public.notifications
  for update to authenticated
  using (recipient_id = (select auth.uid())) with check (recipient_id = (select auth.uid()));
create policy "Users delete their own notifications" on public.notifications
  for delete to authenticated using (recipient_id = (select auth.uid()));

revoke all on all functions in schema private from public;
