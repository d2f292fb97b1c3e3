-- Which notifications a user gets, where and when, and the quiet hours. One row per user.
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
  language text not null default 'en' check (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$' and length(language) <= 35),
  time_zone text not null default 'UTC',
  digest_hour smallint not null default 8 check (digest_hour between 0 and 23),
  digest_weekday smallint not null default 1 check (digest_weekday between 1 and 7),
  quiet_hours_start time(0),
  quiet_hours_end time(0),
  quiet_weekdays smallint[] not null default '{1,2,3,4,5,6,7}'
    check (quiet_weekdays <@ '{1,2,3,4,5,6,7}'::smallint[] and cardinality(quiet_weekdays) <= 7),
  kinds jsonb not null default '{}' check (
    jsonb_typeof(kinds) = 'object' and octet_length(kinds::text) <= 8192
    and not kinds @? 'strict $.* ? (@.type() != "object")'
    and not kinds @? 'strict $.*.keyvalue() ? (@.value.type() != "boolean" || !(@.key == "in_app" || @.key == "email"))'
  ),
  constraint quiet_hours_complete check ((quiet_hours_start is null) = (quiet_hours_end is null))
);

comment on table public.notification_preferences is
  'One row per user. The two enable_ columns disable everything without erasing the settings of the kinds.';
comment on column public.notification_preferences.kinds is
  'The choices for kinds of public.notification_kinds: {name: {in_app?: boolean, email?: boolean}}. Without one the kind''s default applies.';
comment on column public.notification_preferences.time_zone is
  'IANA name; digest_hour, digest_weekday and quiet hours are local times of this zone.';
comment on column public.notification_preferences.digest_weekday is 'ISO 8601: 1 is Monday.';
comment on column public.notification_preferences.quiet_hours_start is
  'Null: no quiet hours. An end before the start is on the next day, an end equal to the start 24 hours later; '
  'quiet_weekdays name the day of the start.';

create trigger stamp_updated_at before update on public.notification_preferences
  for each row execute function private.stamp_updated_at();

/**
 * Whether it is UTC or in the database of zones by a name of the form `Europe/Berlin`. The setting finds a zone by one file, where the view
 * pg_timezone_names opens all 600. It takes other cases of a name too, and zones of POSIX, which it writes in upper case.
 */
create function private.is_time_zone(zone text) returns boolean
  language plpgsql stable
  set search_path = ''
  set timezone = 'UTC'
as $$
begin
  if zone = 'UTC' then
    return true;
  end if;
  if zone !~ '^[A-Z][A-Za-z_]+/[A-Za-z0-9_+/-]{1,60}$' or zone = upper(zone) then
    return false;
  end if;
  return set_config('timezone', zone, true) = zone;
exception when invalid_parameter_value then
  return false;
end
$$;

/**
 * Refuses a time zone that is not in the database of zones, because digests and quiet hours could not be computed. PostgreSQL takes
 * any text such as `ABC5` for a zone of POSIX; the functions that write mails know named zones only.
 */
create function private.check_time_zone() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if private.is_time_zone(new.time_zone) then
    return new;
  end if;
  raise sqlstate 'PT400' using message = 'time_zone_invalid', detail = 'This is not the name of a time zone.';
end
$$;

create trigger check_time_zone before insert or update of time_zone on public.notification_preferences
  for each row execute function private.check_time_zone();

/** The language and the time zone that the application stores with the account; null where they are missing or unknown. */
create function private.account_locale(metadata jsonb, out language text, out time_zone text)
  language sql stable
  set search_path = ''
as $$
  select
    case when metadata ->> 'language' ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$' and length(metadata ->> 'language') <= 35
      then metadata ->> 'language' end,
    case when private.is_time_zone(metadata ->> 'time_zone') then metadata ->> 'time_zone' end
$$;

/** A new row that names neither takes the language and the time zone of its account. */
create function private.default_locale() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  account record;
begin
  select l.* into account from auth.users u, private.account_locale(u.raw_user_meta_data) l where u.id = new.user_id;
  if new.language = 'en' then
    new.language := coalesce(account.language, 'en');
  end if;
  if new.time_zone = 'UTC' then
    new.time_zone := coalesce(account.time_zone, 'UTC');
  end if;
  return new;
