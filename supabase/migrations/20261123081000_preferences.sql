-- What a user wants to be told, where and when. One row per user.
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
  language text not null default 'en' check (language ~ '^[a-z]{2}(-[A-Za-z0-9]{2,8})*$' and length(language) <= 35),
  time_zone text not null default 'UTC',
  digest_hour smallint not null default 8 check (digest_hour between 0 and 23),
  digest_weekday smallint not null default 1 check (digest_weekday between 1 and 7),
  show_online boolean not null default true,
  quiet_hours_start time(0),
  quiet_hours_end time(0),
  quiet_weekdays smallint[] not null default '{1,2,3,4,5,6,7}'
    check (quiet_weekdays <@ '{1,2,3,4,5,6,7}'::smallint[]),
  constraint quiet_hours_complete check ((quiet_hours_start is null) = (quiet_hours_end is null))
);

comment on table public.notification_preferences is
  'One row per user. The two enable_ columns disable everything without erasing the settings of the kinds.';
comment on column public.notification_preferences.time_zone is
  'IANA name; digest_hour, digest_weekday and quiet hours are local times of this zone.';
comment on column public.notification_preferences.digest_weekday is 'ISO 8601: 1 is Monday.';
comment on column public.notification_preferences.show_online is 'Whether contacts see that the user is online.';
comment on column public.notification_preferences.quiet_hours_start is
  'Null: no quiet hours. An end before the start is on the next day, an end equal to the start 24 hours later; '
  'quiet_weekdays name the day of the start.';

-- A DELETE filtered by user_id reaches its subscribers only if the old row's user_id is logged. The full row would also
-- let strangers filter by the other columns.
create unique index notification_preferences_identity_idx on public.notification_preferences (id, user_id);
alter table public.notification_preferences replica identity using index notification_preferences_identity_idx;

create trigger stamp_updated_at before update on public.notification_preferences
  for each row execute function private.stamp_updated_at();

/** Refuses a time zone that this server does not know, because digests and quiet hours could not be computed. */
create function private.check_time_zone() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if new.time_zone !~ '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$' then
    raise invalid_parameter_value;
  end if;
  perform now() at time zone new.time_zone;
  return new;
exception when invalid_parameter_value then
  raise sqlstate 'PT400' using message = 'time_zone_invalid', detail = 'This is not the name of a time zone.';
end
$$;

create trigger check_time_zone before insert or update of time_zone on public.notification_preferences
  for each row execute function private.check_time_zone();

alter table public.notification_preferences enable row level security;
revoke all on public.notification_preferences from anon, authenticated;
grant select, insert, update, delete on public.notification_preferences to authenticated;
grant all on public.notification_preferences to service_role;

select private.require_assurance_on('public.notification_preferences');
select private.hide_statistics('public.notification_preferences');
create policy "Users read their own preferences" on public.notification_preferences
  for select to authenticated using (user_id = (select auth.uid()));
create policy "Users create their own preferences" on public.notification_preferences
  for insert to authenticated with check (user_id = (select auth.uid()));
create policy "Users change their own preferences" on public.notification_preferences
  for update to authenticated using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy "Users delete their own preferences" on public.notification_preferences
  for delete to authenticated using (user_id = (select auth.uid()));

revoke all on all functions in schema private from public;
