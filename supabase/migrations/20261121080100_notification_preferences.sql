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
    check (email_digest_frequency in ('never', 'hourly', 'daily', 'weekly')),
  in_app_mentions boolean not null default true,
  in_app_edits boolean not null default true,
  in_app_comments boolean not null default true,
  in_app_invites boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.notification_preferences is
  'One row per user. The two enable_ columns disable everything without erasing the settings of the kinds.';

-- A DELETE that is filtered by user_id reaches its subscribers only with the full row.
alter table public.notification_preferences replica identity full;

create trigger stamp_updated_at before update on public.notification_preferences
  for each row execute function private.stamp_updated_at();

alter table public.notification_preferences enable row level security;
revoke all on public.notification_preferences from anon, authenticated;
grant select, insert, update, delete on public.notification_preferences to authenticated;
grant all on public.notification_preferences to service_role;

create policy "Users read their own preferences" on public.notification_preferences
  for select to authenticated using (user_id = (select auth.uid()));
create policy "Users create their own preferences" on public.notification_preferences
  for insert to authenticated with check (user_id = (select auth.uid()));
create policy "Users change their own preferences" on public.notification_preferences
  for update to authenticated using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy "Users delete their own preferences" on public.notification_preferences
  for delete to authenticated using (user_id = (select auth.uid()));
