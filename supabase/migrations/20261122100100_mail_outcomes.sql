-- A provider that limits the rate, or refuses the mail itself, is no failed attempt.

drop function public.finish_notification_mail(uuid, uuid, text, text, timestamptz);

/**
 * Acknowledges a leased mail. Returns whether the mail changed. Outcomes:
 * - `sent`, which counts without the lease too: a mail that left must not be sent again because its worker was slow;
 * - `failed`: tried again with backoff, and dead after the fifth attempt;
 * - `delayed`: the provider limits the rate. Tried again after `retry_after_seconds`; the attempt does not count;
 * - `refused`: the provider does not accept this mail. Dead;
 * - `rejected`: the address does not exist. Dead, and the address is suppressed.
 */
create function public.finish_notification_mail(
  mail_id uuid, lease uuid, outcome text, reason text default null, called_at timestamptz default now(),
  retry_after_seconds double precision default 0
) returns boolean
  language plpgsql security definer
  set search_path = ''
as $$
declare
  most_attempts constant integer := 5;
  mail private.notification_mails;
  is_retried boolean;
begin
  if outcome is null or outcome not in ('sent', 'failed', 'delayed', 'refused', 'rejected') then
    raise sqlstate 'PT400' using message = 'outcome_invalid',
      detail = 'The outcome is sent, failed, delayed, refused or rejected.';
  end if;
  select * into mail from private.notification_mails m
  where m.id = finish_notification_mail.mail_id and m.state in ('sending', 'retrying')
    and (m.lease = finish_notification_mail.lease or outcome = 'sent')
  for update;
  if mail.id is null then
    return false;
  end if;
  is_retried := outcome = 'delayed' or (outcome = 'failed' and mail.attempts < most_attempts);
  update private.notification_mails m
  set
    state = case when outcome = 'sent' then 'sent' when is_retried then 'retrying' else 'dead' end,
    attempts = case when outcome = 'delayed' then mail.attempts - 1 else mail.attempts end,
    due_at = case when is_retried then called_at + greatest(
        make_interval(secs => coalesce(retry_after_seconds, 0)),
        -- 1, 4, 16 and 64 minutes, each between half and one and a half of it.
        case when outcome = 'failed' then interval '1 minute' * power(4, mail.attempts - 1) * (0.5 + random()) end
      ) else mail.due_at end,
    finished_at = case when not is_retried then called_at end,
    lease = null,
    lease_until = null,
    reason = left(finish_notification_mail.reason, 500)
  where m.id = mail.id;
  if outcome = 'rejected' then
    perform public.suppress_mail_address((select u.email from auth.users u where u.id = mail.recipient_id), 'bounce', reason);
  end if;
  return true;
end
$$;

revoke all on function public.finish_notification_mail(uuid, uuid, text, text, timestamptz, double precision)
  from public, anon, authenticated;
grant execute on function public.finish_notification_mail(uuid, uuid, text, text, timestamptz, double precision)
  to service_role;
