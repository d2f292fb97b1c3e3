import type { AuthClient } from '../auth-client.ts';
import { CallUser } from '../../platform/call-user.ts';
import { decodeJwtClaims } from '../../platform/jwt.ts';
import { type Endpoint, encodeUuid, post } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseConfirmation, type Factor } from '../wire/responses.ts';
import type { Session } from '../session/session.ts';
import { raiseSession } from '../calls/raise-session.ts';
import { callAsUser } from '../calls/user-call.ts';
import { nullish, number, object, string } from '../../platform/schema.ts';

const parseEnrollment = object({
  id: string,
  type: string,
  friendly_name: nullish(string),
  phone: nullish(string),
  totp: nullish(object({ qr_code: string, secret: string, uri: string })),
});
const parseChallenge = object({
  id: string,
  type: string,
  expires_at: number,
  webauthn: nullish(object({ type: string })),
});

/** The factor to enroll. */
export type FactorEnrollment =
  /** An authenticator app (RFC 6238); `issuer` is the name that the app shows. */
  | { readonly factorType: 'totp'; readonly friendlyName?: string; readonly issuer?: string }
  /** Codes to a phone number in E.164 form. */
  | { readonly factorType: 'phone'; readonly friendlyName?: string; readonly phone: string }
  | { readonly factorType: 'webauthn'; readonly friendlyName?: string };

/** A factor that is enrolled and not yet verified. */
export interface EnrolledFactor {
  readonly id: string;
  /** `totp`, `phone` or `webauthn`. */
  readonly type: string;
  /** The name that the user gave the factor; null if none. */
  readonly friendlyName: string | null;
  /** The number of a `phone` factor; else null. */
  readonly phone: string | null;
  /** For `totp`: a data URL with the QR code, the secret for typing it, and the `otpauth:` URI; else null. */
  readonly totp: { readonly qrCodeUrl: string; readonly secret: string; readonly uri: string } | null;
}

/** A challenge for a factor. */
export interface FactorChallenge {
  readonly id: string;
  /** The factor's type: `totp`, `phone` or `webauthn`. */
  readonly type: string;
  /** Milliseconds since the epoch by the server's clock: 300 s after the challenge. */
  readonly expiresAtMs: number;
  /** For `webauthn`: the JSON form of the options of `navigator.credentials.create` or `.get`; else null. */
  readonly webauthn: { readonly type: string; readonly options: unknown } | null;
}

/** A code, or the JSON form of the browser's credential. */
export type FactorProof =
  /** The code of an app or a message. */
  | { readonly code: string }
  /** The credential that the browser created or requested. */
  | { readonly webauthn: { readonly type: 'create' | 'request'; readonly credential: unknown } };

/** The user's second factors, as the server listed them. */
export interface FactorList {
  /** All factors, also unverified ones. */
  readonly all: readonly Factor[];
  /** The verified authenticator apps. */
  readonly totp: readonly Factor[];
  /** The verified phones. */
  readonly phone: readonly Factor[];
  /** The verified security keys and passkeys. */
  readonly webauthn: readonly Factor[];
  /** The recovery codes of the service, as one factor. */
  readonly recoveryCodes: readonly Factor[];
}

/** The assurance level of a session (NIST SP 800-63B), and the one that the user's factors allow. */
export interface AssuranceLevel {
  /** The level of the access token; null if no user is signed in. */
  readonly currentLevel: 'aal1' | 'aal2' | null;
  /** `aal2` if the user has a verified factor, else the current level. */
  readonly nextLevel: 'aal1' | 'aal2' | null;
  /** How the session was authenticated, latest first. `timestamp` in seconds since the epoch; null if the token has none. */
  readonly methods: readonly { readonly method: string; readonly timestamp: number | null }[];
}

/** Options of `getAuthenticatorAssuranceLevel`. */
export interface AssuranceLevelOptions extends CallOptions {
  /** The access token to read the level from; the factors are then read from the server. Default: the session's own. */
  readonly accessToken?: string | undefined;
}

/** Second factors of the signed-in user. Every method throws an `AuthError`. */
export interface Mfa {
  /** Enrolls a factor, which counts once `verify` has proved it. */
  enroll(factor: FactorEnrollment, options?: CallOptions): Promise<EnrolledFactor>;
  /** Challenges a factor; for `phone` this sends the code. */
  challenge(
    request: { readonly factorId: string; readonly channel?: 'sms' | 'whatsapp' },
    options?: CallOptions,
  ): Promise<FactorChallenge>;
  /** Verifies a challenge and raises the session to `aal2`; the server ends the user's other `aal1` sessions. */
  verify(
    request: { readonly factorId: string; readonly challengeId: string } & FactorProof,
    options?: CallOptions,
  ): Promise<Session>;
  /** Challenges an authenticator app and verifies its code. */
  challengeAndVerify(
    request: { readonly factorId: string; readonly code: string },
    options?: CallOptions,
  ): Promise<Session>;
  /** Removes a factor and refreshes the session, whose level may fall to `aal1`. */
  unenroll(request: { readonly factorId: string }, options?: CallOptions): Promise<void>;
  /** Reads the factors from the auth server. */
  listFactors(options?: CallOptions): Promise<FactorList>;
  /** Reads the level from the access token and the stored user, without a request: a hint for the interface, not a proof. */
  getAuthenticatorAssuranceLevel(options?: AssuranceLevelOptions): Promise<AssuranceLevel>;
}

