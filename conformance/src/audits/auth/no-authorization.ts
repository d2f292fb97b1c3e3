import { NotRunError } from '../../target/target.ts';
import { assertError, at, type WireResponse } from '../../target/wire.ts';

/**
 * Asserts the refusal of a request with an API key but no token.
 *
 * @throws NotRunError if the gateway replaces the key with a token, as it does for publishable keys.
 */
export function assertNoAuthorization(response: WireResponse): void {
  const code = at(response.json, 'error_code') ?? at(response.json, 'code');
  if (response.status === 403 && code === 'bad_jwt' && /\bsub\b/.test(response.text))
    throw new NotRunError('the gateway passes the API key as the token');
  assertError(response, 401, 'no_authorization');
}
