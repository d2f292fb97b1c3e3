import type { Unsubscribe } from '../../platform/platform.ts';
import type { Clients } from '../../shared/clients/clients-context.ts';

/** Deletes the persisted data cache when the session ends, on any page and in any tab. */
export function forgetAtSignOut({ auth, platform }: Clients): Unsubscribe {
  return auth.onEvent(({ name }) => {
    if (name !== 'SIGNED_OUT') return;
    import('./query-persistence.ts')
      .then(({ forgetKeptQueries }) => forgetKeptQueries())
      .catch(platform.report);
  });
}
