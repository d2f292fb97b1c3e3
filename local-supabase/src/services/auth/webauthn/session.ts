import { encodeBase64 } from '../../../platform/base64.ts';
import { createSecret } from '../../../platform/random.ts';

const challengeBytes = 32;
/** The expiry with which go-webauthn's session data never expires: the row that stores it has its own expiry. */
const noExpiry = '0001-01-01T00:00:00Z';

/** The state of a ceremony between its two requests, in the form of go-webauthn. */
export interface WebAuthnSession {
  /** base64url. */
  readonly challenge: string;
  readonly rpId: string;
  /** Base64; null while the user is unknown. */
  readonly user_id: string | null;
  /** Base64. The credentials that may sign, if the user is known. */
  readonly allowed_credentials?: readonly string[];
  readonly expires: string;
  readonly userVerification: string;
  /** The key types that may be created, for a registration. */
  readonly credParams?: readonly object[];
}

interface SessionOptions extends Pick<
  WebAuthnSession,
  'rpId' | 'userVerification' | 'allowed_credentials' | 'credParams'
> {
  readonly userId: string | null;
}

export function createWebAuthnSession({ userId, ...options }: SessionOptions): WebAuthnSession {
  return {
    challenge: createSecret(challengeBytes),
    user_id: userId === null ? null : encodeBase64(userId),
    expires: noExpiry,
    ...options,
  };
}
