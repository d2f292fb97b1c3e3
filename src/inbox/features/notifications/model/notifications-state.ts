import { endRead, startRead } from 'supabase-protocol-clients/realtime-client/live-query';
import { withoutSearchWindows } from './list-window.ts';
import { applyPage, applySync, markGap } from './notification-reads.ts';
import { applyChanges, confirmOperation, returnDueSnoozed } from './notification-updates.ts';
import type { Notification } from './notification.ts';
import { encodeFilter, listsUnread } from './notification-filter.ts';
import { applyOperations } from './notification-operation.ts';
import { emptyNotificationsState } from './state-types.ts';
import type { NotificationChange, NotificationsEvent, NotificationsState } from './state-types.ts';

/** Idempotent for what is shown: applying an event twice, or a change that the state already has, alters nothing. */
export function step(state: NotificationsState, event: NotificationsEvent): NotificationsState {
  const next = reduce(state, event);
  const isSame =
    next.rows === state.rows && next.operations === state.operations && next.filter === state.filter;
  return isSame ? next : keepUnreadListed(next);
}

function reduce(state: NotificationsState, event: NotificationsEvent): NotificationsState {
  switch (event.type) {
    case 'read-started':
      return startRead(state);
    case 'read-ended':
      return endRead(state);
    case 'restored':
      return Object.keys(state.windows).length > 0
        ? state
        : {
            ...state,
            ...event.persisted,
            rows: new Map([...event.persisted.rows, ...state.rows].filter(([id]) => !state.deleted.has(id))),
          };
    case 'page':
      return applyPage(state, event);
    case 'synced':
      return applySync(state, event);
    case 'changes':
      return markResults(state, applyChanges(state, event.changes), event.changes);
    case 'started':
      return { ...state, operations: [...state.operations, event.operation] };
    case 'done':
      return confirmOperation(state, event.id, event.rows);
    case 'dropped':
      return { ...state, operations: state.operations.filter(({ id }) => id !== event.id) };
    case 'filtered':
      return encodeFilter(event.filter) === encodeFilter(state.filter)
        ? state
        : {
            ...state,
            filter: event.filter,
            kept: emptyNotificationsState.kept,
            // A search keeps the previous results until its own arrive.
            windows: event.filter.query ? state.windows : withoutSearchWindows(state.windows),
          };
    case 'woken':
      return returnDueSnoozed(state, event.nowMs);
    case 'gap':
      return markGap(state);
  }
}

/** Only the server can match words: a new or changed row may join or leave the results. */
function markResults(
  before: NotificationsState,
  after: NotificationsState,
  changes: readonly NotificationChange[],
): NotificationsState {
  const isAltered =
    before.filter.query &&
    changes.some(
      (change) =>
        change.type !== 'remove' &&
        searchedPart(change.notification) !== searchedPart(before.rows.get(change.notification.id)),
    );
  return isAltered ? { ...after, resultsChangedAt: after.sequence } : after;
}

function searchedPart(row: Notification | undefined): string {
  return JSON.stringify([row?.status, row?.data, row?.metadata]);
}

/** Keeps the rows of an unread list listed after they are read. */
function keepUnreadListed(state: NotificationsState): NotificationsState {
  if (!listsUnread(state.filter)) return state;
  const fresh: string[] = [];
  for (const row of state.rows.values()) {
    if (state.kept.has(row.id)) continue;
    if (applyOperations(row, state.operations)?.status === 'unread') fresh.push(row.id);
  }
  return fresh.length > 0 ? { ...state, kept: new Set([...state.kept, ...fresh]) } : state;
}
