import * as fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { LocalSupabase } from 'local-supabase';
import { createBrowserPlatform } from '../../src/platform/browser-platform.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import { createDatabaseBroadcast } from '../../src/realtime-client/broadcast/database-broadcast.ts';
import {
  createLiveQuery,
  type LiveQuery,
  type LiveQueryOptions,
  type LiveSource,
} from '../../src/realtime-client/live-query/live-query.ts';
import { openNodeSocket } from './node-socket.ts';
import { useLocalSupabase } from './local-supabase.ts';

const intervalMs = 400;
/** For how long at most a list may be wrong while it says that it is current: the interval, a slow read, and a busy machine. */
const boundMs = 5_000;

const schema = `
  create table public.storm_teams (id int primary key, name text not null);
  create table public.storm_rows (
    id bigint primary key, team_id int not null references public.storm_teams, title text, is_open boolean not null
  );
  create view public.storm_open as select id, title from public.storm_rows where is_open;
  create table public.storm_hidden (id int primary key, title text);
  alter publication supabase_realtime set (publish = 'insert, update, delete');
  alter publication supabase_realtime add table public.storm_rows;
  create function public.storm_tell() returns trigger language plpgsql security definer as $$ begin
    perform realtime.broadcast_changes('storm-told', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
    return null;
  end $$;
  create trigger storm_tell after insert or update or delete on public.storm_rows
    for each row execute function public.storm_tell();
  insert into public.storm_teams values (1, 'red'), (2, 'blue');
  notify pgrst, 'reload schema';`;

