import { WebSocket } from 'ws';
import { createPlatform } from '../../../src/platform/browser-platform.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { adaptWebSocket } from '../../../src/platform/web-socket.ts';
import { createSupabaseClients } from '../../../src/clients/supabase-clients.ts';
import { createDatabaseBroadcast } from '../../../src/realtime-client/broadcast/database-broadcast.ts';
import type { Channel } from '../../../src/realtime-client/index.ts';
import { createLiveQuery, type LiveQuery } from '../../../src/realtime-client/live-query/live-query.ts';
import { expectedSql, listsOf, type ListName } from './storm-tables.ts';
import type { StormTarget } from './storm-target.ts';

/** The default interval between reads of a list, which passes only by {@link StormGroup.endInterval}. */
const intervalMs = 25_000;
const settings = {
  reconnectDelaysMs: [20, 100],
  heartbeatMs: 1_000,
  timeoutMs: 5_000,
  leaveGraceMs: 10,
  rateLimitDelayMs: 1_000,
};

/**
 * How long a list may be wrong while it reports to be current, as `docs/clients/live-lists.md` states it: an interval, and
 * the time that its changes and its read may take. In milliseconds.
 */
const boundMs = 30_000;

/** How long no request is in flight until the lists count as read: parsing and the tasks after it. In milliseconds. */
const idleForMs = 30;

export const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

interface StormList {
  readonly name: ListName;
  readonly channel: Channel;
  readonly list: LiveQuery<{ readonly id: unknown }>;
  /** Whether the server lets no change through, which the list has to report. */
  readonly isRefused: boolean;
}

/** The lists of one page, over tables that no other page uses. */
export interface StormGroup {
  /** Runs a statement on the group's tables. */
  write(sql: string): Promise<void>;
  /** Faults of this page: its network, its sockets and its clock. */
  readonly faults: readonly (() => void)[];
  recover(): void;
  /**
   * Lets the interval of every list pass, and waits until the lists have read. Returns those that report to be current
   * although their channel is not live, or although they have had other rows than the table for {@link boundMs}.
   */
  endInterval(): Promise<readonly unknown[]>;
  /** The lists that do not have the rows of the table, or do not report their state. */
  wrongLists(): readonly unknown[];
  /** The forms of the rows of each list. */
  readonly forms: () => ReadonlyMap<ListName, ReadonlySet<string>>;
  close(): void;
}

export async function openGroup(target: StormTarget, group: number): Promise<StormGroup> {
  const sockets = new Set<WebSocket>();
  let [isRestDown, aheadMs, requests] = [false, 0, 0];
  const intervals = new Set<() => void>();
  const base = createPlatform({
    report: () => {},
    openSocket(url) {
      const socket = new WebSocket(url);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return adaptWebSocket(socket);
    },
  });
  const platform: Platform = {
    ...base,
    clock: {
      ...base.clock,
      now: () => base.clock.now() + aheadMs,
      setTimer(run, delayMs) {
        if (delayMs !== intervalMs) return base.clock.setTimer(run, delayMs);
        intervals.add(run);
        return { cancel: () => void intervals.delete(run) };
      },
    },
    async fetch(input, init) {
      if (isRestDown) throw new TypeError('fetch failed');
      requests += 1;
      try {
        return await target.fetch(input, init);
      } finally {
        requests -= 1;
      }
    },
  };
  const clientsFor = (apiKey: string) =>
    createSupabaseClients({ url: target.url, apiKey, platform, realtime: { settings } });
  const [service, anonymous] = [clientsFor(target.secretKey), clientsFor(target.anonKey)];
  const lists = listsOf.map(([name, { select, options, by = 'changes', isHidden = false }]): StormList => {
    const { rest, realtime } = by === 'refused' ? anonymous : service;
    const channel =
      by === 'changes'
        ? realtime.channel(`${name}-${group}`)
        : realtime.channel(`storm-told-${group}`, { private: true });
    const list = createLiveQuery({
      platform,
      key: 'id',
      retryDelaysMs: [250],
      channel,
      query: select(rest, group),
      ...(by !== 'changes' && { source: createDatabaseBroadcast(channel) }),
      ...options?.(group),
    });
    return { name, channel, list, isRefused: isHidden || by === 'refused' };
  });
  /** As JSON. */
  let expected: ReadonlyMap<ListName, string> = new Map();
  const readExpected = async () => {
    const [row] = (await target.query(expectedSql(group))) as readonly Record<string, unknown>[];
    expected = new Map(lists.map(({ name }) => [name, JSON.stringify(row?.[name])]));
  };
  await readExpected();
  const forms = new Map<ListName, Set<string>>(lists.map(({ name }) => [name, new Set()]));
  const noteForms = ({ name, list }: StormList) => {
    for (const row of list.getSnapshot().rows) forms.get(name)?.add(Object.keys(row).join());
  };
  const hasRows = ({ name, list }: StormList) =>
    JSON.stringify(list.getSnapshot().rows) === expected.get(name);
  const untilIdle = async () => {
    for (let idleMs = 0; idleMs < idleForMs; idleMs = requests === 0 ? idleMs + 10 : 0) await pause(10);
  };
  const passInterval = async () => {
    const due = [...intervals];
    intervals.clear();
    due.forEach((run) => run());
    await untilIdle();
  };
  const isCurrent = ({ list }: StormList) => list.getSnapshot().isCurrent;
  const isWithoutChannel = (one: StormList) => isCurrent(one) && one.channel.getSnapshot().status !== 'live';
  const isWrong = (one: StormList) => isCurrent(one) && !hasRows(one);
  const describeLists = (wrong: readonly StormList[]) =>
    wrong.map(({ name, list }) => [group, name, list.getSnapshot(), expected.get(name)]);
  const isRight = (one: StormList) => {
    const { status, error } = one.list.getSnapshot();
    const isReported = one.isRefused ? status === 'failed' && error !== null : isCurrent(one);
    return hasRows(one) && isReported;
  };
  const stops = lists.flatMap((one) => [one.list.subscribe(() => noteForms(one)), one.list.start()]);
  return {
    async write(sql) {
      await target.query(sql);
      await readExpected();
    },
    faults: [
      () => void (isRestDown = !isRestDown),
      () => void (aheadMs += 3_600_000),
      () => void (aheadMs -= 7_200_000),
      () => sockets.forEach((socket) => socket.terminate()),
    ],
    recover() {
      isRestDown = false;
      aheadMs = 0;
    },
    async endInterval() {
      await passInterval();
      const wrong = lists.filter(isWrong);
      // A deletion in transit removes a row that was inserted again, until the insertion arrives or the next interval has
      // passed.
      if (wrong.length > 0) {
        await pause(boundMs - intervalMs);
        await passInterval();
      }
      return describeLists([...lists.filter(isWithoutChannel), ...wrong.filter(isWrong)]);
    },
    wrongLists: () => describeLists(lists.filter((one) => !isRight(one))),
    forms: () => forms,
    close() {
      stops.forEach((stop) => stop());
      service.close();
      anonymous.close();
    },
  };
}
