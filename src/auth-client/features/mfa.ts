import type { AuthClient } from '../auth-client.ts';
import { peekClaims } from '../../platform/base64url.ts';
import { type Endpoint, post } from '../wire/endpoints.ts';
import { missingSession } from '../errors.ts';
import type { CallOptions } from '../wire/request.ts';
import { type Factor, parseSession } from '../wire/responses.ts';
import type { Session } from '../session/session.ts';
import { callAsUser } from '../calls/user-call.ts';
import { maybe, number, object, text } from '../wire/wire-shape.ts';

const parseEnrolment = object({
  id: text,
  type: text,
  friendly_name: maybe(text),
  phone: maybe(text),
  totp: maybe(object({ qr_code: text, secret: text, uri: text })),
});
const parseChallenge = object({
  id: text,
  type: text,
  expires_at: number,
  webauthn: maybe(object({ type: text })),
});

/** What to enrol; `webauthn` is proved by `challenge` and `verify`, as the others are. */
export type FactorEnrolment =
  | { readonly factorType: 'totp'; readonly friendlyName?: string; readonly issuer?: string }
  | { readonly factorType: 'phone'; readonly friendlyName?: string; readonly phone: string }
  | { readonly factorType: 'webauthn'; readonly friendlyName?: string };

/** A factor that is enrolled and not yet verified: it counts once it is. */
export interface EnrolledFactor {
  readonly id: string;
  readonly type: string;
  readonly friendlyName: string | null;
  readonly phone: string | null;
  /** For `totp`: an image URL of the QR code, and the secret for typing in. */
  readonly totp: { readonly qrCodeUrl: string; readonly secret: string; readonly uri: string } | null;
}

/** What a factor has to answer. */
export interface FactorChallenge {
  readonly id: string;
  readonly type: string;
  /** Milliseconds since the epoch by the server's clock; 300 s after the challenge. */
  readonly expiresAtMs: number;
  /** For `webauthn`: what `navigator.credentials.create` or `.get` takes, in its JSON form. */
  readonly webauthn: { readonly type: string; readonly options: unknown } | null;
}

/** A code, or the JSON form of the credential that the browser made. */
export type FactorProof =
  | { readonly code: string }
  | { readonly webauthn: { readonly type: 'create' | 'request'; readonly credential: unknown } };

/** The factors of the user. */
export interface FactorList {
  readonly all: readonly Factor[];
  /** The verified ones by type. */
  readonly totp: readonly Factor[];
  readonly phone: readonly Factor[];
  readonly webauthn: readonly Factor[];
}

/** How sure the session is of its user, and how sure it could be. */
export interface AssuranceLevel {
  readonly currentLevel: 'aal1' | 'aal2' | null;
  /** `aal2` where a verified factor waits to be asked. */
  readonly nextLevel: 'aal1' | 'aal2' | null;
  /** How the session was authenticated, latest first; `timestamp` in seconds, null where the token has RFC 8176's bare names. */
  readonly methods: readonly { readonly method: string; readonly timestamp: number | null }[];
}

/** Second factors of the user who is signed in. Every method throws {@link AuthError}. */
export interface Mfa {
  /** Begins a factor; it counts once `verify` has proved it. */
  enroll(factor: FactorEnrolment, options?: CallOptions): Promise<EnrolledFactor>;
  /** Asks a factor; for `phone` this sends the code. */
  challenge(
    request: { readonly factorId: string; readonly channel?: 'sms' | 'whatsapp' },
    options?: CallOptions,
  ): Promise<FactorChallenge>;
  /** Raises the session to `aal2`; the server ends the user's sessions below it. */
  verify(
    request: { readonly factorId: string; readonly challengeId: string } & FactorProof,
    options?: CallOptions,
  ): Promise<Session>;
  /** Both at once, for codes that need no sending. */
  challengeAndVerify(
    request: { readonly factorId: string; readonly code: string },
    options?: CallOptions,
  ): Promise<Session>;
  /** Removes a factor and refreshes, since the session may have to fall back to `aal1`. */
  unenroll(request: { readonly factorId: string }, options?: CallOptions): Promise<void>;
  /** The factors as the server knows them now. */
  listFactors(options?: CallOptions): Promise<FactorList>;
  /** From the access token and the stored user, without a request: a hint for the interface, not a proof. */
  getAuthenticatorAssuranceLevel(): Promise<AssuranceLevel>;
}

