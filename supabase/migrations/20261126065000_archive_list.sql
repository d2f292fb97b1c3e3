-- A list is archived as it is deleted: by a function, which has time for many rows and announces them before the changes.

/**
 * Archives every notification of a tab (all, unread, snoozed), or those of one kind, in one statement. Snoozed ones are in
 * their own tab only; archiving ends the snooze.
 *
 * `up_to`: only those created until then; default: all. Returns how many there were. Error: PT400 tab_invalid.
 */
create function public.archive_notifications(
  tab text, kind text default null, up_to timestamptz default null
)
  returns bigint
  language plpgsql security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_assurance();
  statuses text[] := array_remove(private.statuses_of_tab(tab), 'archived');
  changed bigint;
begin
  if (select c.unread + c.read > 100 from public.notification_counters c where c.user_id = me) then
    perform private.mark_bulk_change(me);
  end if;
  update public.notifications n set status = 'archived'
  where n.recipient_id = me and n.status = any (statuses)
    and case when tab = 'snoozed' then n.snoozed_until > now()
      else n.snoozed_until is null or n.snoozed_until <= now() end
    and (archive_notifications.kind is null or n.kind = archive_notifications.kind)
    and (up_to is null or n.created_at <= up_to);
  get diagnostics changed = row_count;
  return changed;
end
$$;

revoke all on function public.archive_notifications(text, text, timestamptz) from public, anon;
grant execute on function public.archive_notifications(text, text, timestamptz) to authenticated, service_role;
