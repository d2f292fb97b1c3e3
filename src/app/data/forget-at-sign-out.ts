import type { Unsubscribe } from '../../platform/platform.ts';
import type { Clients } from '../../shared/clients/clients-context.ts';

/** Whoever signs out, on whichever page and in whichever tab, leaves nothing of the data cache on this device. */
export function forgetAtSignOut({ auth, platform }: Clients): Unsubscribe {
  return auth.onEvent(({ name }) => {
    if (name !== 'SIGNED_OUT') return;
    import('./query-persistence.ts')
      .then(({ forgetKeptQueries }) => forgetKeptQueries())
      .catch(platform.report);
  });
}