/**
 * Adds second factors to a client: enroll one, and raise the session to `aal2` with it.
 *
 * @example
 * ```ts
 * import { createMfa } from 'supabase-protocol-clients/auth-client/mfa';
 *
 * const mfa = createMfa(auth);
 * const { currentLevel, nextLevel } = await mfa.getAuthenticatorAssuranceLevel();
 * if (currentLevel !== nextLevel) {
 *   const [factor] = (await mfa.listFactors()).totp;
 *   if (factor) await mfa.challengeAndVerify({ factorId: factor.id, code: '123456' });
 * }
 * ```
 */
export function createMfa({ core, getAccessToken, getSession, getUser }: AuthClient): Mfa {
  const mfa: Mfa = {
    async enroll({ factorType, friendlyName, ...rest }, options) {
      const endpoint = post('/factors', { factor_type: factorType, friendly_name: friendlyName, ...rest });
      return toEnrollment(await callAsUser(core, endpoint, parseEnrollment, options));
    },
    async challenge({ factorId, channel }, options) {
      const endpoint = post(factorPath(factorId, '/challenge'), { channel });
      const { id, type, expires_at, webauthn } = await callAsUser(core, endpoint, parseChallenge, options);
      return {
        id,
        type,
        expiresAtMs: expires_at * 1000,
        webauthn: webauthn ? { type: webauthn.type, options: webauthn['credential_options'] } : null,
      };
    },
    async verify({ factorId, challengeId, ...proof }, options) {
      const body = { challenge_id: challengeId, ...encodeProof(proof) };
      return raiseSession({ core, getAccessToken }, post(factorPath(factorId, '/verify'), body), options);
    },
    async challengeAndVerify({ factorId, code }, { user = new CallUser(), ...options } = {}) {
      const { id } = await mfa.challenge({ factorId }, { ...options, user });
      return mfa.verify({ factorId, challengeId: id, code }, { ...options, user });
    },
    async unenroll({ factorId }, options) {
      const endpoint: Endpoint = { method: 'DELETE', path: factorPath(factorId) };
      await core.ready();
      const userId = core.session.current()?.record.user.id;
      await callAsUser(core, endpoint, parseConfirmation, options);
      if (core.session.current()?.record.user.id !== userId) return;
      // The factor is removed even if the refresh fails.
      await core.refresher.refresh().catch(core.platform.report);
    },
    async listFactors(options) {
      const all = (await getUser(options)).factors ?? [];
      const verified = (type: string) =>
        all.filter((entry) => entry.factor_type === type && entry.status === 'verified');
      return {
        all,
        totp: verified('totp'),
        phone: verified('phone'),
        webauthn: verified('webauthn'),
        recoveryCodes: verified('recovery_code'),
      };
    },
    async getAuthenticatorAssuranceLevel({ accessToken: givenToken, ...call } = {}) {
      return readLevel(
        givenToken !== undefined
          ? { accessToken: givenToken, user: await getUser({ ...call, accessToken: givenToken }) }
          : await getSession(call),
      );
    },
  };
  return mfa;
}

function factorPath(id: string, suffix = ''): string {
  return `/factors/${encodeUuid('factorId', id)}${suffix}`;
}

function toEnrollment({
  id,
  type,
  friendly_name,
  phone,
  totp,
}: ReturnType<typeof parseEnrollment>): EnrolledFactor {
  return {
    id,
    type,
    friendlyName: friendly_name ?? null,
    phone: phone ?? null,
    totp: totp ? { qrCodeUrl: imageUrlOf(totp.qr_code), secret: totp.secret, uri: totp.uri } : null,
  };
}

function readLevel(session: Pick<Session, 'accessToken' | 'user'> | null): AssuranceLevel {
  if (!session) return { currentLevel: null, nextLevel: null, methods: [] };
  const { aal, amr } = decodeJwtClaims(session.accessToken) ?? {};
  const currentLevel = aal === 'aal1' || aal === 'aal2' ? aal : null;
  const hasFactor = session.user.factors?.some(({ status }) => status === 'verified');
  return {
    currentLevel,
    nextLevel: hasFactor ? 'aal2' : currentLevel,
    methods: Array.isArray(amr) ? amr.map(toMethod) : [],
  };
}

const encodeProof = (proof: FactorProof) =>
  'code' in proof
    ? { code: proof.code }
    : { webauthn: { type: proof.webauthn.type, credential_response: proof.webauthn.credential } };

/** An entry of the claim `amr`: an object with a time, or a bare name (RFC 8176). */
function toMethod(entry: unknown): AssuranceLevel['methods'][number] {
  const { method, timestamp } = Object(entry) as { method?: unknown; timestamp?: unknown };
  return { method: String(method ?? entry), timestamp: typeof timestamp === 'number' ? timestamp : null };
}

function imageUrlOf(svg: string): string {
  return svg.startsWith('data:') ? svg : `data:image/svg+xml;utf-8,${encodeURIComponent(svg)}`;
}
