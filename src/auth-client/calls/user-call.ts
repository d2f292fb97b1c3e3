import type { AuthCore } from '../core.ts';
import { AuthError, type AuthErrorCode, missingSession, userChanged } from '../errors.ts';
import { CallUser } from '../../platform/call-user.ts';
import type { Endpoint } from '../wire/endpoints.ts';
import type { CallOptions, Parse } from '../wire/request.ts';

/** Codes by which the server rejects the access token itself, not the request. `user_not_found`: the account was deleted. */
const rejectedTokenCodes: ReadonlySet<AuthErrorCode> = new Set([
  'bad_jwt',
  'session_not_found',
  'user_not_found',
]);

/** Sends a request as the signed-in user. @throws {AuthError} `missing-session`, `user-changed` */
export async function callAsUser<T>(
  { ready, refresher, send, waitFor }: AuthCore,
  endpoint: Endpoint,
  parse: Parse<T>,
  { user = new CallUser(), ...options }: CallOptions = {},
): Promise<T> {
  const getAccessToken = async (rejectedToken?: string) => {
    await ready();
    return refresher.accessToken({ rejectedToken, user });
  };
  const accessToken = await waitFor(getAccessToken(), options);
  if (!accessToken) throw user.admits(null) ? missingSession() : userChanged();
  try {
    return await send(endpoint, parse, { ...options, user, accessToken });
  } catch (problem) {
    const isRejected = problem instanceof AuthError && rejectedTokenCodes.has(problem.code);
    if (!isRejected) throw problem;
    // This device's clock may be wrong about the lifetime: refresh and retry once.
    const nextToken = await waitFor(getAccessToken(accessToken), options);
    if (!nextToken || nextToken === accessToken) throw problem;
    return await send(endpoint, parse, { ...options, user, accessToken: nextToken });
  }
}
