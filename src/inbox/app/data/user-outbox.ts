import type { Database } from '../../database.types.ts';
import { createWaitingActionSender } from '../../features/notifications/actions/waiting-action-sender.ts';
import type { NotificationsApi } from '../../features/notifications/data/notifications-api.ts';
import { createWaitingActions } from '../../features/notifications/actions/waiting-actions.ts';
import type { WaitingActions } from '../../features/notifications/actions/waiting-actions.ts';
import type { InboxStore } from '../../features/notifications/data/inbox-store.ts';
import { createPreferencesApi } from '../../features/preferences/data/preferences-api.ts';
import { createPreferencesSender } from '../../features/preferences/data/waiting-preferences.ts';
import type {
  PreferencesTopic,
  WaitingPreferences,
} from '../../features/preferences/data/waiting-preferences.ts';
import { isHeld } from '../../features/outbox/outbox-state.ts';
import { openOutbox } from '../../features/outbox/open-outbox.ts';
import { createTopic } from '../../features/outbox/outbox-topic.ts';
import type { Notification } from '../../features/notifications/model/notification.ts';
import type { WaitingAction } from '../../features/notifications/model/waiting-action.ts';
import type { Platform, Unsubscribe } from 'supabase-protocol-clients/platform';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import { unsentCount } from '../../shared/outbox/sign-out-question.ts';
import type { Store } from '../../ui/state/store.ts';

/** A waiting change, by the feature that made it. */
export type WaitingEntry =
  | { readonly id: string; readonly type: 'action'; readonly action: WaitingAction }
  | { readonly id: string; readonly type: 'preferences'; readonly preferences: WaitingPreferences };

/** One user's outbox. Its code is loaded after the first list, or with the first change that waits. */
export interface UserOutbox {
  /** The waiting changes, oldest first, online without those that can still be undone; the same array until it changes. */
  getSnapshot(): readonly WaitingEntry[];
  subscribe(listener: () => void): Unsubscribe;
  /** The notification if it is loaded. */
  findNotification(id: string): Notification | undefined;
  /** Discards the changes, with later ones of the same notifications, which assume them. */
  discard(ids: readonly string[]): Promise<void>;
  readonly preferences: PreferencesTopic;
  /** Shows the waiting actions in the store, and sends those that an earlier visit left. */
  showActions(store: InboxStore, rows: Store<ReadonlySet<string>>): Promise<WaitingActions>;
  close(): void;
}

export interface UserOutboxOptions {
  readonly userId: string;
  readonly rest: RestClient<Database>;
  readonly api: NotificationsApi;
  readonly platform: Platform;
}

export function openUserOutbox({ userId, rest, api, platform }: UserOutboxOptions): UserOutbox {
  const notifications = createWaitingActionSender(rest, api, userId);
  const preferences = createPreferencesSender(createPreferencesApi(rest, userId));
  const outbox = openOutbox({ userId, senders: { notifications, preferences }, platform });
  let entries: readonly WaitingEntry[] = [];
  let inboxStore: InboxStore | null = null;
  const read = () => {
    const nowMs = platform.clock.now();
    // Online, a change that can still be undone waits for its undo time alone, so it is not listed.
    const waiting = outbox
      .getSnapshot()
      .filter((entry) => !isHeld(entry, nowMs) || !platform.page.isOnline());
    entries = waiting.flatMap(({ id, topic, payload }): readonly WaitingEntry[] => {
      const action = topic === 'notifications' ? notifications.parse(payload) : null;
      if (action) return [{ id, type: 'action', action }];
      const change = topic === 'preferences' ? preferences.parse(payload) : null;
      return change ? [{ id, type: 'preferences', preferences: change }] : [];
    });
    unsentCount.set(waiting.length);
  };
  // Subscribe first, so that later listeners see the new entries.
  outbox.subscribe(read);
  return {
    getSnapshot: () => entries,
    subscribe: outbox.subscribe,
    findNotification: (id) => inboxStore?.getState().rows.get(id),
    async discard(ids) {
      // Discard the latest first, so that no change is sent without the one that it assumes.
      for (const id of withDependents(entries, ids).toReversed()) await outbox.discard(id);
    },
    preferences: createTopic(outbox, 'preferences', preferences),
    async showActions(store, rows) {
      inboxStore = store;
      const topic = createTopic(outbox, 'notifications', notifications);
      // Create the actions now: they must listen before the first change can settle.
      const actions = createWaitingActions(topic, store, rows);
      await outbox.start();
      return actions;
    },
    close() {
      outbox.close();
      unsentCount.set(0);
    },
  };
}

/** Adds the later actions on the same notifications as the discarded ones. */
function withDependents(entries: readonly WaitingEntry[], ids: readonly string[]): readonly string[] {
  const rows = new Set<string>();
  return entries.flatMap((entry) => {
    const { operation } = entry.type === 'action' ? entry.action : { operation: null };
    const ownRows = operation && 'ids' in operation ? operation.ids : [];
    if (!ids.includes(entry.id) && !ownRows.some((row) => rows.has(row))) return [];
    for (const row of ownRows) rows.add(row);
    return [entry.id];
  });
}
