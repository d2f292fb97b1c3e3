import { peekClaims } from '../../platform/base64url.ts';
import type { AuthCore } from '../core.ts';
import { get, token } from '../wire/endpoints.ts';
import { AuthError } from '../errors.ts';
import type { CallOptions } from '../wire/request.ts';
import { type SessionWire, parseSession, parseUser } from '../wire/responses.ts';

/**
 * A session of tokens that came without a user; refreshed if the access token has expired.
 *
 * @param expiresIn seconds that the token lives from now, if whoever brought it said so. Default: by its own claims, and
 * where this device's clock disagrees with them, the shorter.
 */
export async function adoptTokens(
  { platform, send }: AuthCore,
  accessToken: string,
  refreshToken: string,
  options?: CallOptions,
  expiresIn?: number,
): Promise<SessionWire> {
  try {
    const user = await send(get('/user'), parseUser, { ...options, accessToken });
    const { exp, iat } = Object(peekClaims(accessToken)) as Record<string, unknown>;
    const expiresAt = Number(exp) || undefined;
    const left = expiresAt && Math.max(0, expiresAt - platform.clock.now() / 1000);
    const expires_in = expiresIn ?? (left && Math.min(left, Number(exp) - Number(iat) || left));
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
