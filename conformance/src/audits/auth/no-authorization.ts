import { NotRunError } from '../../target/target.ts';
import { assertError, at, type WireReply } from '../../target/wire.ts';

/**
 * Asserts the refusal of a request with an API key but no token.
 *
 * @throws NotRunError if the gateway replaces the key with a token, as it does for publishable keys.
 */
export function assertNoAuthorization(reply: WireReply): void {
  const code = at(reply.json, 'error_code') ?? at(reply.json, 'code');
  if (reply.status === 403 && code === 'bad_jwt' && /\bsub\b/.test(reply.text))
    throw new NotRunError('the gateway passes the API key as the token');
  assertError(reply, 401, 'no_authorization');
}
