-- The download of all data contains the names and times of passkeys, as it does those of second factors.

alter function public.export_account_data() rename to account_data_without_passkeys;
alter function public.account_data_without_passkeys() set schema private;
revoke all on function private.account_data_without_passkeys() from public, authenticated;

/** The user's passkeys for the download, without their keys; none where an older auth service has no table of them. */
create function private.export_passkeys(user_id uuid) returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  if to_regclass('auth.webauthn_credentials') is null then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'friendly_name', c.friendly_name, 'created_at', c.created_at, 'last_used_at', c.last_used_at
    ) order by c.created_at), '[]')
    from auth.webauthn_credentials c where c.user_id = export_passkeys.user_id
  );
end
$$;
revoke all on function private.export_passkeys(uuid) from public;

/** All data of the caller as one JSON document. Secrets (password, factors, passkeys, tokens, codes) are not part of it. */
create function public.export_account_data() returns json
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '60s'
as $$
declare
  me uuid := private.require_assurance();
begin
  return (
    private.account_data_without_passkeys()::jsonb || jsonb_build_object('passkeys', private.export_passkeys(me))
  )::json;
end
$$;

revoke all on function public.export_account_data() from public, anon;
grant execute on function public.export_account_data() to authenticated;
