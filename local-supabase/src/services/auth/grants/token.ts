import { type Call, readParam } from '../http/call.ts';
import type { AuthContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';
import { idTokenGrant } from './id-token-grant.ts';
import { passwordGrant } from './password-grant.ts';
import { pkceGrant } from './pkce-grant.ts';
import { refreshTokenGrant } from './refresh-token-grant.ts';
import { web3Grant } from './web3-grant.ts';

/** POST /token: one of the five grants. Throws 400 invalid_credentials for any other. */
export async function token(context: AuthContext, call: Call): Promise<Response> {
  const grant = readParam(call.url.searchParams, 'grant_type');
  const count = (): void => context.limiter.count('token', call.ip);
  switch (grant) {
    case 'password':
      count();
      return passwordGrant(context, call);
    case 'refresh_token':
      count();
      return refreshTokenGrant(context, call);
    case 'pkce':
      count();
      return pkceGrant(context, call);
    case 'id_token':
      count();
      return idTokenGrant(context, call);
    case 'web3':
      context.limiter.count('web3', call.ip);
      return web3Grant(context, call);
    default:
      throw badRequest('invalid_credentials', 'unsupported_grant_type');
  }
}
