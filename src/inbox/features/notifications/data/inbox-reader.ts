import type { Platform } from 'supabase-protocol-clients/platform';
import { RestError } from 'supabase-protocol-clients/rest-client';
import type { InboxStore } from './inbox-store.ts';
import { selectWindow } from '../model/inbox-view.ts';
import { unfiltered, encodeFilter, type NotificationFilter } from '../model/notification-filter.ts';
import type { NotificationsApi } from './notifications-api.ts';
import { windowCovers } from '../model/list-window.ts';
import type { Cursor } from '../model/notification.ts';

export const pageSize = 30;
/** Rows of one refresh; PostgREST's usual limit is 1,000. */
const longestRead = 990;
const longestSearch = 90;
export interface InboxReaderOptions {
  readonly api: NotificationsApi;
  readonly store: InboxStore;
  readonly platform: Pick<Platform, 'clock' | 'report'>;
}

export function createInboxReader({ api, store, platform }: InboxReaderOptions) {
  const { report } = platform;
  let isClosed = false;
  /** Ends the read of a search that a later one supersedes. */
  let search = new AbortController();
  const missing = new Set<string>();

  const readPage = async (filter: NotificationFilter, after: Cursor | null, limit: number) => {
    const { sequence: since } = store.getState();
    store.dispatch({ type: 'read-started' });
    try {
      const request = { after, limit, ...(filter.query && { signal: search.signal }) };
      const { notifications: rows, isLast } = await api.list(filter, request);
      if (!isClosed) store.dispatch({ type: 'page', filter, after, rows, isLast, since });
    } finally {
      store.dispatch({ type: 'read-ended' });
    }
  };

  const readHead = (filter: NotificationFilter) => {
    const { rows } = store.getState();
    const window = store.getState().windows[encodeFilter(filter)];
    const known =
      window?.ids?.size ??
      (window ? [...rows.values()].filter((row) => windowCovers(window, row)).length : 0);
    const longest = filter.query ? longestSearch : longestRead;
    const limit = Math.min(longest, Math.max(1, Math.ceil(known / pageSize)) * pageSize);
    return readPage(filter, null, limit);
  };

  /** Reads the filter's list from the end of the loaded list that contains it. */
  const readMissing = async () => {
    const state = store.getState();
    const { filter } = state;
    const key = encodeFilter(filter);
    if (state.windows[key] || missing.has(key) || selectWindow(state, filter)?.isComplete) return;
    const after = selectWindow(state, filter)?.end ?? null;
    missing.add(key);
    try {
      await readPage(filter, after, pageSize);
    } finally {
      missing.delete(key);
    }
  };

  const guard = async (read: () => Promise<unknown>) => {
    try {
      await read();
      if (store.getSnapshot().problem) store.patch({ problem: null });
    } catch (error) {
      if (isClosed || isSuperseded(error)) return;
      store.patch({ problem: error });
      report(error);
    }
  };

  const loadMore = async (): Promise<void> => {
    const state = store.getState();
    const window = selectWindow(state, state.filter);
    if (!window || window.isComplete || store.getSnapshot().isReadingMore) return;
    store.patch({ isReadingMore: true });
    const { filter } = state;
    await guard(() => readPage(filter, window.end, pageSize));
    store.patch({ isReadingMore: false });
    // A page that was read across a gap is dropped: read it again, because no further scroll may request it.
    if (store.getState().gapAt > state.sequence) await loadMore();
  };

  return {
    /** Reads the loaded part of the whole list and of the shown one again. */
    async readLists() {
      store.patch({ isReading: true });
      try {
        const { filter, windows } = store.getState();
        const key = encodeFilter(filter);
        const isOwnNeeded =
          key !== encodeFilter(unfiltered) &&
          (windows[key] !== undefined || !selectWindow(store.getState(), filter)?.isComplete);
        await Promise.all([readHead(unfiltered), isOwnNeeded && readHead(filter)]);
        store.patch({ isVerified: true, asOfMs: platform.clock.now() });
        // The filter may have changed during the read.
        await readMissing();
        store.patch({ problem: null });
      } catch (error) {
        if (isClosed || isSuperseded(error)) return;
        report(error);
        throw error;
      } finally {
        store.patch({ isReading: false });
      }
    },
    loadMore,
    /** Reads the filter's list unless a loaded list covers it. */
    async ensure() {
      search.abort();
      search = new AbortController();
      store.patch({ isReading: true });
      const { signal } = search;
      await guard(readMissing);
      // A later search is still being read.
      if (!signal.aborted) store.patch({ isReading: false });
    },
    close() {
      isClosed = true;
    },
  };
}

/** Whether the read belongs to a search that a later one superseded. */
function isSuperseded(error: unknown): boolean {
  return error instanceof RestError && error.code === 'aborted';
}
