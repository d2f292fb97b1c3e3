import {
  createLiveQuery,
  type LiveQueryOptions,
  type LiveSource,
} from '../../../src/realtime-client/live-query/live-query.ts';
import type { LivePlan } from '../../../src/realtime-client/live-query/live-source.ts';
import { createScriptedScene } from './scripted-realtime.ts';

/** A read of a live query, to which the test responds. */
export interface PendingRead<Row> {
  /** The keys to which the query was narrowed, by column; empty for the whole list. */
  readonly narrowed: Readonly<Record<string, readonly unknown[]>>;
  readonly signal: AbortSignal;
  resolve(rows: readonly Row[]): void;
  reject(problem: unknown): void;
}

/** A query whose executions are handled by `execute`. */
export function createQuery<Row>(
  plan: Partial<LivePlan>,
  execute: (narrowed: PendingRead<Row>['narrowed'], signal: AbortSignal) => Promise<readonly Row[]>,
): LiveSource<Row> {
  const narrow = (narrowed: PendingRead<Row>['narrowed']): LiveSource<Row> => ({
    plan: { path: 'notifications', filters: [], order: [], ...plan },
    execute: ({ signal }) => execute(narrowed, signal),
    in: (column, values) => narrow({ ...narrowed, [column]: values }),
  });
  return narrow({});
}

/** A query of a table that `read` reads whole. */
export function createTableQuery<Row extends object>(
  read: () => readonly Row[] | Promise<readonly Row[]>,
  plan: Partial<LivePlan> = {},
): LiveSource<Row> {
  return createQuery(plan, async (narrowed) => {
    const rows = await read();
    const isNarrowedTo = (row: Row) =>
      Object.entries(narrowed).every(([column, values]) => values.includes(Reflect.get(row, column)));
    return rows.filter(isNarrowedTo);
  });
}

export interface SceneOptions<Row extends object> extends Partial<LiveQueryOptions<Row>> {
  readonly plan?: Partial<LivePlan>;
}

/** A started live query of `notifications`, to whose reads the test responds, over a server whose frames the test writes. */
export async function openLiveQuery<Row extends object>({
  plan = {},
  ...overrides
}: SceneOptions<Row> & Pick<LiveQueryOptions<Row>, 'key'>) {
  const scene = createScriptedScene({ settings: { heartbeatMs: 3_600_000 } });
  const { world, server } = scene;
  const reads: PendingRead<Row>[] = [];
  const channel = scene.client.channel('user:ada');
  const query = createLiveQuery<Row>({
    channel,
    platform: scene.tab,
    query: createQuery<Row>(
      plan,
      (narrowed, signal) =>
        new Promise((resolve, reject) => void reads.push({ narrowed, signal, resolve, reject })),
    ),
    isEager: false,
    ...overrides,
  });
  const stop = query.start();
  server.open();
  await world.settle();
  return {
    ...scene,
    channel,
    query,
    reads,
    stop,
    rows: () => query.getSnapshot().rows,
    status: () => query.getSnapshot().status,
    /** The server accepts the join and confirms the subscription. */
    async confirm() {
      server.acceptJoin();
      server.confirm();
      await world.settle();
    },
    /** Responds to the last read. */
    async respond(rows: readonly Row[]) {
      reads.at(-1)?.resolve(rows);
      await world.settle();
    },
    /** Sends changes, and passes the time until the list may read again. */
    async change(...changes: readonly Readonly<Record<string, unknown>>[]) {
      changes.forEach((data) => server.change(data));
      await world.clock.advance(200);
    },
    advance: (ms: number) => world.clock.advance(ms),
  };
}
