-- Mails about a passkey that was added to an account or removed from it: the auth service sends none.

alter table private.security_events
  drop constraint security_events_kind_check,
  add constraint security_events_kind_check check (
    kind in ('new_device', 'recovery_code_used', 'recovery_codes_created', 'passkey_added', 'passkey_removed')
  );

/**
 * Runs after a passkey was added or removed: reports it, with the name that the passkey has then. The deletion of the
 * account is no removal. A failure is a warning, because it must not prevent the change.
 */
create function private.note_passkey() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  passkey record := case tg_op when 'INSERT' then new else old end;
begin
  if exists (select from auth.users u where u.id = passkey.user_id) then
    perform private.report_security_event(
      passkey.user_id,
      case tg_op when 'INSERT' then 'passkey_added' else 'passkey_removed' end,
      jsonb_build_object('name', left(passkey.friendly_name, 120))
    );
  end if;
  return null;
exception when others then
  raise warning 'A change of a passkey could not be reported: %', sqlerrm;
  return null;
end
$$;

-- The auth service owns the table, and an older one has none: without the trigger a project sends no such mails.
do $$
begin
  create trigger note_passkey after insert or delete on auth.webauthn_credentials
    for each row execute function private.note_passkey();
exception when insufficient_privilege or undefined_table then
  raise notice 'Changes of passkeys are not mailed: %', sqlerrm;
end
$$;

revoke all on all functions in schema private from public;
