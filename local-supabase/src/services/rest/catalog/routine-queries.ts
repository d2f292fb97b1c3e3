/** Queries about functions and settings, in the form of those in `table-queries.ts`. */

/** The role that PostgREST logs in as. */
export const LOGIN_ROLE = 'authenticator';

/** Settings of a function that apply to its whole transaction. */
const HOISTED_SETTINGS = `array['statement_timeout', 'plan_filter.statement_cost_limit', 'default_transaction_isolation']`;

/** The parameters of the functions that meet `condition`, by function. */
const argumentsQuery = (condition: string): string => `
  arguments as (
    select p.oid,
      json_agg(json_build_object(
        'name', coalesce(name, ''),
        'type', type::regtype::text,
        'unlimitedType', case type
          when 'bit'::regtype then 'bit varying'
          when 'bit[]'::regtype then 'bit varying[]'
          when 'character'::regtype then 'character varying'
          when 'character[]'::regtype then 'character varying[]'
          else type::regtype::text
        end,
        'isRequired', idx <= p.pronargs - p.pronargdefaults,
        'isVariadic', coalesce(mode = 'v', false)
      ) order by idx) as parameters,
      case count(*) - count(name)
        when 0 then true
        when 1 then (array_agg(type))[1] in
          ('bytea'::regtype, 'json'::regtype, 'jsonb'::regtype, 'text'::regtype, 'xml'::regtype)
        else false
      end as is_callable
    from pg_proc p
    join pg_namespace pn on pn.oid = p.pronamespace
    cross join unnest(p.proargnames, p.proargtypes, p.proargmodes) with ordinality as _ (name, type, mode, idx)
    where type is not null and ${condition}
    group by p.oid
  )`;

/** The functions that meet `condition`. One with a single unnamed parameter can only be called with a body of its type. */
export const routinesQuery = (condition: string): string => `
  with ${argumentsQuery(condition)}
  select coalesce(json_agg(json_build_object(
    'schema', pn.nspname,
    'name', p.proname,
    'description', obj_description(p.oid, 'pg_proc'),
    'parameters', coalesce(a.parameters, '[]'),
    'returnType', json_build_object('schema', bn.nspname, 'name', coalesce(bc.relname, b.typname)),
    'returnsSet', p.proretset,
    'returnsComposite', b.typtype = 'c' or coalesce(p.proargmodes::text[] && '{t,b,o}', false),
    'volatility', p.provolatile,
    'hasVariadic', p.provariadic > 0,
    'isolation', (
      select split_part(setting, '=', 2) from unnest(p.proconfig) setting
      where setting like 'default\\_transaction\\_isolation=%'),
    'settings', coalesce((
      select json_agg(json_build_array(split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)))
      from unnest(p.proconfig) setting
      where split_part(setting, '=', 1) = any (${HOISTED_SETTINGS})), '[]')
  ) order by pn.nspname, p.proname), '[]') as result
  from pg_proc p
  left join arguments a on a.oid = p.oid
  join pg_namespace pn on pn.oid = p.pronamespace
  join lateral (
    with recursive chain(type, base) as (
      select t.oid, t.typbasetype from pg_type t where t.oid = p.prorettype
      union all
      select t.oid, t.typbasetype from pg_type t join chain c on t.oid = c.base
    )
    select type from chain where base = 0
  ) bt on true
  join pg_type b on b.oid = bt.type
  join pg_namespace bn on bn.oid = b.typnamespace
  left join pg_class bc on bc.oid = b.typrelid
  where b.oid <> 'trigger'::regtype and coalesce(a.is_callable, true) and p.prokind = 'f' and ${condition}`;

export const ROUTINES = routinesQuery('pn.nspname = any ($1::text[])');

/** The functions of schema `$1` that the current role may call. */
export const ACCESSIBLE_ROUTINES = routinesQuery(
  `pn.nspname = $1::text and has_function_privilege(p.oid, 'execute')`,
);

/** Implicit casts between a domain and its text or JSON that use a function. */
export const REPRESENTATIONS = `
  select coalesce(json_agg(json_build_array(
    c.castsource::regtype::text, c.casttarget::regtype::text, c.castfunc::regproc::text)), '[]') as result
  from pg_cast c
  join pg_type s on s.oid = c.castsource
  join pg_type t on t.oid = c.casttarget
  where c.castcontext = 'i' and c.castmethod = 'f' and has_function_privilege(c.castfunc, 'execute')
    and ((s.typtype = 'd' and c.casttarget in ('json'::regtype, 'text'::regtype))
      or (t.typtype = 'd' and c.castsource in ('json'::regtype, 'text'::regtype)))`;

/** Aggregates and functions that return a domain with the name of a media type. */
export const MEDIA_HANDLERS = `
  with media_types as (
    select t.oid, lower(t.typname) as name, n.nspname as schema, t.typname,
      case t.typname when '*/*' then 'application/octet-stream' else t.typname end as resolved
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where t.typbasetype <> 0 and (t.typname ~* '^[A-Za-z0-9.-]+/[A-Za-z0-9.+-]+$' or t.typname = '*/*')
  ), handlers as (
    select pn.nspname as schema, p.proname as name, m.name as media, m.resolved,
      case when a.typname = 'anyelement' then null else json_build_object('schema', an.nspname, 'name', a.typname) end
        as target
    from media_types m
    join pg_proc p on p.prorettype = m.oid and p.pronargs = 1 and p.prokind = 'a'
    join pg_namespace pn on pn.oid = p.pronamespace
    join pg_type a on a.oid = p.proargtypes[0]
    join pg_namespace an on an.oid = a.typnamespace
    where pn.nspname = any ($1::text[])
      and (a.typname = 'anyelement' or exists (select 1 from pg_class c where c.reltype = a.oid))
    union all
    select m.schema, m.typname, m.name, m.resolved, json_build_object('schema', pn.nspname, 'name', p.proname)
    from media_types m
    join pg_proc p on p.prorettype = m.oid and p.prokind = 'f' and not p.proretset
    join pg_namespace pn on pn.oid = p.pronamespace
    where pn.nspname = any ($1::text[])
  )
  select coalesce(json_agg(json_build_object(
    'function', json_build_object('schema', schema, 'name', name),
    'target', target, 'mediaType', media, 'resolvedMediaType', resolved)), '[]') as result
  from handlers`;

export const TIMEZONES = `select coalesce(json_agg(name), '[]') as result from pg_timezone_names`;

/** Settings of the login role and of its member roles, limited to those that a user may set. */
export const ROLE_SETTINGS = `
  select coalesce(json_agg(json_build_array(r.rolname, split_part(entry, '=', 1),
    substr(entry, strpos(entry, '=') + 1))), '[]') as result
  from pg_roles login
  join pg_roles r on r.oid = login.oid
    or exists (select from pg_auth_members m where m.member = login.oid and m.roleid = r.oid)
  cross join lateral unnest(r.rolconfig) entry
  join pg_settings s on s.name = split_part(entry, '=', 1) and s.context = 'user'
  where login.rolname = '${LOGIN_ROLE}'`;

/** The roles that the API may assume: the login role is a member of them. */
export const TAKEABLE_ROLES = `
  select coalesce(json_agg(rolname), '[]') as result from pg_roles
  where rolname = '${LOGIN_ROLE}' or (not rolsuper and pg_has_role('${LOGIN_ROLE}', oid, 'MEMBER'))`;
