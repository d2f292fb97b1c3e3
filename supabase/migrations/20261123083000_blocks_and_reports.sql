-- What a recipient can do against unwanted notifications: block a sender, mute an entity, report a notification.

create table public.blocked_senders (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  sender_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (user_id, sender_id),
  constraint not_oneself check (user_id <> sender_id)
);
create index blocked_senders_sender_idx on public.blocked_senders (sender_id);

create table public.muted_threads (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  entity_type text not null check (length(entity_type) <= 100),
  entity_id text not null check (length(entity_id) <= 200),
  entity_name text check (length(entity_name) <= 200),
  -- Null: the mute does not end.
  muted_until timestamptz,
  created_at timestamptz not null default now(),
  primary key (user_id, entity_type, entity_id)
);

alter table public.blocked_senders enable row level security;
revoke all on public.blocked_senders from anon, authenticated;
grant select, insert, delete on public.blocked_senders to authenticated;
grant all on public.blocked_senders to service_role;
select private.require_assurance_on('public.blocked_senders');
select private.hide_statistics('public.blocked_senders');
create policy "Users keep their own list of blocked senders" on public.blocked_senders
  for all to authenticated using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

alter table public.muted_threads enable row level security;
revoke all on public.muted_threads from anon, authenticated;
grant select, insert, update, delete on public.muted_threads to authenticated;
grant all on public.muted_threads to service_role;
select private.require_assurance_on('public.muted_threads');
select private.hide_statistics('public.muted_threads');
create policy "Users keep their own list of muted threads" on public.muted_threads
  for all to authenticated using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

/**
 * Runs before a user blocks a sender: only an account that has sent the user something can be blocked, because the name of
 * a blocked sender is shown, and a foreign key would reveal which accounts exist.
 *
 * Error: PT404 sender_unknown.
 */
create function private.check_blocked_sender() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  -- The policy refuses a row of another user; an error of this function would reveal who sent that user something.
  if new.user_id = auth.uid()
    and not exists (
      select from public.notifications n where n.recipient_id = new.user_id and n.sender_id = new.sender_id
    )
    and not exists (
      select from private.mail_only_notifications n where n.recipient_id = new.user_id and n.sender_id = new.sender_id
    )
    -- An open invitation is listed until it is answered, even if its notification was deleted.
    and not exists (
      select from auth.users u join public.invitations i on lower(i.invitee_email) = lower(u.email)
      where u.id = new.user_id and u.email_confirmed_at is not null
        and i.inviter_id = new.sender_id and i.status = 'pending' and i.expires_at > now()
    )
    and not private.share_invitation(new.user_id, new.sender_id)
  then
    raise sqlstate 'PT404' using message = 'sender_unknown', detail = 'This account has sent you nothing.';
  end if;
  return new;
end
$$;

create trigger check_blocked_sender before insert on public.blocked_senders
  for each row when (current_user = 'authenticated') execute function private.check_blocked_sender();
create trigger limit_blocked_senders after insert on public.blocked_senders
  referencing new table as added for each statement execute function private.limit_rows('user_id', '1000');
create trigger limit_muted_threads after insert on public.muted_threads
  referencing new table as added for each statement execute function private.limit_rows('user_id', '1000');

/** Whether `recipient` has blocked `sender`. */
create function private.is_blocked(recipient uuid, sender uuid) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return exists (select from public.blocked_senders b where b.user_id = recipient and b.sender_id = sender);
end
$$;

/** Whether `recipient` has muted the entity that the content is about. */
create function private.is_muted(recipient uuid, content jsonb) returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return exists (
    select from public.muted_threads m
    where m.user_id = recipient
      and m.entity_type = coalesce(content ->> 'entity_type', '')
      and m.entity_id = content ->> 'entity_id'
      and (m.muted_until is null or m.muted_until > now())
  );
end
$$;

/**
 * The names of senders, for display: only of those who have sent the caller a notification or are blocked by the caller.
 * Unknown ids have no row.
 */
create function public.sender_names(sender_ids uuid[])
  returns table (sender_id uuid, name text)
  language plpgsql stable security definer rows 50
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
begin
  return query
    select s.id, private.display_name(s.id)
    from (select distinct unnest(sender_ids[1:100]) as id) s
    join auth.users u on u.id = s.id
    where exists (select from public.notifications n where n.sender_id = s.id and n.recipient_id = me)
      or private.is_blocked(me, s.id);
end
$$;

revoke all on function public.sender_names(uuid[]) from public, anon;
grant execute on function public.sender_names(uuid[]) to authenticated, service_role;

-- Reports, for the operators of the service.

create table public.notification_reports (
  id uuid primary key default gen_random_uuid(),
  reporter_id uuid not null references auth.users (id) on delete cascade,
  notification_id uuid not null,
  sender_id uuid references auth.users (id) on delete set null,
  reason text not null check (reason in ('spam', 'abuse', 'phishing', 'other')),
  comment text check (length(comment) <= 1000),
  -- A copy of the reported content: the notification may be deleted later.
  content text,
  created_at timestamptz not null default now(),
  unique (reporter_id, notification_id)
);
create index notification_reports_sender_idx on public.notification_reports (sender_id);

alter table public.notification_reports enable row level security;
revoke all on public.notification_reports from anon, authenticated;
grant select on public.notification_reports to authenticated;
grant all on public.notification_reports to service_role;
select private.require_assurance_on('public.notification_reports');
select private.hide_statistics('public.notification_reports');
create policy "Users read their own reports" on public.notification_reports
  for select to authenticated using (reporter_id = (select auth.uid()));

create trigger forget_sender before update of sender_id on public.notification_reports
  for each row when (old.sender_id is not null and new.sender_id is null)
  execute function private.forget_sender();
create trigger limit_notification_reports after insert on public.notification_reports
  referencing new table as added for each statement execute function private.limit_rows('reporter_id', '1000');

/**
 * Reports a notification of the caller, with its content. A second report of it replaces the first.
 *
 * Errors: PT404 notification_not_found; PT400 report_reason_invalid.
 */
create function public.report_notification(notification_id uuid, reason text, comment text default null)
  returns void
  language plpgsql security definer
  set search_path = ''
as $$
declare
  me uuid := private.require_assurance();
  reported public.notifications;
begin
  if reason is null or reason not in ('spam', 'abuse', 'phishing', 'other') then
    raise sqlstate 'PT400' using message = 'report_reason_invalid',
      detail = 'The reason is spam, abuse, phishing or other.';
  end if;
  select * into reported from public.notifications n
    where n.id = report_notification.notification_id and n.recipient_id = me;
  if reported.id is null then
    raise sqlstate 'PT404' using message = 'notification_not_found', detail = 'There is no such notification.';
  end if;
  insert into public.notification_reports as r (reporter_id, notification_id, sender_id, reason, comment, content)
  values (
    me, reported.id, reported.sender_id, report_notification.reason,
    private.bounded_text(report_notification.comment, 1000), reported.content
  )
  on conflict on constraint notification_reports_reporter_id_notification_id_key do update
    set reason = excluded.reason, comment = excluded.comment;
end
$$;

revoke all on function public.report_notification(uuid, text, text) from public, anon;
grant execute on function public.report_notification(uuid, text, text) to authenticated, service_role;

revoke all on all functions in schema private from public;
