import type { AuthCore } from '../core.ts';
import { post } from '../wire/endpoints.ts';
import { AuthError } from '../errors.ts';
import type { CallOptions } from '../wire/request.ts';

/** `global`: every session of the user; `local`: this one; `others`: all but this one. */
export type SignOutScope = 'global' | 'local' | 'others';

export interface SignOutCall {
  /**
   * Ends the session here first, then at the server. Replies 401, 403 and 404 are ignored: a token that has expired ends
   * nothing there. `others` therefore refreshes it first, and so may a caller of `global` (`getAccessToken()`).
   *
   * @param details default scope: `global`.
   * @throws {AuthError} if the server could not be told; this browser is signed out all the same, but for `others`.
   */
  signOut(details?: { readonly scope?: SignOutScope }, options?: CallOptions): Promise<void>;
}

export function createSignOut({ ready, keeper, refresher, send }: AuthCore): SignOutCall {
  return {
    async signOut({ scope = 'global' } = {}, options) {
      await ready();
      // This session goes on, so its token can be made valid first; one that is left is never waited for.
      const accessToken =
        scope === 'others' ? await refresher.accessToken() : keeper.held()?.record.access_token;
      if (scope !== 'others') await keeper.leave('call');
      if (!accessToken) return;
      const endpoint = { ...post('/logout', {}), query: { scope } };
      try {
        await send(endpoint, () => undefined, { ...options, accessToken, keepalive: true });
      } catch (problem) {
        if (!(problem instanceof AuthError) || ![401, 403, 404].includes(problem.status ?? 0)) throw problem;
      }
    },
  };
}
