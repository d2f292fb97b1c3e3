import type { Call } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { OAuthError } from '../errors.ts';

export async function idTokenGrant(_context: AuthContext, _call: Call): Promise<Response> {
  throw new OAuthError('invalid request', 'id_token required');
}
