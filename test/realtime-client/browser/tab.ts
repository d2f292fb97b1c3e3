import { createBrowserPlatform } from '../../../src/platform/browser-platform.ts';
import { createRealtimeClient } from '../../../src/realtime-client/index.ts';
import { createLiveQuery } from '../../../src/realtime-client/live-query.ts';
import { shareSocket } from '../../../src/realtime-client/shared-socket.ts';

interface NotificationRow {
  readonly id: string;
  readonly recipient_id: string;
  readonly updated_at: string;
}

declare global {
  interface Window {
    readonly options: {
      readonly url: string;
      readonly apiKey: string;
      readonly token: string;
      readonly userId: string;
    };
    tab: { readonly sockets: number; isCurrent(): boolean; ids(): string[] };
  }
}

/** One tab of `five-tabs.ts`: a live query of the user's notifications over the shared socket. */
const { url, apiKey, token, userId } = window.options;
const realm = createBrowserPlatform();
let sockets = 0;
const platform = createBrowserPlatform({
  openSocket(address) {
    sockets += 1;
    return realm.openSocket(address);
  },
});
const client = createRealtimeClient({
  url,
  apiKey,
  platform,
  share: shareSocket,
  getAccessToken: () => Promise.resolve(token),
  schedule: (flush) => void requestAnimationFrame(flush),
});
const query = createLiveQuery<NotificationRow>({
  channel: client.channel(`user:${userId}`),
  platform,
  binding: { table: 'notifications', filter: `recipient_id=eq.${userId}` },
  key: ({ id }) => String(id),
  version: (row) => row.updated_at,
  read: async (signal) => (await fetch('/rows', { signal })).json() as Promise<NotificationRow[]>,
});
query.start();
window.tab = {
  get sockets() {
    return sockets;
  },
  isCurrent: () => query.getSnapshot().isCurrent,
  ids: () =>
    query
      .getSnapshot()
      .rows.map(({ id }) => id)
      .sort(),
};
