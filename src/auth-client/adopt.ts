import { peekClaims } from '../platform/base64url.ts';
import type { AuthCore } from './core.ts';
import { get, token } from './endpoints.ts';
import { AuthError } from './errors.ts';
import type { CallOptions } from './request.ts';
import { type SessionWire, parseSession, parseUser } from './responses.ts';

/** A session of tokens that came without a user or a lifetime; refreshed if the access token has expired. */
export async function adoptTokens(
  { platform, send }: AuthCore,
  accessToken: string,
  refreshToken: string,
  options?: CallOptions,
): Promise<SessionWire> {
  try {
    const user = await send(get('/user'), parseUser, { ...options, accessToken });
    const expiresAt = Number(peekClaims(accessToken)?.['exp']) || undefined;
    const expires_in = expiresAt && Math.max(0, expiresAt - platform.clock.now() / 1000);
    return {
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_at: expiresAt,
      expires_in,
      user,
    };
  } catch (problem) {
    if (!(problem instanceof AuthError && problem.code === 'bad_jwt')) throw problem;
    return send(token('refresh_token', { refresh_token: refreshToken }), parseSession, options);
  }
}