end
$$;

create trigger default_locale before insert on public.notification_preferences
  for each row execute function private.default_locale();

/**
 * Lets mails, digests, searches and the words of kinds follow the account from the first mail on, before its user has opened the
 * preferences. A time zone that was chosen there stays. A failure must not undo the change of the account.
 */
create function private.follow_locale() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into public.notification_preferences as p (user_id) values (new.id)
  on conflict (user_id) do update set
    language = coalesce((private.account_locale(new.raw_user_meta_data)).language, p.language),
    time_zone = case when p.time_zone = 'UTC'
      then coalesce((private.account_locale(new.raw_user_meta_data)).time_zone, 'UTC') else p.time_zone end;
  return null;
exception when others then
  raise warning 'No language and time zone for %: %', new.id, sqlerrm;
  return null;
end
$$;

create trigger follow_locale_of_new_account after insert on auth.users
  for each row when (new.raw_user_meta_data ?| array['language', 'time_zone'])
  execute function private.follow_locale();
create trigger follow_locale after update of raw_user_meta_data on auth.users
  for each row when (
    new.raw_user_meta_data -> 'language' is distinct from old.raw_user_meta_data -> 'language'
    or new.raw_user_meta_data -> 'time_zone' is distinct from old.raw_user_meta_data -> 'time_zone'
  )
  execute function private.follow_locale();

/** The zone, or UTC where this server no longer knows it: zones are renamed and removed. */
create function private.known_time_zone(time_zone text) returns text
  language plpgsql stable
  set search_path = ''
as $$
begin
  perform now() at time zone time_zone;
  return time_zone;
exception when invalid_parameter_value then
  return 'UTC';
end
$$;

/**
 * When the quiet hours end that are in force for a user at `called_at`; null where none are. Periods that touch or
 * overlap are one. Where the whole week is quiet, the first period's end counts, so that a mail is late by a day at most.
 *
 * Both ends are local times of each day and are converted one by one, so that a period lasts an hour less or more when
 * the clocks change. A local time that does not exist, or exists twice, is resolved as in private.next_mail_at().
 */
create function private.quiet_until(user_id uuid, called_at timestamptz) returns timestamptz
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  chosen record;
  zone text;
  today date;
  period record;
  first_end timestamptz;
  quiet_end timestamptz;
begin
  select p.quiet_hours_start as starts, p.quiet_hours_end as ends, p.quiet_weekdays as weekdays, p.time_zone
  into chosen
  from public.notification_preferences p
  where p.user_id = quiet_until.user_id and p.quiet_hours_start is not null;
  if not found then
    return null;
  end if;
  zone := private.known_time_zone(chosen.time_zone);
  today := (called_at at time zone zone)::date;
  for period in
    select
      (day + chosen.starts) at time zone zone as starts_at,
      (day + case when chosen.ends <= chosen.starts then 1 else 0 end + chosen.ends) at time zone zone as ends_at
    from (select today + day_number as day from generate_series(-2, 8) day_number) days
    where extract(isodow from day) = any (chosen.weekdays)
    order by 1
  loop
    if period.starts_at <= coalesce(quiet_end, called_at) and period.ends_at > coalesce(quiet_end, called_at) then
      quiet_end := period.ends_at;
      first_end := coalesce(first_end, quiet_end);
    end if;
  end loop;
  return case when quiet_end > called_at + interval '7 days' then first_end else quiet_end end;
end
$$;

create function private.is_quiet(user_id uuid, called_at timestamptz) returns boolean
  language sql stable security definer
  set search_path = ''
as $$ select private.quiet_until(user_id, called_at) is not null $$;

/** The time itself, or the end of the quiet hours that it is in. */
create function private.after_quiet_hours(user_id uuid, called_at timestamptz) returns timestamptz
  language sql stable security definer
  set search_path = ''
as $$ select coalesce(private.quiet_until(user_id, called_at), called_at) $$;

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
