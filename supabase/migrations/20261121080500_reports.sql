-- Reports of notifications, for the operators of the service.

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