/**
 * Second factors: enrol one, and raise the session to `aal2` with it.
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
  const factor = (id: string, suffix = '') => `/factors/${encodeURIComponent(id)}${suffix}`;
  const mfa: Mfa = {
    async enroll({ factorType, friendlyName, ...rest }, options) {
      const endpoint = post('/factors', { factor_type: factorType, friendly_name: friendlyName, ...rest });
      const { id, type, friendly_name, phone, totp } = await callAsUser(
        core,
        endpoint,
        parseEnrolment,
        options,
      );
      return {
        id,
        type,
        friendlyName: friendly_name ?? null,
        phone: phone ?? null,
        totp: totp ? { qrCodeUrl: imageUrlOf(totp.qr_code), secret: totp.secret, uri: totp.uri } : null,
      };
    },
    async challenge({ factorId, channel }, options) {
      const { id, type, expires_at, webauthn } = await callAsUser(
        core,
        post(factor(factorId, '/challenge'), { channel }),
        parseChallenge,
        options,
      );
      return {
        id,
        type,
        expiresAtMs: expires_at * 1000,
        webauthn: webauthn ? { type: webauthn.type, options: webauthn['credential_options'] } : null,
      };
    },
    async verify({ factorId, challengeId, ...proof }, options) {
      await core.ready();
      const userId = core.keeper.held()?.record.user.id;
      await getAccessToken(options);
      const body =
        'code' in proof
          ? { challenge_id: challengeId, code: proof.code }
          : {
              challenge_id: challengeId,
              webauthn: { type: proof.webauthn.type, credential_response: proof.webauthn.credential },
            };
      // The verification replaces the refresh token: a refresh beside it would be refused as a reuse.
      const verified = core.refresher.exclusively(async () => {
        await core.keeper.sync();
        const before = core.keeper.held()?.record;
        if (before?.user.id !== userId || !before) throw missingSession();
        const endpoint = post(factor(factorId, '/verify'), body);
        const { access_token: accessToken, refresh_token } = before;
        const reply = await core.send(endpoint, parseSession, { accessToken });
        await core.keeper.renew(refresh_token, reply, 'MFA_CHALLENGE_VERIFIED', 'call');
        const { session } = core.keeper.getSnapshot();
        if (session?.user.id !== userId || !session) throw missingSession();
        return session;
      });
      // The reply is the only copy of the tokens: who stops waiting does not stop it.
      return core.waitFor(verified, options ?? {});
    },
    async challengeAndVerify({ factorId, code }, options) {
      const { id } = await mfa.challenge({ factorId }, options);
      return mfa.verify({ factorId, challengeId: id, code }, options);
    },
    async unenroll({ factorId }, options) {
      const endpoint: Endpoint = { method: 'DELETE', path: factor(factorId) };
      await callAsUser(core, endpoint, () => undefined, options);
      // The factor is gone whatever becomes of the refresh.
      await core.refresher.refresh().catch(core.platform.report);
    },
    async listFactors(options) {
      const all = (await getUser(options)).factors ?? [];
      const verified = (type: string) =>
        all.filter((entry) => entry.factor_type === type && entry.status === 'verified');
      return { all, totp: verified('totp'), phone: verified('phone'), webauthn: verified('webauthn') };
    },
    async getAuthenticatorAssuranceLevel() {
      const session = await getSession();
      if (!session) return { currentLevel: null, nextLevel: null, methods: [] };
      const { aal, amr } = peekClaims(session.accessToken) ?? {};
      const currentLevel = aal === 'aal1' || aal === 'aal2' ? aal : null;
      const hasFactor = session.user.factors?.some((entry) => entry.status === 'verified');
      return {
        currentLevel,
        nextLevel: hasFactor ? 'aal2' : currentLevel,
        methods: [amr ?? []].flat().map(methodOf),
      };
    },
  };
  return mfa;
}

/** What it says is a hint like the rest of the claims. */
function methodOf(entry: unknown): AssuranceLevel['methods'][number] {
  const { method, timestamp } = Object(entry) as { method?: unknown; timestamp?: unknown };
  return { method: String(method ?? entry), timestamp: Number(timestamp) || null };
}

function imageUrlOf(svg: string): string {
  return svg.startsWith('data:') ? svg : `data:image/svg+xml;utf-8,${encodeURIComponent(svg)}`;
}
