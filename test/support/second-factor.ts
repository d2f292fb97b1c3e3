import { Secret, TOTP } from 'otpauth';
import type { LocalSupabase } from 'local-supabase';
import type { Mfa } from '../../src/auth-client/features/mfa.ts';
import { requestApi } from './local-supabase.ts';

export interface SecondFactor {
  readonly factorId: string;
  /** An access token with `aal2`. */
  readonly token: string;
}

interface EnrollmentOptions {
  readonly nowMs?: () => number;
  readonly beforeVerification?: () => Promise<void>;
}

/** Enrolls and verifies an authenticator for the user of `token`. */
export async function enrollSecondFactor(
  supabase: LocalSupabase,
  token: string,
  { nowMs = Date.now, beforeVerification }: EnrollmentOptions = {},
): Promise<SecondFactor> {
  const post = async (path: string, body: unknown) => {
    const response = await requestApi(supabase, `/auth/v1/factors${path}`, { method: 'POST', token, body });
    if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string; totp: { secret: string }; access_token: string };
  };
  const factor = await post('', { factor_type: 'totp', friendly_name: `App ${crypto.randomUUID()}` });
  await beforeVerification?.();
  const challenge = await post(`/${factor.id}/challenge`, {});
  const code = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate({ timestamp: nowMs() });
  const session = await post(`/${factor.id}/verify`, { challenge_id: challenge.id, code });
  return { factorId: factor.id, token: session.access_token };
}

/** Enrolls and verifies an authenticator by the client. */
export async function createAuthenticator(mfa: Mfa, nowMs: () => number): Promise<void> {
  const { id, totp } = await mfa.enroll({ factorType: 'totp', friendlyName: 'App' });
  const secret = Secret.fromBase32(totp?.secret ?? '');
  const code = new TOTP({ secret }).generate({ timestamp: nowMs() });
  await mfa.challengeAndVerify({ factorId: id, code });
}
