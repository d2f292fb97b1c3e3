import type { AuthCore } from '../core.ts';
import type { Endpoint } from '../wire/endpoints.ts';
import { AuthError, missingSession } from '../errors.ts';
import type { CallOptions, Parse } from '../wire/request.ts';

/** Refusals of an access token, as opposed to what it may do. */
const rejections: ReadonlySet<string> = new Set(['bad_jwt', 'session_not_found']);

/** A call as the user who is signed in. @throws {AuthError} `missing-session` if nobody is. */
export async function callAsUser<T>(
  { ready, refresher, send, waitFor }: AuthCore,
  endpoint: Endpoint,
  parse: Parse<T>,
  options: CallOptions = {},
): Promise<T> {
  const tokenOf = async (rejectedToken?: string) => {
    await ready();
    return refresher.accessToken(rejectedToken);
  };
  const accessToken = await waitFor(tokenOf(), options);
  if (!accessToken) throw missingSession();
  try {
    return await send(endpoint, parse, { ...options, accessToken });
  } catch (problem) {
    const refused = problem instanceof AuthError && rejections.has(problem.code);
    if (!refused) throw problem;
    // The server knows better than our clock whether the token or its session lives.
    const next = await waitFor(tokenOf(accessToken), options);
    if (!next || next === accessToken) throw problem;
    return await send(endpoint, parse, { ...options, accessToken: next });
  }
}
