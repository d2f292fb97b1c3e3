import type { AuthCore } from '../core.ts';
import { AuthError, missingSession } from '../errors.ts';
import { refreshActionFor } from '../refresh/refresh-outcome.ts';
import { type ActiveSession, remainingMs } from '../session/session.ts';
import { token } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseNoContent, parseTokenResponse } from '../wire/responses.ts';

/** Which sessions end: `global`, every session of the user; `local`, this one; `others`, all but this one. */
export type SignOutScope = 'global' | 'local' | 'others';

/** Whether the server ended the sessions. */
export type SignOutResult =
  | {
      /** True: the sessions have ended at the server. */
      readonly revoked: true;
    }
  | {
      /** False: the sessions may live on at the server. This client is signed out in both cases, except for `others`. */
      readonly revoked: false;
      /** Why the server could not revoke the session. */
      readonly cause: AuthError;
    };

export interface SignOutMethod {
  /**
   * Signs out: locally first (unless the scope is `others`), then at the server, which needs an access token that has not
   * expired: an expired one is refreshed. Never rejects.
   *
   * @param request default scope: `global`.
   * @returns whether the server ended the sessions. Responses 401, 403 and 404 mean that no session is left to end.
   */
  signOut(request?: { readonly scope?: SignOutScope }, options?: CallOptions): Promise<SignOutResult>;
}

const ignoredStatuses: ReadonlySet<number | null> = new Set([401, 403, 404]);

export async function signOut(
  core: AuthCore,
  { scope = 'global' }: { readonly scope?: SignOutScope } = {},
  options?: CallOptions,
): Promise<SignOutResult> {
  const { ready, session } = core;
  await ready();
  const active = session.current();
  if (!active) {
    // Clears the snapshot's outcome of an earlier callback.
    if (scope !== 'others') await session.signOut('call');
    return { revoked: true };
  }
  try {
    await (scope === 'others' ? signOutOthers(core, options) : signOutHere(core, scope, active, options));
    return { revoked: true };
  } catch (problem) {
    const cause =
      problem instanceof AuthError
        ? problem
        : new AuthError('unknown', 'The sign-out failed', { cause: problem });
    return ignoredStatuses.has(cause.status) ? { revoked: true } : { revoked: false, cause };
  }
}

async function signOutHere(
  core: AuthCore,
  scope: SignOutScope,
  ended: ActiveSession,
  options: CallOptions | undefined,
): Promise<void> {
  const { session } = core;
  const isExpired = remainingMs(ended, session.readClocks()) <= 0;
  await session.signOut('call');
  try {
    const accessToken = isExpired ? await refreshDetached(core, ended, options) : ended.record.access_token;
    await revoke(core, scope, accessToken, options).catch(async (problem: unknown) => {
      const isRejectedToken = problem instanceof AuthError && problem.code === 'bad_jwt';
      if (isExpired || !isRejectedToken) throw problem;
      // The server's clock is ahead of this device's.
      await revoke(core, scope, await refreshDetached(core, ended, options), options);
    });
  } catch (problem) {
    // A session that the server has ended needs no local sign-out; the user's other sessions may still be active.
    const hasEnded = refreshActionFor(problem) === 'drop';
    if (!(hasEnded && scope === 'local')) throw problem;
  }
}

async function signOutOthers(core: AuthCore, options: CallOptions | undefined): Promise<void> {
  const accessToken = await core.refresher.accessToken();
  if (!accessToken) throw missingSession();
  await revoke(core, 'others', accessToken, options);
}

/** A valid access token of a session that has ended here: the response is used once and never stored. */
function refreshDetached(
  { refresher, send }: AuthCore,
  { record }: ActiveSession,
  options: CallOptions | undefined,
): Promise<string> {
  return refresher.exclusively(async () => {
    const endpoint = token('refresh_token', { refresh_token: record.refresh_token });
    return (await send(endpoint, parseTokenResponse, options)).access_token;
  });
}

function revoke(
  { send }: AuthCore,
  scope: SignOutScope,
  accessToken: string,
  options: CallOptions | undefined,
): Promise<void> {
  return send({ method: 'POST', path: '/logout', query: { scope } }, parseNoContent, {
    ...options,
    accessToken,
    // The page may navigate right after the sign-out.
    keepalive: true,
  });
}
