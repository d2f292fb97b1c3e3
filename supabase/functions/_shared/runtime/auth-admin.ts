import { Buffer } from 'node:buffer';
import * as z from 'zod/mini';
import { parseAnswer } from './parse.ts';
import { requireSetting } from './runtime.ts';
import type { Runtime } from './runtime.ts';

/** The auth service refused an administrative call, or could not be reached. */
export class AuthAdminError extends Error {
  override readonly name = 'AuthAdminError';
}

/** The user and the session of a valid access token. */
export interface VerifiedSession {
  readonly userId: string;
  readonly sessionId: string;
}

export interface AuthAdmin {
  /**
   * Asks the auth service about the token of an `Authorization` header. Null where it is invalid or its session has ended.
   *
   * @throws {AuthAdminError} if the service cannot answer.
   */
  readonly verifySession: (authorization: string) => Promise<VerifiedSession | null>;
  /** Removes all factors of a user and returns how many. @throws {AuthAdminError} */
  readonly removeFactors: (userId: string) => Promise<number>;
}

const timeoutMs = 10_000;

const userSchema = z.object({ id: z.string() });
const factorsSchema = z.array(z.object({ id: z.string() }));
/** Tokens of some grants belong to no session. */
const claimsSchema = z.object({ session_id: z.optional(z.string()) });

/** @throws {MissingSettingError} without SUPABASE_URL or one of the keys. */
export function createAuthAdmin({ env, fetch }: Runtime): AuthAdmin {
  const url = `${requireSetting(env, 'SUPABASE_URL')}/auth/v1`;
  const serviceKey = requireSetting(env, 'SUPABASE_SERVICE_ROLE_KEY');
  const publicKey = requireSetting(env, 'SUPABASE_ANON_KEY');
  const call = (method: string, path: string, apikey: string, authorization: string) =>
    fetch(url + path, { method, headers: { apikey, authorization }, signal: AbortSignal.timeout(timeoutMs) });
  const administer = async (method: string, path: string) => {
    const response = await call(method, path, serviceKey, `Bearer ${serviceKey}`);
    if (!response.ok) throw new AuthAdminError(`${method} ${path} answered ${response.status}`);
    return (await response.json()) as unknown;
  };
  return {
    async verifySession(authorization) {
      const response = await call('GET', '/user', publicKey, authorization);
      if (response.status === 401 || response.status === 403) return null;
      if (!response.ok) throw new AuthAdminError(`GET /user answered ${response.status}`);
      const { id } = parseAnswer(userSchema, 'GET /user', await response.json());
      const { session_id: sessionId } = parseAnswer(claimsSchema, 'The token', decodePayload(authorization));
      return sessionId === undefined ? null : { userId: id, sessionId };
    },
    async removeFactors(userId) {
      const path = `/admin/users/${userId}/factors`;
      const factors = parseAnswer(factorsSchema, `GET ${path}`, await administer('GET', path));
      for (const { id } of factors) await administer('DELETE', `${path}/${id}`);
      return factors.length;
    },
  };
}

/** The payload of a token that the auth service has verified. */
function decodePayload(authorization: string): unknown {
  const [, payload = ''] = authorization.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
}
