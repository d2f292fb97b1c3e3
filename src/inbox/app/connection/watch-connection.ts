import { ListenerSet, type PageSignal, type Platform } from 'supabase-protocol-clients/platform';
import type { Configuration } from '../../shared/clients/env.ts';
import { serverReachable } from '../../ui/state/online.ts';
import { ConnectionWatch } from './connection-watch.ts';

const slowMs = 3_000;

/**
 * Reports the page as offline, too, while the server cannot be reached although the browser reports a network: requests
 * then hang instead of failing.
 */
export function watchConnection(platform: Platform, configuration: Configuration): Platform {
  const { fetch, clock, page } = platform;
  const listeners = new ListenerSet<PageSignal>(platform.report);
  const watch = new ConnectionWatch({ platform, configuration, emit: (signal) => listeners.call(signal) });
  page.subscribe((signal) => {
    watch.onSignal(signal);
    listeners.call(signal);
  });

  return {
    ...platform,
    async fetch(input, init) {
      const own = new AbortController();
      const { signal } = init ?? (input instanceof Request ? input : {});
      const timer = clock.setTimer(() => watch.onSlow(own), slowMs);
      try {
        const response = await fetch(input, {
          ...init,
          signal: AbortSignal.any(signal ? [signal, own.signal] : [own.signal]),
        });
        watch.onResponse();
        return response;
      } finally {
        timer.cancel();
      }
    },
    page: {
      ...page,
      isOnline: () => page.isOnline() && serverReachable.getSnapshot(),
      subscribe: (listener) => listeners.add(listener),
    },
  };
}
