import { dehydrate, hydrate } from '@tanstack/react-query';
import type { DehydratedState, Query, QueryClient } from '@tanstack/react-query';
import { clear, get, promisifyRequest, set } from 'idb-keyval';
import type { UseStore } from 'idb-keyval';
import type { Clock, Page, Timer } from '../../platform/platform.ts';
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
  readonly clock: Clock;
  readonly page: Page;
  readonly report: (problem: unknown) => void;
  /** Which results to persist. Default: all that succeeded. */
  readonly shouldKeep?: (query: Query) => boolean;
}

interface Kept {
  readonly format: number;
  readonly keptAtMs: number;
  readonly state: DehydratedState;
}

const databaseName = 'inbox-cache';
const storeName = 'users';
/** Increase it when the persisted shape changes: older copies are then deleted. */
const format = 1;
const writeDelayMs = 1_000;

export function createQueryPersistence(options: QueryPersistenceOptions): QueryPersistence {
  const { queryClient, userId, clock, page, report, shouldKeep = () => true } = options;
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
    const kept: Kept = { format, keptAtMs: clock.now(), state };
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
        const isFresh = kept?.format === format && clock.now() - kept.keptAtMs < discardMs;
        if (kept && isFresh && !isClosed) hydrate(queryClient, kept.state);
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

/** Deletes the persisted caches of all users, also where no cache is open, such as on a public page. */
export function forgetKeptQueries(): Promise<void> {
  return clear(openStore());
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
  const request = indexedDB.open(databaseName);
  request.onupgradeneeded = () => request.result.createObjectStore(storeName);
  const database = await promisifyRequest(request);
  database.onclose = onGone;
  database.onversionchange = () => {
    database.close();
    onGone();
  };
  return database;
}
