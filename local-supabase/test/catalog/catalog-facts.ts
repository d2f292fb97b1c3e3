/** An access list without the grantors, in a fixed order. */
const grants = (acl: string): string =>
  `coalesce((select string_agg(regexp_replace(entry, '/.*$', ''), ' ' order by entry collate "C") from unnest(${acl}::text[]) entry), 'default')`;

/**
 * What a project's SQL can meet before its first migration: roles, memberships, schemas, default privileges, and the
 * owners and grants of what is in the services' schemas. One line per object, so that two catalogs can be compared.
 */
export const CATALOG_FACTS = `
with role as (
  select oid, rolname, concat_ws(' ', case when rolsuper then 'superuser' end, case when rolinherit then 'inherit' end,
    case when rolcreaterole then 'createrole' end, case when rolcreatedb then 'createdb' end,
    case when rolcanlogin then 'login' end, case when rolreplication then 'replication' end,
    case when rolbypassrls then 'bypassrls' end) as attributes
  from pg_roles where rolname !~ '^pg_'
), schema as (
  select oid, nspname, nspowner, nspacl from pg_namespace
  where nspname in ('auth', 'extensions', 'public', 'realtime', 'storage')
), service as (select oid, nspname from schema where nspname in ('auth', 'realtime', 'storage'))
select fact from (
select format('role %s: %s', rolname, attributes) as fact from role
union all
select format('role %s sets %s', r.rolname, setting) from pg_db_role_setting s
  join role r on r.oid = s.setrole, unnest(s.setconfig) setting where setting ~ '_timeout='
union all
select format('member %s of %s:%s%s', m.rolname, r.rolname, case when a.admin_option then ' admin' end,
    case when a.inherit_option then ' inherit' end)
  from pg_auth_members a join pg_roles r on r.oid = a.roleid join role m on m.oid = a.member
union all
select format('database: owner %s, %s', datdba::regrole, ${grants('datacl')})
  from pg_database where datname = current_database()
union all
select format('schema %s: owner %s, %s', nspname, nspowner::regrole, ${grants('nspacl')}) from schema
union all
select format('defaults of %s in %s, %s: %s', defaclrole::regrole, s.nspname, defaclobjtype, ${grants('defaclacl')})
  from pg_default_acl d join schema s on s.oid = d.defaclnamespace
union all
select format('table %s.%s: owner %s, %s%s', s.nspname, relname, relowner::regrole, ${grants('relacl')},
    case when relrowsecurity then ', row level security' end)
  from pg_class c join service s on s.oid = c.relnamespace
  where relkind in ('r', 'p', 'v') and not relispartition
union all
select format('function %s.%s(%s): owner %s, %s%s', s.nspname, proname, pg_get_function_identity_arguments(p.oid),
    proowner::regrole, ${grants('proacl')}, case when prosecdef then ', security definer' end)
  from pg_proc p join service s on s.oid = p.pronamespace
union all
select format('trigger %s on %s.%s', tgname, s.nspname, relname)
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join service s on s.oid = c.relnamespace
  where not tgisinternal and not relispartition
    and exists (select from pg_proc p join service o on o.oid = p.pronamespace where p.oid = tgfoid)
union all
select format('type %s.%s: owner %s', s.nspname, typname, typowner::regrole)
  from pg_type t join service s on s.oid = t.typnamespace where typtype in ('e', 'd')
union all
select format('event trigger %s: owner %s', evtname, evtowner::regrole) from pg_event_trigger
union all
select format('publication %s: owner %s', pubname, pubowner::regrole) from pg_publication
) facts order by fact collate "C"`;
