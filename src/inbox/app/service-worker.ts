import { Workbox } from 'workbox-window';
import { navigate } from 'wouter/use-browser-location';
import type { Platform } from 'supabase-protocol-clients/platform';
import { isLocalPath } from '../shared/routes.ts';
import { toasts } from '../ui/state/toasts.ts';
import { appTexts } from './app-texts.ts';
import { checkForUpdates } from './service-worker-updates.ts';
import { trustWorkerUrl } from './worker-url.ts';

/** In development the plugin serves the worker as a module at another path (`devOptions` in vite.config.ts). */
const script = import.meta.env.DEV
  ? ({ path: '/dev-sw.js?dev-sw', type: 'module' } as const)
  : ({ path: `${import.meta.env.BASE_URL}sw.js`, type: 'classic' } as const);

/** The message stays until the user closes it. */
const untilClosedMs = 86_400_000;

/**
 * Registers the service worker, by which the application opens without a network, and offers a newer version when one has
 * been downloaded. The page never reloads unasked, also when another tab has started the newer version.
 */
export async function registerServiceWorker(platform: Pick<Platform, 'clock' | 'page'>): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const worker = new Workbox(trustWorkerUrl(script.path), { type: script.type });
  worker.addEventListener('waiting', () => {
    void appTexts.load().then(({ newVersion, reload }) => {
      const action = { label: reload, run: () => void startNewVersion(worker) };
      toasts.show(newVersion, { action, durationMs: untilClosedMs });
    });
  });
  // An alert of a push message was clicked (src/inbox/service-worker/push-message.ts).
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = data as { readonly type?: unknown; readonly path?: unknown } | null;
    if (message?.type === 'open-path' && typeof message.path === 'string' && isLocalPath(message.path))
      navigate(message.path);
  });
  // Offline support is optional: without the worker the application still works with a network.
  const registration = await worker.register().catch(() => undefined);
  if (registration) checkForUpdates(platform, () => registration.update());
}

/** Activates the waiting worker, then reloads the page with it. */
async function startNewVersion(worker: Workbox): Promise<void> {
  const waiting = (await navigator.serviceWorker.getRegistration())?.waiting;
  // Another tab has activated the new version.
  if (!waiting) return location.reload();
  // The page itself may have no worker yet: its controller would not change.
  waiting.addEventListener('statechange', () => {
    if (waiting.state === 'activated') location.reload();
  });
  worker.messageSkipWaiting();
}
