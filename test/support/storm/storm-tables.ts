import type { SupabaseClients } from '../../../src/clients/supabase-clients.ts';
import type { LiveQueryOptions, LiveSource } from '../../../src/realtime-client/live-query/live-query.ts';

type Rest = SupabaseClients['rest'];

export const sharedSchema = `
  create table if not exists public.storm_teams (id int primary key, name text not null);
  insert into public.storm_teams values (1, 'red'), (2, 'blue') on conflict do nothing;
  grant select on public.storm_teams to anon, service_role;
  alter publication supabase_realtime set (publish = 'insert, update, delete');
  create or replace function public.storm_tell() returns trigger language plpgsql security definer as $$ begin
    perform realtime.broadcast_changes(tg_argv[0], tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
    return null;
  end $$;`;

/** The tables of one group of lists, whose writes concern no other group. */
export const groupSchema = (group: number) => `
  drop table if exists public.storm_rows_${group}, public.storm_hidden_${group} cascade;
  create table public.storm_rows_${group} (
    id bigint primary key, team_id int not null references public.storm_teams, title text, is_open boolean not null,
    tenant int not null
  );
  create view public.storm_open_${group} as select id, title from public.storm_rows_${group} where is_open;
  create table public.storm_hidden_${group} (id int primary key, title text);
  grant select on public.storm_rows_${group}, public.storm_open_${group}, public.storm_hidden_${group} to anon, service_role;
  alter publication supabase_realtime add table public.storm_rows_${group};
  create trigger storm_tell after insert or update or delete on public.storm_rows_${group}
    for each row execute function public.storm_tell('storm-told-${group}');`;

interface ListKind {
  /** The query of the list. */
  select(rest: Rest, group: number): LiveSource<{ readonly id: unknown }>;
  /** The same rows by SQL, as one JSON array. */
  sql(group: number): string;
  options?(group: number): Partial<LiveQueryOptions<{ readonly id: unknown }>>;
  /** How the changes arrive. Default `changes`. `refused`: by broadcasts that the user may not receive. */
  readonly by?: 'changes' | 'broadcasts' | 'refused';
  /** Whether the server refuses the subscription, because the table is not published. */
  readonly isHidden?: true;
}

const arrayOf = (row: string, from: string, order = 'r.id') =>
  `(select coalesce(json_agg(row_of order by ${order}), '[]') from (select r.*, json_build_object(${row}) as row_of from ${from}) r)`;
const joinedRow = "'id', r.id::text, 'label', r.title, 'team', json_build_object('name', t.name)";
const joinedRows = (group: number) =>
  `public.storm_rows_${group} r join public.storm_teams t on t.id = r.team_id`;
const plainRow = "'id', r.id::text, 'title', r.title";
const joined = (rest: Rest, group: number) =>
  rest
    .from(`storm_rows_${group}`)
    .select('id::text, label:title, team:storm_teams!inner(name)')
    .order('id') as LiveSource<{ readonly id: unknown }>;
const plain = (rest: Rest, group: number) => rest.from(`storm_rows_${group}`).select('id::text, title');
const joinedSql = (group: number) => arrayOf(joinedRow, joinedRows(group));

export const listKinds = {
  joined: { select: joined, sql: joinedSql },
  filtered: {
    select: (rest, group) =>
      plain(rest, group).eq('team_id', 1).eq('is_open', true).order('title').order('id'),
    sql: (group) =>
      arrayOf(plainRow, `public.storm_rows_${group} r where r.team_id = 1 and r.is_open`, 'r.title, r.id'),
  },
  own: {
    select: (rest, group) => plain(rest, group).eq('tenant', 1).order('id'),
    sql: (group) => arrayOf(plainRow, `public.storm_rows_${group} r where r.tenant = 1`),
    options: () => ({ immutableColumns: ['tenant'] }),
  },
  limited: {
    select: (rest, group) => plain(rest, group).order('id').limit(2),
    sql: (group) => arrayOf(plainRow, `(select * from public.storm_rows_${group} order by id limit 2) r`),
  },
  view: {
    select: (rest, group) => rest.from(`storm_open_${group}`).select('id::text, title').order('id'),
    sql: (group) => arrayOf(plainRow, `public.storm_open_${group} r`),
    options: (group) => ({ table: `storm_rows_${group}` }),
  },
  sent: { select: joined, sql: joinedSql, by: 'broadcasts' },
  refused: { select: joined, sql: joinedSql, by: 'refused' },
  hidden: {
    select: (rest, group) => rest.from(`storm_hidden_${group}`).select('id, title').order('id'),
    sql: (group) => arrayOf("'id', r.id, 'title', r.title", `public.storm_hidden_${group} r`),
    isHidden: true,
  },
} satisfies Readonly<Record<string, ListKind>>;

export type ListName = keyof typeof listKinds;

export const listsOf = Object.entries(listKinds) as readonly (readonly [ListName, ListKind])[];

/** One row with the rows that each list of the group should have. */
export const expectedSql = (group: number) =>
  `select ${listsOf.map(([name, { sql }]) => `${sql(group)} as ${name}`).join(', ')}`;
