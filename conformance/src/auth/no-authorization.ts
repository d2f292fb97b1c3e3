import { NotRunError } from '../target.ts';
import { assertError, at, type WireReply } from '../wire.ts';

/**
 * A refusal of a request that has an API key and no token.
 *
 * @throws NotRunError where the gateway puts a token in the place of the key, as it does for publishable keys.
 */
export function assertNoAuthorization(reply: WireReply): void {
  const code = at(reply.json, 'error_code') ?? at(reply.json, 'code');
  if (reply.status === 403 && code === 'bad_jwt' && /\bsub\b/.test(reply.text))
    throw new NotRunError('the gateway passes the API key as the token');
  assertError(reply, 401, 'no_authorization');
}
