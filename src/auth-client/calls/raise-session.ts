import type { AuthClient } from '../auth-client.ts';
import { missingSession, userChanged } from '../errors.ts';
import type { Session } from '../session/session.ts';
import type { Endpoint } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseTokenResponse } from '../wire/responses.ts';

/** Verifies a second factor. The response replaces the session's tokens. @throws {AuthError} `missing-session`, … */
export async function raiseSession(
  { core, getAccessToken }: Pick<AuthClient, 'core' | 'getAccessToken'>,
  endpoint: Endpoint,
  options: CallOptions = {},
): Promise<Session> {
  /** The session of the user who began the call. @throws {AuthError} `missing-session`, `user-changed` */
  const activeSessionOf = (userId: string | undefined) => {
    const active = core.session.current();
    if (!active) throw userId === undefined ? missingSession() : userChanged();
    if (active.record.user.id !== userId) throw userChanged();
    return active;
  };
  await core.ready();
  const userId = core.session.current()?.record.user.id;
  await getAccessToken(options);
  // The verification replaces the refresh token: a parallel refresh would be refused as a reuse.
  const verified = core.refresher.exclusively(async () => {
    await core.session.sync();
    const { access_token: accessToken, refresh_token } = activeSessionOf(userId).record;
    const response = await core.send(endpoint, parseTokenResponse, { accessToken, user: options.user });
    await core.session.renew(refresh_token, response, 'MFA_CHALLENGE_VERIFIED', 'call');
    return activeSessionOf(userId).session;
  });
  // The response contains the only copy of the tokens: ending the caller's wait does not abort the request.
  return core.waitFor(verified, options);
}
