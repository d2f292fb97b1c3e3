import { Workbox } from 'workbox-window';
import { navigate } from 'wouter/use-browser-location';
import { isLocalPath } from '../shared/routes.ts';
import { toasts } from '../ui/overlay/toasts.ts';
import { appTexts } from './texts/app-texts.ts';

/** The message stays until it is answered. */
const untilAnsweredMs = 86_400_000;

/** The page's policy allows this one creator of script URLs alone (`trusted-types` in scripts/page-headers.ts). */
interface TrustedTypes {
  createPolicy(
    name: 'service-worker',
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): TrustedScriptURL };
}
type TrustedScriptURL = string;

/**
 * Registers the service worker, by which the application opens without a network, and offers a newer version when one has
 * been downloaded. The page never reloads unasked.
 */
export async function followServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('service-worker', { createScriptURL: (url) => url });
  const worker = new Workbox(policy?.createScriptURL('/sw.js') ?? '/sw.js');
  worker.addEventListener('waiting', () => {
    void appTexts.load().then(({ newVersion, reload }) => {
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
  // Without the worker the application works as before, with a network.
  await worker.register().catch(() => undefined);
}
