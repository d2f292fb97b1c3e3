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

export class InboxReader {
  readonly #options: InboxReaderOptions;
  readonly #missing = new Set<string>();
  /** Ends the read of a search that a later one supersedes. */
  #search = new AbortController();
  #isClosed = false;

  constructor(options: InboxReaderOptions) {
    this.#options = options;
  }

  /** Reads the loaded part of the whole list and of the shown one again. */
  async readLists(): Promise<void> {
    const { store, platform } = this.#options;
    store.patch({ isReading: true });
    try {
      const { filter, windows } = store.getState();
      const key = encodeFilter(filter);
      const isOwnNeeded =
        key !== encodeFilter(unfiltered) &&
        (windows[key] !== undefined || !selectWindow(store.getState(), filter)?.isComplete);
      await Promise.all([this.#readHead(unfiltered), isOwnNeeded && this.#readHead(filter)]);
      store.patch({ isVerified: true, asOfMs: platform.clock.now() });
      // The filter may have changed during the read.
      await this.#readMissing();
      store.patch({ problem: null });
    } catch (error) {
      if (this.#isClosed || isSuperseded(error)) return;
      platform.report(error);
      throw error;
    } finally {
      store.patch({ isReading: false });
    }
  }

  async loadMore(): Promise<void> {
    const { store } = this.#options;
    const state = store.getState();
    const window = selectWindow(state, state.filter);
    if (!window || window.isComplete || store.getSnapshot().isReadingMore) return;
    store.patch({ isReadingMore: true });
    const { filter } = state;
    await this.#guard(() => this.#readPage(filter, window.end, pageSize));
    store.patch({ isReadingMore: false });
    // A page that was read across a gap is dropped: read it again, because no further scroll may request it.
    if (store.getState().gapAt > state.sequence) await this.loadMore();
  }

  /** Reads the filter's list unless a loaded list covers it. */
  async ensure(): Promise<void> {
    const { store } = this.#options;
    this.#search.abort();
    this.#search = new AbortController();
    store.patch({ isReading: true });
    const { signal } = this.#search;
    await this.#guard(() => this.#readMissing());
    // A later search is still being read.
    if (!signal.aborted) store.patch({ isReading: false });
  }

  close(): void {
    this.#isClosed = true;
  }

  async #readPage(filter: NotificationFilter, after: Cursor | null, limit: number): Promise<void> {
    const { api, store } = this.#options;
    const { sequence: since } = store.getState();
    store.dispatch({ type: 'read-started' });
    try {
      const request = { after, limit, ...(filter.query && { signal: this.#search.signal }) };
      const { notifications: rows, isLast } = await api.list(filter, request);
      if (!this.#isClosed) store.dispatch({ type: 'page', filter, after, rows, isLast, since });
    } finally {
      store.dispatch({ type: 'read-ended' });
    }
  }

  #readHead(filter: NotificationFilter): Promise<void> {
    const { rows, windows } = this.#options.store.getState();
    const window = windows[encodeFilter(filter)];
    const known =
      window?.ids?.size ??
      (window ? [...rows.values()].filter((row) => windowCovers(window, row)).length : 0);
    const longest = filter.query ? longestSearch : longestRead;
    const limit = Math.min(longest, Math.max(1, Math.ceil(known / pageSize)) * pageSize);
    return this.#readPage(filter, null, limit);
  }

  /** Reads the filter's list from the end of the loaded list that contains it. */
  async #readMissing(): Promise<void> {
    const state = this.#options.store.getState();
    const { filter } = state;
    const key = encodeFilter(filter);
    const window = selectWindow(state, filter);
    if (state.windows[key] || this.#missing.has(key) || window?.isComplete) return;
    this.#missing.add(key);
    try {
      await this.#readPage(filter, window?.end ?? null, pageSize);
    } finally {
      this.#missing.delete(key);
    }
  }

  async #guard(read: () => Promise<void>): Promise<void> {
    const { store, platform } = this.#options;
    try {
      await read();
      if (store.getSnapshot().problem) store.patch({ problem: null });
    } catch (error) {
      if (this.#isClosed || isSuperseded(error)) return;
      store.patch({ problem: error });
      platform.report(error);
    }
  }
}

/** Whether the read belongs to a search that a later one superseded. */
function isSuperseded(error: unknown): boolean {
  return error instanceof RestError && error.code === 'aborted';
}
