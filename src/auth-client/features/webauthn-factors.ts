import type { AuthClient } from '../auth-client.ts';
import { CallUser } from '../../platform/call-user.ts';
import { AuthError } from '../errors.ts';
import type { Session } from '../session/session.ts';
import {
  createCredential,
  readPageWebAuthn,
  requestCredential,
  type WebAuthn,
} from '../webauthn/web-authn.ts';
import type { CallOptions } from '../wire/request.ts';
import { createMfa, type FactorChallenge } from './mfa.ts';

/** Options of `createWebAuthnFactors`. */
export interface WebAuthnFactorsOptions {
  /** The Web Authentication API. Default: the page's. */
  readonly webAuthn?: WebAuthn | undefined;
}

/** Security keys and passkeys as second factors. Every method throws an `AuthError`. */
export interface WebAuthnFactors {
  /** Whether the runtime has the Web Authentication API. */
  isSupported(): boolean;
  /**
   * Enrolls a key, requests it from the authenticator and verifies it; the session becomes `aal2`. A factor that was not
   * verified is removed again.
   *
   * @throws {AuthError} `passkey-canceled`, `passkey-failed`, `unsupported-runtime`, `webauthn_credential_exists`,
   *   `mfa_factor_name_conflict`, `mfa_webauthn_enroll_not_enabled`, …
   */
  register(request: { readonly friendlyName: string }, options?: CallOptions): Promise<Session>;
  /**
   * Proves the second factor by a key that was registered; the session becomes `aal2`.
   *
   * @throws {AuthError} `passkey-canceled`, `passkey-failed`, `unsupported-runtime`, `mfa_factor_not_found`, …
   */
  authenticate(request: { readonly factorId: string }, options?: CallOptions): Promise<Session>;
}

/**
 * Adds second factors by Web Authentication to a client, each step of a ceremony in one call.
 *
 * @example
 * ```ts
 * import { createWebAuthnFactors } from 'supabase-protocol-clients/auth-client/mfa';
 *
 * const keys = createWebAuthnFactors(auth);
 * if (keys.isSupported()) await keys.register({ friendlyName: 'Key on the chain' });
 * ```
 */
export function createWebAuthnFactors(
  auth: AuthClient,
  { webAuthn }: WebAuthnFactorsOptions = {},
): WebAuthnFactors {
  const mfa = createMfa(auth);
  const findWebAuthn = () => webAuthn ?? readPageWebAuthn();

  async function prove(
    authenticator: WebAuthn,
    factorId: string,
    type: CeremonyType,
    options: CallOptions,
  ): Promise<Session> {
    const challenge = await mfa.challenge({ factorId }, options);
    const credential = await answerChallenge(authenticator, challenge, type, options.signal);
    return mfa.verify({ factorId, challengeId: challenge.id, webauthn: { type, credential } }, options);
  }

  return {
    isSupported: () => findWebAuthn() !== null,
    async register({ friendlyName }, { user = new CallUser(), ...given } = {}) {
      const options = { ...given, user };
      const authenticator = requireWebAuthn(findWebAuthn());
      const { id } = await mfa.enroll({ factorType: 'webauthn', friendlyName }, options);
      try {
        return await prove(authenticator, id, 'create', options);
      } catch (problem) {
        // An unverified factor would block its name.
        await mfa.unenroll({ factorId: id }, { user }).catch(auth.core.platform.report);
        throw problem;
      }
    },
    authenticate: async ({ factorId }, { user = new CallUser(), ...options } = {}) =>
      prove(requireWebAuthn(findWebAuthn()), factorId, 'request', { ...options, user }),
  };
}

type CeremonyType = 'create' | 'request';

/** @throws {AuthError} `unsupported-runtime` without the Web Authentication API. */
export function requireWebAuthn(webAuthn: WebAuthn | null): WebAuthn {
  if (webAuthn) return webAuthn;
  throw new AuthError('unsupported-runtime', 'Web Authentication is missing here');
}

/** Requests from the authenticator what a factor's challenge asks for. @throws {AuthError} */
export function answerChallenge(
  authenticator: WebAuthn,
  challenge: FactorChallenge,
  type: CeremonyType,
  signal: AbortSignal | undefined,
) {
  const json = readOptions(challenge);
  return type === 'create'
    ? createCredential(authenticator, json, signal)
    : requestCredential(authenticator, json, { signal });
}

/** @throws {AuthError} `not-the-service` for a challenge of another kind. */
function readOptions({ webauthn }: FactorChallenge): object {
  const { publicKey } = Object(webauthn?.options) as { readonly publicKey?: unknown };
  if (typeof publicKey === 'object' && publicKey !== null) return publicKey;
  throw new AuthError('not-the-service', 'The challenge has no options for Web Authentication');
}
