create table public.notifications (
  id uuid primary key default gen_random_uuid(),
  recipient_id uuid not null references auth.users (id) on delete cascade,
  status text not null default 'unread' check (status in ('unread', 'read', 'archived')),
  content text check (octet_length(content) <= 65536),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on column public.notifications.content is
  'JSON of {type, metadata, entity_type, entity_id, data}; type is mention, edit, comment, invite or system. '
  'metadata.actor_id and metadata.actor_name are the sender, stamped by the server.';

-- The list, newest first, and the number of unread ones.
create index notifications_list_idx on public.notifications (recipient_id, created_at desc, id desc);
create index notifications_unread_idx on public.notifications (recipient_id) where status = 'unread';

-- A DELETE that is filtered by recipient_id reaches its subscribers only with the full row.
alter table public.notifications replica identity full;

create trigger stamp_updated_at before update on public.notifications
  for each row execute function private.stamp_updated_at();

/** The kind of a notification, in the singular; what has no type is a system notification. */
create function private.notification_kind(content jsonb) returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select case lower(content ->> 'type')
    when 'mentions' then 'mention'
    when 'edits' then 'edit'
    when 'comments' then 'comment'
    when 'invites' then 'invite'
    else coalesce(lower(content ->> 'type'), 'system')
  end
$$;

/** Whether the recipient wants to see notifications of this kind in the application. Without a row: yes. */
create function private.wants_in_app(recipient uuid, kind text) returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce(
    (
      select p.enable_in_app_notifications and case kind
        when 'mention' then p.in_app_mentions
        when 'edit' then p.in_app_edits
        when 'comment' then p.in_app_comments
        when 'invite' then p.in_app_invites
        else true
      end
      from public.notification_preferences p
      where p.user_id = recipient
    ),
    true
  )
$$;

/**
 * Content with its sender stamped into it. Content that is no JSON object cannot carry a sender, so it becomes the text
 * of a system notification that does: nobody can send without a name.
 */
create function private.stamp_actor(content text, actor uuid) returns text
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  parsed jsonb := private.parse_json(content);
  metadata jsonb;
begin
  if parsed is null or jsonb_typeof(parsed) <> 'object' then
    parsed := jsonb_strip_nulls(jsonb_build_object('type', 'system', 'data', jsonb_build_object('text', content)));
  end if;
  metadata := case when jsonb_typeof(parsed -> 'metadata') = 'object' then parsed -> 'metadata' else '{}' end;
  metadata := metadata || jsonb_build_object('actor_id', actor, 'actor_name', private.display_name(actor));
  return parsed || jsonb_build_object('metadata', metadata);
end
$$;

/**
 * Before a notification is created: one that its recipient has switched off is not; one that comes from a user
 * begins unread, now, and with its sender stamped. Services (no user in the token) are trusted with the rest.
 */
create function private.prepare_notification() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  actor uuid := auth.uid();
begin
  if not private.wants_in_app(
    new.recipient_id,
    private.notification_kind(private.parse_json(new.content))
  ) then
    return null;
  end if;
  if actor is not null then
    new.status := 'unread';
    new.created_at := clock_timestamp();
    new.updated_at := new.created_at;
    new.content := private.stamp_actor(new.content, actor);
  end if;
  return new;
end
$$;

create trigger prepare_notification before insert on public.notifications
  for each row execute function private.prepare_notification();

revoke all on all functions in schema private from public;

alter table public.notifications enable row level security;
revoke all on public.notifications from anon, authenticated;
grant select, insert, delete on public.notifications to authenticated;
-- Of a notification its recipient changes the status and nothing else: what was sent stays as it was sent.
grant update (status) on public.notifications to authenticated;
grant all on public.notifications to service_role;

create policy "Users read their own notifications" on public.notifications
  for select to authenticated using (recipient_id = (select auth.uid()));
create policy "Users notify others" on public.notifications
  for insert to authenticated with check ((select auth.uid()) is not null and status = 'unread');
create policy "Users change their own notifications" on public.notifications
  for update to authenticated
  using (recipient_id = (select auth.uid())) with check (recipient_id = (select auth.uid()));
create policy "Users delete their own notifications" on public.notifications
  for delete to authenticated using (recipient_id = (select auth.uid()));
