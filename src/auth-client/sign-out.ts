import type { AuthCore } from './core.ts';
import { post, token } from './endpoints.ts';
import { AuthError } from './errors.ts';
import type { CallOptions } from './request.ts';
import { parseSession } from './responses.ts';
import { remainingMs, type StoredSession } from './session.ts';

/** `global`: every session of the user; `local`: this one; `others`: all but this one. */
export type SignOutScope = 'global' | 'local' | 'others';

export interface SignOutCall {
  /**
   * Ends the session here first, then at the server. Replies 401, 403 and 404 are ignored. What concerns other sessions
   * too is asked with a token that is valid, refreshed for it if need be: the server would refuse, and end none of them.
   *
   * @param details default scope: `global`.
   * @throws {AuthError} if the server could not be told; this browser is signed out all the same, but for `others`.
   */
  signOut(details?: { readonly scope?: SignOutScope }, options?: CallOptions): Promise<void>;
}

export function createSignOut({ ready, keeper, refresher, send }: AuthCore): SignOutCall {
  /** Of a session that was left already, so that nothing but this call has it. */
  const renew = async ({ refresh_token, access_token }: StoredSession, options?: CallOptions) => {
    try {
      return (await send(token('refresh_token', { refresh_token }), parseSession, options)).access_token;
    } catch {
      // Without a network the call itself says so; refused, the session has ended at the server already.
      return access_token;
    }
  };
  return {
    async signOut({ scope = 'global' } = {}, options) {
      await ready();
      const held = keeper.held();
      if (!held) return;
      const isExpired = remainingMs(held, keeper.moment()) <= 0;
      if (scope !== 'others') await keeper.leave('call');
      const accessToken =
        scope === 'others'
          ? await refresher.accessToken()
          : scope === 'global' && isExpired
            ? await renew(held.record, options)
            : held.record.access_token;
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
