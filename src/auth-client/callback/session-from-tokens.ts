import { decodeJwtClaims } from '../../platform/jwt.ts';
import type { AuthCore } from '../core.ts';
import { AuthError } from '../errors.ts';
import type { NewSession } from '../session/session-state.ts';
import { get, token } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseTokenResponse, parseUser } from '../wire/responses.ts';

/** Tokens without a user record, as a link or `setSession` brings them. */
interface BareTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Lifetime in seconds from now, if the link contains it. Default: by the token's claims. */
  readonly expiresInSeconds?: number | undefined;
}

/** The response for tokens, and whether it was built from the tokens themselves (`isImported`). */
type ImportedTokens = Pick<NewSession, 'response' | 'isImported'>;

/** Reads the user of the tokens from the server, by a refresh if the access token has expired. */
export async function sessionFromTokens(
  { platform, send }: AuthCore,
  { accessToken, refreshToken, expiresInSeconds }: BareTokens,
  options?: CallOptions,
): Promise<ImportedTokens> {
  try {
    const user = await send(get('/user'), parseUser, { ...options, accessToken });
    const lifetime = readLifetime(accessToken, platform.clock.now());
    const response = {
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_at: lifetime.expiresAt,
      expires_in: expiresInSeconds ?? lifetime.expiresInSeconds,
      user,
    };
    return { response, isImported: true };
  } catch (problem) {
    const isExpired = problem instanceof AuthError && problem.code === 'bad_jwt';
    if (!isExpired) throw problem;
    const endpoint = token('refresh_token', { refresh_token: refreshToken });
    return { response: await send(endpoint, parseTokenResponse, options) };
  }
}

/** Reads the lifetime from the claims `exp` and `iat`. Where this device's clock disagrees with them, the shorter lifetime counts. */
function readLifetime(accessToken: string, nowMs: number) {
  const { exp, iat } = decodeJwtClaims(accessToken) ?? {};
  if (typeof exp !== 'number') return { expiresAt: undefined, expiresInSeconds: undefined };
  const byClock = Math.max(0, exp - nowMs / 1000);
  const byClaims = typeof iat === 'number' ? exp - iat : byClock;
  return { expiresAt: exp, expiresInSeconds: Math.min(byClock, byClaims) };
}
