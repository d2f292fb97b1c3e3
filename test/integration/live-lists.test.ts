import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import { createLiveQuery, type LiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { useLocalSupabase } from '../support/local-supabase.ts';
import { openNodeSocket } from '../support/node-socket.ts';

type Columns<Row> = { readonly Row: Row; readonly Insert: Partial<Row>; readonly Update: Partial<Row> };
interface Database {
  readonly public: {
    readonly Tables: {
      readonly live_teams: Columns<{ readonly id: number; readonly name: string }>;
      readonly live_people: Columns<{
        readonly id: number;
        readonly team_id: number;
        readonly name: string;
        readonly share: number | null;
        readonly is_active: boolean;
      }> & {
        readonly Relationships: [
          {
            readonly foreignKeyName: 'live_people_team_id_fkey';
            readonly columns: ['team_id'];
            readonly isOneToOne: false;
            readonly referencedRelation: 'live_teams';
            readonly referencedColumns: ['id'];
          },
        ];
      };
      readonly live_things: Columns<{ readonly id: number | string; readonly name: string }>;
      readonly live_secrets: Columns<{ readonly id: number; readonly name: string }>;
    };
    readonly Views: {
      readonly live_active: { readonly Row: { readonly id: number; readonly label: string } };
    };
  };
}

const schema = `
  create table public.live_teams (id int primary key, name text not null);
  create table public.live_people (
    id int primary key, team_id int not null references public.live_teams, name text not null,
    share numeric, is_active boolean not null default true
  );
  create view public.live_active as select id, upper(name) as label from public.live_people where is_active;
  create function public.initial(public.live_people) returns text language sql stable as $$ select left($1.name, 1) $$;
  create table public.live_things (id bigint primary key, name text);
  create table public.live_secrets (id int primary key, name text);
  alter publication supabase_realtime set (publish = 'insert, update, delete');
  alter publication supabase_realtime add table public.live_people, public.live_things;
  insert into public.live_teams values (1, 'red'), (2, 'blue');
  notify pgrst, 'reload schema';`;

const getSupabase = useLocalSupabase({ port: 0 });
const closers: (() => void)[] = [];
beforeAll(() => getSupabase().database.exec(schema));
afterEach(async () => {
  closers.splice(0).forEach((close) => close());
  vi.restoreAllMocks();
  await sql(
    'delete from public.live_people; delete from public.live_things; delete from public.live_secrets',
  );
});

const sql = (statements: string) => getSupabase().database.exec(statements);

function openClients() {
  const { url, secretKey } = getSupabase();
  const platform = createPlatform({ openSocket: openNodeSocket });
  const clients = createSupabaseClients<Database>({ url, apiKey: secretKey, platform });
  closers.push(clients.close);
  return { ...clients, platform, channel: clients.realtime.channel('lists') };
}
/** Starts the list and waits until it is current. */
async function follow<Row>(list: LiveQuery<Row>) {
  closers.push(list.start());
  await expect.poll(() => list.getSnapshot().status).toBe('current');
  return { rows: () => list.getSnapshot().rows };
}

describe('a live list over the embedded server', () => {
  it('keeps joins, aliases, casts, spreads and computed columns of its query', async () => {
    await sql(`insert into live_people values (1, 1, 'Ada', 12345678901234567.89)`);
    const { rest, platform, channel } = openClients();
    const query = rest
      .from('live_people')
      .select('id, label:name, share::text, team:live_teams!inner(name), ...live_teams(team_name:name)')
      .order('id');
    const list = await follow(createLiveQuery({ platform, channel, query, key: 'id' }));
    const row = {
      id: 1,
      label: 'Ada',
      share: '12345678901234567.89',
      team: { name: 'red' },
      team_name: 'red',
    };
    await expect.poll(list.rows).toEqual([row]);
    await sql(`update live_people set name = 'Ava', team_id = 2 where id = 1`);
    const moved = { ...row, label: 'Ava', team: { name: 'blue' }, team_name: 'blue' };
    await expect.poll(list.rows).toEqual([moved]);
    await sql(`insert into live_people values (0, 1, 'Bob', 1)`);
    await expect
      .poll(list.rows)
      .toEqual([{ id: 0, label: 'Bob', share: '1', team: { name: 'red' }, team_name: 'red' }, moved]);
    await sql('delete from live_people where id = 1');
    await expect
      .poll(list.rows)
      .toEqual([{ id: 0, label: 'Bob', share: '1', team: { name: 'red' }, team_name: 'red' }]);
  });

  it('shows only rows that match, whatever the condition', async () => {
    await sql(`insert into live_people values (1, 1, 'Ada'), (2, 1, 'Bob'), (3, 2, 'Adele')`);
    const { rest, platform, channel } = openClients();
    const query = rest.from('live_people').select('id').ilike('name', 'a%');
    const inTeam = query.in('id', [1, 2, 4]);
    const list = await follow(createLiveQuery({ platform, channel, query: inTeam, key: 'id' }));
    await expect.poll(list.rows).toEqual([{ id: 1 }]);
    await sql(
      `insert into live_people values (4, 1, 'alan'), (5, 1, 'Amy'); update live_people set name = 'Zoe' where id = 1`,
    );
    await expect.poll(list.rows).toEqual([{ id: 4 }]);
    await sql(`update live_people set name = 'Anne' where id = 2`);
    await expect
      .poll(() =>
        list
          .rows()
          .map(({ id }) => id)
          .sort((a, b) => a - b),
      )
      .toEqual([2, 4]);
  });

  it('follows a view by the table below it', async () => {
    await sql(`insert into live_people values (1, 1, 'Ada'), (2, 1, 'Bob')`);
    const { rest, platform, channel } = openClients();
    const query = rest.from('live_active').select().order('id');
    const list = await follow(createLiveQuery({ platform, channel, query, key: 'id', table: 'live_people' }));
    await expect.poll(list.rows).toEqual([
      { id: 1, label: 'ADA' },
      { id: 2, label: 'BOB' },
    ]);
    await sql('update live_people set is_active = false where id = 1; delete from live_people where id = 2');
    await expect.poll(list.rows).toEqual([]);
  });

  it('distinguishes int8 keys as text, and refuses rounded ones', async () => {
    await sql(`insert into live_things values (1234567890123456789, 'one'), (1234567890123456790, 'two')`);
    const { rest, platform, channel } = openClients();
    const exact = await follow(
      createLiveQuery({
        platform,
        channel,
        query: rest.from('live_things').select('id::text, name').order('id'),
        key: 'id',
      }),
    );
    await sql(
      `update live_things set name = 'ONE' where name = 'one'; delete from live_things where name = 'two'`,
    );
    await expect.poll(exact.rows).toEqual([{ id: '1234567890123456789', name: 'ONE' }]);
    const rounded = createLiveQuery({
      platform,
      channel,
      query: rest.from('live_things').select('id, name'),
      key: 'id',
    });
    closers.push(rounded.start());
    await expect
      .poll(() => rounded.getSnapshot())
      .toMatchObject({ isCurrent: false, error: { code: 'invalid-row' } });
  });

  it('of a table that is not published has an error with the statement that publishes it, and is still read', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const { rest, platform, channel } = openClients();
    const list = createLiveQuery({
      platform,
      channel,
      query: rest.from('live_secrets').select(),
      key: 'id',
      intervalMs: 300,
    });
    closers.push(list.start());
    const statement = 'alter publication supabase_realtime add table public.live_secrets;';
    await expect.poll(() => list.getSnapshot().error?.message).toContain(statement);
    await sql(`insert into live_secrets values (1, 'new')`);
    await expect.poll(() => list.getSnapshot().rows).toHaveLength(1);
    expect(list.getSnapshot()).toMatchObject({ status: 'failed', isCurrent: false });
    expect(warn).toHaveBeenCalledTimes(1);
    await sql(statement);
    channel.join();
    await expect.poll(() => list.getSnapshot()).toMatchObject({ status: 'current', error: null });
  });

  it('is replaced by one with another filter on the channel, which is not joined again', async () => {
    await sql(`insert into live_people values (1, 1, 'Ada'), (2, 2, 'Bob')`);
    const { rest, realtime, platform, channel } = openClients();
    const joins: string[] = [];
    channel.subscribe(() => joins.push(channel.getSnapshot().status));
    const listOf = (isActive: boolean) =>
      createLiveQuery({
        platform,
        channel,
        query: rest.from('live_people').select('id').eq('team_id', 1).eq('is_active', isActive),
        key: 'id',
        immutableColumns: ['team_id'],
      });
    const active = listOf(true);
    const stop = active.start();
    await expect.poll(() => active.getSnapshot()).toMatchObject({ status: 'current', rows: [{ id: 1 }] });
    const inactive = await follow(listOf(false));
    stop();
    await sql('update live_people set is_active = false');
    await expect.poll(inactive.rows).toEqual([{ id: 1 }]);
    expect([joins.filter((status) => status === 'live').length, realtime.getChannels().length]).toEqual([
      1, 1,
    ]);
  });
});
