import type { ConformanceTarget } from '../target/target.ts';
import { at } from '../target/wire.ts';

/** The schema is that of `apply.sql`, and `remove.sql` drops it. Subscribers to all of `public` receive nothing of it. */
const TABLES = `
create table audit_schema.values (
  id int primary key, n numeric, f float8, r real, b bytea, c char(5), bits bit(3), more_bits varbit,
  codes char(3)[], j json, t timestamp, z timestamptz, u interval, texts text[], range int4range, numbers numeric[],
  bytes_list bytea[], address inet, o oid, "odd name" int, long_text text
);
alter table audit_schema.values alter column long_text set storage external;
create table audit_schema.whole (id int primary key, a text, b text, c text, n int);
alter table audit_schema.whole replica identity full;
create table audit_schema.keyless (id int, a text);
alter table audit_schema.keyless replica identity full;
create table audit_schema.guarded (id int primary key, a text);
alter table audit_schema.guarded replica identity full;
alter table audit_schema.guarded enable row level security;
grant usage on schema audit_schema to authenticated, service_role;
grant select on audit_schema.whole to service_role;
grant select on audit_schema.values, audit_schema.whole, audit_schema.keyless, audit_schema.guarded to authenticated;
alter publication supabase_realtime
  add table audit_schema.values, audit_schema.whole, audit_schema.keyless, audit_schema.guarded;
`;

/**
 * Publishes tables of many types and replica identities for the audits of changes, in a database that is theirs to
 * change. The realtime service subscribes every channel again when it notices them, so it is called before a run.
 */
export async function createChangeTables({
  createsTables,
  realtimeUrl,
  query,
}: ConformanceTarget): Promise<void> {
  if (createsTables !== true || realtimeUrl === null || !query) return;
  const [found] = (await query(
    `select to_regclass('audit_schema.values')::text as name,
       exists (select from pg_publication where pubname = 'supabase_realtime') as published`,
  )) as readonly unknown[];
  if (at(found, 'name') === null && at(found, 'published') === true)
    await query(`do $create$ begin create schema if not exists audit_schema; ${TABLES} end $create$`);
}
