import { createLiveRows, type LiveRows } from 'supabase-protocol-clients/realtime-client/live-query';
import type { ListWindows } from './list-window.ts';
import type { Cursor, Notification } from './notification.ts';
import type { NotificationCounts } from './notification-counts.ts';
import { unfiltered, type NotificationFilter } from './notification-filter.ts';
import type { NotificationOperation } from './notification-operation.ts';

/** The client's copy of the inbox: loaded rows, how far each list was read, and what is not confirmed yet. */
export interface NotificationsState extends LiveRows<Notification> {
  /** How far each filter's list has been read, by `encodeFilter`. */
  readonly windows: ListWindows;
  /** The server's own counts; null before the first response. */
  readonly totals: NotificationCounts | null;
  /** The server's time of the totals: a row of this version or an older one is counted in them. null: unknown. */
  readonly totalsAsOf: string | null;
  /** Whether an event changed the totals by an unknown amount, so that they must be read again. */
  readonly areTotalsStale: boolean;
  /** Operations that the server has not confirmed, oldest first. */
  readonly operations: readonly NotificationOperation[];
  readonly filter: NotificationFilter;
  /** Ids that were unread while a list of unread ones is shown; they stay listed until the filter changes. */
  readonly kept: ReadonlySet<string>;
  /** The sequence of the last gap: reads in flight at that time may be stale. */
  readonly gapAt: number;
  /** Ids whose deletion is certain: responses and changes in transit do not restore them. */
  readonly deleted: ReadonlySet<string>;
  /** The sequence of the last live change that may alter the results of the shown search; 0: none. */
  readonly resultsChangedAt: number;
}

export type NotificationChange =
  | { readonly type: 'insert' | 'update'; readonly notification: Notification }
  | { readonly type: 'remove'; readonly id: string };

export type NotificationsEvent =
  | { readonly type: 'read-started' | 'read-ended' }
  /** The persisted list of an earlier visit; ignored once a list was read. */
  | { readonly type: 'restored'; readonly persisted: PersistedNotifications }
  | {
      readonly type: 'page';
      readonly filter: NotificationFilter;
      /** The page follows this one; null: it is the head of the list. */
      readonly after: Cursor | null;
      readonly rows: readonly Notification[];
      readonly isLast: boolean;
      /** `sequence` when the read began. */
      readonly since: number;
    }
  /**
   * The changes since an earlier response, with the totals of the same moment. `since`: `sequence` when the request began.
   */
  | {
      readonly type: 'synced';
      readonly changes: readonly NotificationChange[];
      readonly totals: NotificationCounts;
      /** The server's time of the totals; null: unknown. */
      readonly asOf: string | null;
      readonly since: number;
      /** Whether changes are missing, so that rows that the next read does not cover are evicted. */
      readonly isReset: boolean;
    }
  | { readonly type: 'changes'; readonly changes: readonly NotificationChange[] }
  | { readonly type: 'started'; readonly operation: NotificationOperation }
  /** Confirmed. `rows` is the response, if any; a row missing from it was deleted. */
  | { readonly type: 'done'; readonly id: string; readonly rows?: readonly Notification[] }
  /** Failed or undone: the list shows its earlier state again. */
  | { readonly type: 'dropped'; readonly id: string }
  | { readonly type: 'filtered'; readonly filter: NotificationFilter }
  /** Time has passed: snoozed notifications that are due return to the inbox. */
  | { readonly type: 'woken'; readonly nowMs: number }
  /** Changes may have been missed: pages whose reading began before are outdated. */
  | { readonly type: 'gap' };

/** The part of the state that is persisted for the next visit. */
export type PersistedNotifications = Pick<NotificationsState, 'rows' | 'windows' | 'totals'>;

export const emptyNotificationsState: NotificationsState = {
  ...createLiveRows<Notification>(new Map()),
  windows: {},
  totals: null,
  totalsAsOf: null,
  areTotalsStale: true,
  operations: [],
  filter: unfiltered,
  kept: new Set(),
  gapAt: 0,
  deleted: new Set(),
  resultsChangedAt: 0,
};
