import type { AuthContext } from '../context.ts';
import { type Call, sendJson } from '../http/call.ts';
import { scopesOf } from '../rows/oauth-authorization.ts';
import { requireCaller } from '../sessions/authentication.ts';
import { profileClaims } from './profile.ts';

/** GET /oauth/userinfo (OpenID Connect Core section 5.3): the claims that the session's scopes allow. */
export async function readUserInfo(context: AuthContext, call: Call): Promise<Response> {
  const { user, session } = await requireCaller(context, call);
  const scopes = new Set(scopesOf(session?.scopes ?? ''));
  return sendJson(call, {
    sub: user.id,
    ...(scopes.has('email') && {
      ...(user.email && { email: user.email }),
      ...(user.email_confirmed_at && { email_verified: true }),
    }),
    ...(scopes.has('profile') && {
      ...profileClaims(user),
      ...(user.raw_user_meta_data && { user_metadata: user.raw_user_meta_data }),
    }),
    ...(scopes.has('phone') && {
      ...(user.phone && { phone: user.phone }),
      ...(user.phone_confirmed_at && { phone_verified: true }),
    }),
  });
}
