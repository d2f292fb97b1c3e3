import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { openAlert, parsePushMessage, showPushMessage, staticPages } from './push-message.ts';
import type { OpenPage, PushScope } from './push-message.ts';

/** The part of `ServiceWorkerGlobalScope` in use: its types cannot be loaded together with those of the page. */
interface WorkerScope {
  /** Filled in at build time (vite-plugin-pwa). */
  readonly __WB_MANIFEST: { readonly url: string; readonly revision: string | null }[];
  readonly registration: {
    showNotification(title: string, options: NotificationOptions): Promise<void>;
    readonly pushManager: { getSubscription(): Promise<{ readonly endpoint: string } | null> };
  };
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly OpenPage[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly navigator: { setAppBadge?: (count: number) => Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'push',
    listener: (event: Waiting & { readonly data: { text(): string } | null }) => void,
  ): void;
  addEventListener(
    type: 'notificationclick',
    listener: (event: Waiting & { readonly notification: Notification }) => void,
  ): void;
}

interface Waiting {
  waitUntil(work: Promise<unknown>): void;
}

declare const self: WorkerScope;

const scope: PushScope = {
  pages: () => self.clients.matchAll({ type: 'window', includeUncontrolled: true }),
  endpoint: async () => (await self.registration.pushManager.getSubscription())?.endpoint ?? null,
  openPage: (path) => self.clients.openWindow(path),
  showAlert: (title, options) => self.registration.showNotification(title, options),
  setBadge: async (count) => self.navigator.setAppBadge?.(count),
};

// In development the worker shows push messages only: a cache would serve outdated modules.
if (import.meta.env.PROD) {
  // eslint-disable-next-line no-underscore-dangle -- the plugin's name
  precacheAndRoute(self.__WB_MANIFEST);
  cleanupOutdatedCaches();
  registerRoute(new NavigationRoute(createHandlerBoundToURL('index.html'), { denylist: [...staticPages] }));
}

self.addEventListener('message', ({ data }) => {
  // workbox-window sends it when the user agrees to a newer version.
  if ((data as { type?: unknown } | null)?.type === 'SKIP_WAITING') void self.skipWaiting();
});
self.addEventListener('push', (event) => {
  event.waitUntil(showPushMessage(parsePushMessage(event.data?.text()), scope));
});
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openAlert(event.notification.data, scope));
});