/** Beyond 2⁵³, where JSON rounds neighbors to one number. */
const keys = ['9007199254740993', '9007199254740994', '9007199254740995'];
const key = fc.constantFrom(...keys);
const write = fc.oneof(
  fc
    .record({
      id: key,
      team: fc.constantFrom(1, 2),
      title: fc.constantFrom('a', 'ä', 'B'),
      isOpen: fc.boolean(),
    })
    .map(
      ({ id, team, title, isOpen }) =>
        `insert into storm_rows values (${id}, ${team}, '${title}', ${isOpen})
       on conflict (id) do update set team_id = excluded.team_id, title = excluded.title, is_open = excluded.is_open`,
    ),
  key.map((id) => `delete from storm_rows where id = ${id}`),
  fc
    .tuple(key, key)
    .map(
      ([from, to]) =>
        `update storm_rows set id = ${to} where id = ${from} and not exists (select from storm_rows where id = ${to})`,
    ),
  fc.constant(`insert into storm_hidden select coalesce(max(id), 0) + 1, 'new' from storm_hidden`),
);
type Fault = (faults: LocalSupabase['realtime']['faults'], rest: RestFaults, clock: JumpingClock) => unknown;
const faults: readonly Fault[] = [
  ({ dropSockets }) => dropSockets(),
  ({ crashChannels }) => crashChannels(),
  ({ requestDisconnect }) => requestDisconnect(),
  ({ expireTokens }) => expireTokens(),
  ({ setSlot }) => setSlot('ended'),
  ({ setSlot }) => setSlot('available'),
  ({ setMessageReplication }) => setMessageReplication(false),
  ({ setMessageReplication }) => setMessageReplication(true),
  (_faults, rest) => (rest.isDown = !rest.isDown),
  (_faults, _rest, clock) => (clock.aheadMs += 3_600_000),
  (_faults, _rest, clock) => (clock.aheadMs -= 7_200_000),
];
interface RestFaults {
  isDown: boolean;
}
interface JumpingClock {
  aheadMs: number;
}
const step = fc.oneof(
  { weight: 5, arbitrary: write.map((sql) => ({ sql })) },
  { weight: 1, arbitrary: fc.constantFrom(...faults).map((fault) => ({ fault })) },
  { weight: 2, arbitrary: fc.constantFrom(0, 5, 40, 250).map((pauseMs) => ({ pauseMs })) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface StormList {
  readonly name: string;
  readonly list: LiveQuery<object>;
  /** The rows that the list should have, as the same query reads them. */
  readonly read: () => Promise<readonly object[]>;
  readonly isPublished: boolean;
}

function openLists({ url, secretKey, fetch }: LocalSupabase, rest: RestFaults, clock: JumpingClock) {
  const base = createBrowserPlatform({ openSocket: openNodeSocket, report: () => {} });
  const platform: Platform = {
    ...base,
    clock: { ...base.clock, now: () => base.clock.now() + clock.aheadMs },
    fetch: (input, init) =>
      rest.isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init),
  };
  const settings = { reconnectDelaysMs: [20], leaveGraceMs: 10, liveTimeoutMs: 3_000, timeoutMs: 2_000 };
  const clients = createSupabaseClients({ url, apiKey: secretKey, platform, realtime: { settings } });
  // The expected rows are read beside the faults.
  const truth = createSupabaseClients({ url, apiKey: secretKey, platform: { ...base, fetch } });
  const options = { platform, key: 'id', intervalMs, retryDelaysMs: [50] } as const;
  type Rest = typeof clients.rest;
  const open = <Row extends { readonly id: unknown }>(
    name: string,
    select: (rest: Rest) => LiveSource<Row>,
    more: Partial<LiveQueryOptions<Row>> = {},
  ): StormList => {
    const channel = clients.realtime.channel(name);
    const list = createLiveQuery<Row>({ ...options, channel, query: select(clients.rest), ...more });
    const { signal } = new AbortController();
    const read = () => select(truth.rest).execute({ signal });
    return { name, list, read, isPublished: name !== 'hidden' };
  };
  const joined = (from: Rest) =>
    from.from('storm_rows').select('id::text, label:title, team:storm_teams!inner(name)').order('id');
  const filtered = (from: Rest) =>
    from
      .from('storm_rows')
      .select('id::text, title')
      .eq('team_id', 1)
      .eq('is_open', true)
      .order('title')
      .order('id');
  const told = clients.realtime.channel('storm-told', { private: true });
  return {
    lists: [
      open('joined', joined),
      open('filtered', filtered),
      open('limited', (from) => joined(from).limit(2)),
      open('view', (from) => from.from('storm_open').select('id::text, title').order('id'), {
        table: 'storm_rows',
      }),
      open('told', joined, { channel: told, source: createDatabaseBroadcast(told) }),
      open('hidden', (from) => from.from('storm_hidden').select('id, title').order('id')),
    ],
    close() {
      clients.close();
      truth.close();
    },
  };
}

/** Watches for how long a list is wrong while it says that it is current, and whether it has rows of another form. */
function watch({ list, name }: StormList, expected: () => readonly object[]) {
  let since: number | null = null;
  let longestMs = 0;
  const forms = new Set<string>();
  const look = () => {
    const { rows, isCurrent } = list.getSnapshot();
    for (const row of rows) forms.add(Object.keys(row).join());
    const isLie = isCurrent && JSON.stringify(rows) !== JSON.stringify(expected());
    since = isLie ? (since ?? performance.now()) : null;
    if (since !== null) longestMs = Math.max(longestMs, performance.now() - since);
  };
  const timer = setInterval(look, 10);
  const stop = list.subscribe(look);
  return {
    longestMs: () => longestMs,
    forms: () => ({ name, forms: [...forms] }),
    stop() {
      clearInterval(timer);
      stop();
    },
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** Describes the tests of as many random schedules of writes and faults over the embedded server's real websocket. */
export function describeStorm(schedules: number): void {
  const getSupabase = useLocalSupabase({ port: 0 });
  beforeAll(() => getSupabase().database.exec(schema));

  describe('live lists over a real websocket', () => {
    it(`are never wrong and current for longer than ${boundMs} ms, nor silent, nor of another form, in ${schedules} storms`, async () => {
      vi.spyOn(console, 'warn').mockReturnValue();
      const supabase = getSupabase();
      const [rest, clock] = [{ isDown: false }, { aheadMs: 0 }];
      const { lists, close } = openLists(supabase, rest, clock);
      const expected = new Map<StormList, readonly object[]>();
      const readExpected = async () => {
        const read = await Promise.all(lists.map((one) => one.read()));
        lists.forEach((one, index) => expected.set(one, read[index] ?? []));
      };
      await readExpected();
      const watches = lists.map((one) => watch(one, () => expected.get(one) ?? []));
      const stops = lists.map(({ list }) => list.start());
      const run = async (next: Step) => {
        if ('pauseMs' in next) return pause(next.pauseMs);
        if ('fault' in next) return next.fault(supabase.realtime.faults, rest, clock);
        await supabase.database.exec(next.sql);
        return readExpected();
      };
      const recover = async () => {
        rest.isDown = false;
        clock.aheadMs = 0;
        await supabase.realtime.faults.setSlot('available');
        supabase.realtime.faults.setMessageReplication(true);
      };
      const isRight = (one: StormList) => {
        const { rows, isCurrent, status, error } = one.list.getSnapshot();
        const isKnown = one.isPublished ? isCurrent : status === 'failed' && error !== null;
        return isKnown && JSON.stringify(rows) === JSON.stringify(expected.get(one));
      };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (storm) => {
          for (const next of storm) await run(next);
          await recover();
          const endMs = performance.now() + 30_000;
          while (!lists.every(isRight) && performance.now() < endMs) await pause(10);
          expect(
            lists.filter((one) => !isRight(one)).map(({ name, list }) => [name, list.getSnapshot()]),
          ).toEqual([]);
          expect(Math.max(...watches.map((one) => one.longestMs()))).toBeLessThanOrEqual(boundMs);
        }),
        { numRuns: schedules, endOnFailure: true },
      );
      // A list that had no row in any storm has no form.
      for (const one of watches) expect(one.forms().forms.length).toBeLessThanOrEqual(1);
      watches.forEach((one) => one.stop());
      stops.forEach((stop) => stop());
      close();
    }, 3_600_000);
  });
}
