import { dehydrate, hydrate } from '@tanstack/react-query';
import type { DehydratedState, Query, QueryClient } from '@tanstack/react-query';
import { clear, delMany, get, keys, promisifyRequest, set } from 'idb-keyval';
import type { UseStore } from 'idb-keyval';
import type { Clock, Page, Timer } from '../../platform/platform.ts';
import { cacheDatabaseName } from './forget-kept-data.ts';
import { discardMs } from './query-client.ts';

/** The data cache in IndexedDB, so that a reload shows the last state at once. */
export interface QueryPersistence {
  /** Restores the cache and then persists its changes. Never rejects: without storage nothing is persisted. */
  start(): Promise<void>;
  /** Stops persisting. */
  close(): void;
  /** Stops persisting, and deletes the persisted caches of all users. */
  wipe(): Promise<void>;
}

export interface QueryPersistenceOptions {
  readonly queryClient: QueryClient;
  readonly userId: string;
  /** The session that the cache belongs to; another one, also of the same user, starts with an empty cache. */
  readonly sessionId: string;
  readonly clock: Clock;
  readonly page: Page;
  readonly report: (problem: unknown) => void;
  /** Which results to persist. Default: all that succeeded. */
  readonly shouldKeep?: (query: Query) => boolean;
}

interface Kept {
  readonly format: number;
  readonly sessionId: string;
  readonly keptAtMs: number;
  readonly state: DehydratedState;
}

const storeName = 'users';
/** Increase it when the persisted shape changes: older copies are then deleted. */
const format = 2;
const writeDelayMs = 1_000;

export function createQueryPersistence(options: QueryPersistenceOptions): QueryPersistence {
  const { queryClient, userId, sessionId, clock, page, report, shouldKeep = () => true } = options;
  const store = openStore();
  let timer: Timer | null = null;
  let isClosed = false;
  const endings: (() => void)[] = [];

  /** Without storage the cache lives in memory only. */
  const attempt = async (act: () => Promise<void>) => {
    try {
      await act();
    } catch (problem) {
      report(problem);
    }
  };
  const write = async () => {
    timer?.cancel();
    timer = null;
    if (isClosed) return;
    const state = dehydrate(queryClient, {
      shouldDehydrateQuery: (query) => query.state.status === 'success' && shouldKeep(query),
      shouldDehydrateMutation: () => false,
    });
    const kept: Kept = { format, sessionId, keptAtMs: clock.now(), state };
    await attempt(() => set(userId, kept, store));
  };
  const close = () => {
    isClosed = true;
    timer?.cancel();
    for (const end of endings) end();
  };

  return {
    async start() {
      await attempt(async () => {
        const kept = await get<Kept>(userId, store);
        const ageMs = kept ? clock.now() - kept.keptAtMs : 0;
        const isUsable =
          kept?.format === format && kept.sessionId === sessionId && ageMs >= 0 && ageMs < discardMs;
        // Nothing that this session may not use stays on the device.
        const unusable = (await keys(store)).filter((key) => !isUsable || key !== userId);
        if (unusable.length > 0) await delMany(unusable, store);
        if (kept && isUsable && !isClosed) hydrate(queryClient, kept.state);
      });
      if (isClosed) return;
      endings.push(
        queryClient.getQueryCache().subscribe(({ type }) => {
          if (type === 'updated' || type === 'removed')
            timer ??= clock.setTimer(() => void write(), writeDelayMs);
        }),
        page.subscribe((signal) => {
          if (signal === 'hidden' && timer) void write();
        }),
      );
    },
    close,
    async wipe() {
      close();
      await attempt(() => clear(store));
    },
  };
}

/** Closes the connection when another page deletes the database, and reopens it at the next use. */
function openStore(): UseStore {
  let opened: Promise<IDBDatabase> | null = null;
  const forget = () => {
    opened = null;
  };
  const open = () => {
    opened ??= openDatabase(forget);
    // The caller sees the rejection; the next use opens the database again.
    opened.catch(forget);
    return opened;
  };
  void open();
  return async (mode, use) => use((await open()).transaction(storeName, mode).objectStore(storeName));
}

async function openDatabase(onGone: () => void): Promise<IDBDatabase> {
  const request = indexedDB.open(cacheDatabaseName);
  request.onupgradeneeded = () => request.result.createObjectStore(storeName);
  const database = await promisifyRequest(request);
  database.onclose = onGone;
  database.onversionchange = () => {
    database.close();
    onGone();
  };
  return database;
}
