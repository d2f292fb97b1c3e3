-- The assurance checks of a token: its account must exist, and an account with a verified second factor must have
-- used it (`aal2`). Every table has a restrictive policy on private.has_assurance(); every function of the API
-- begins with private.require_assurance().

/**
 * Whether the caller's account exists, is not banned, and whether the token has the assurance level that the account
 * needs. Policies wrap it into a scalar subquery, so that it runs once per statement.
 */
create function private.has_assurance() returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select exists (
      select from auth.users u
      where u.id = auth.uid() and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    )
    and (
      auth.jwt() ->> 'aal' = 'aal2'
      or not exists (
        select from auth.mfa_factors f where f.user_id = auth.uid() and f.status = 'verified'
      )
    )
$$;

/**
 * The id of the caller, for functions that act with the owner's privileges.
 *
 * Errors: PT401 account_not_found; PT403 account_banned; PT403 insufficient_aal.
 */
create function private.require_assurance() returns uuid
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  account record;
begin
  select u.id, u.banned_until into account from auth.users u where u.id = auth.uid() and u.deleted_at is null;
  if account.id is null then
    raise sqlstate 'PT401' using message = 'account_not_found', detail = 'The account of this token does not exist.';
  end if;
  if account.banned_until > now() then
    raise sqlstate 'PT403' using message = 'account_banned', detail = 'The account is banned.';
  end if;
  if not coalesce(private.has_assurance(), false) then
    raise sqlstate 'PT403' using message = 'insufficient_aal',
      detail = 'The account has a second factor, which this session has not used.',
      hint = 'Verify a factor, then repeat the request.';
  end if;
  return account.id;
end
$$;

/** Whether the session was authenticated within the last `max_age`: the newest entry of the token's `amr` claim. */
create function private.has_fresh_proof(max_age interval) returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from jsonb_array_elements(
      case when jsonb_typeof(auth.jwt() -> 'amr') = 'array' then auth.jwt() -> 'amr' else '[]' end
    ) proof
    where jsonb_typeof(proof) = 'object'
      and jsonb_typeof(proof -> 'timestamp') = 'number'
      and proof ->> 'method' not in ('anonymous', 'token_refresh')
      and to_timestamp((proof ->> 'timestamp')::float8) > now() - max_age
  )
$$;

/** Adds the restrictive policy to a table. */
create function private.require_assurance_on(target regclass) returns void
  language plpgsql
  set search_path = ''
as $$
begin
  execute format(
    'create policy "Accounts act with the assurance they need" on %s as restrictive for all to authenticated
       using ((select private.has_assurance())) with check ((select private.has_assurance()))',
    target
  );
end
$$;

revoke all on all functions in schema private from public;
-- Policies call this function as the role of the request.
grant execute on function private.has_assurance() to authenticated;

-- A bare PostgreSQL lacks the tables of storage objects and of private channels.
do $$
declare
  target text;
begin
  foreach target in array array['storage.objects', 'storage.buckets', 'realtime.messages'] loop
    if to_regclass(target) is not null then
      perform private.require_assurance_on(to_regclass(target));
    end if;
  end loop;
end
$$;
