import { Workbox } from 'workbox-window';
import { navigate } from 'wouter/use-browser-location';
import { isLocalPath } from '../shared/routes.ts';
import { toasts } from '../ui/overlay/toasts.ts';
import { appTexts } from './texts/app-texts.ts';
import { rareTexts } from './texts/rare-texts.ts';
import { trustWorkerUrl } from './worker-url.ts';

/** In development the plugin serves the worker as a module at another path (`devOptions` in vite.config.ts). */
const script = import.meta.env.DEV
  ? ({ path: '/dev-sw.js?dev-sw', type: 'module' } as const)
  : ({ path: '/sw.js', type: 'classic' } as const);

/** The message stays until it is answered. */
const untilAnsweredMs = 86_400_000;

/**
 * Registers the service worker, by which the application opens without a network, and offers a newer version when one has
 * been downloaded. The page never reloads unasked.
 */
export async function followServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const worker = new Workbox(trustWorkerUrl(script.path), { type: script.type });
  worker.addEventListener('waiting', () => {
    void Promise.all([rareTexts.load(), appTexts.load()]).then(([{ newVersion }, { reload }]) => {
      const action = { label: reload, run: () => worker.messageSkipWaiting() };
      toasts.show(newVersion, { action, durationMs: untilAnsweredMs });
    });
  });
  worker.addEventListener('controlling', ({ isUpdate }) => {
    if (isUpdate) location.reload();
  });
  // An alert of a push message was clicked (src/service-worker/push-message.ts).
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = data as { readonly type?: unknown; readonly path?: unknown } | null;
    if (message?.type === 'open-path' && typeof message.path === 'string' && isLocalPath(message.path))
      navigate(message.path);
  });
  // Offline support is optional: without the worker the application still works with a network.
  await worker.register().catch(() => undefined);
}
