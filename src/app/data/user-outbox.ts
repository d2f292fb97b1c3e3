import type { Database } from '../../database.types.ts';
import { createWaitingActionSender } from '../../features/notifications/actions/waiting-action-sender.ts';
import type { NotificationsApi } from '../../features/notifications/data/notifications-api.ts';
import { createWaitingActions } from '../../features/notifications/actions/waiting-actions.ts';
import type { WaitingActions } from '../../features/notifications/actions/waiting-actions.ts';
import type { InboxStore } from '../../features/notifications/data/inbox-store.ts';
import { createPreferencesApi } from '../../features/preferences/data/preferences-api.ts';
import { createPreferencesSender } from '../../features/preferences/data/waiting-preferences.ts';
import type { PreferencesTopic } from '../../features/preferences/data/waiting-preferences.ts';
import { openOutbox } from '../../features/outbox/open-outbox.ts';
import { createTopic } from '../../features/outbox/outbox-topic.ts';
import type { Platform } from '../../platform/index.ts';
import type { RestClient } from '../../rest-client/index.ts';
import { unsentCount } from '../../shared/outbox/sign-out-question.ts';
import type { Store } from '../../ui/state/store.ts';

/** One user's outbox. Its code is loaded after the first list, or with the first change that waits. */
export interface UserOutbox {
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
  outbox.subscribe(() => unsentCount.set(outbox.getSnapshot().length));
  return {
    preferences: createTopic(outbox, 'preferences', preferences),
    async showActions(store, rows) {
      const topic = createTopic(outbox, 'notifications', notifications);
      // Listens before the first change can settle.
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
