import { AuthError } from '../errors.ts';
import {
  type CredentialJson,
  type PublicKeyCredentialMethods,
  credentialToJson,
  parseCreationOptions,
  parseRequestOptions,
} from './credential-json.ts';

/** The part of the Web Authentication API (W3C, Level 3) that passkeys need. */
export interface WebAuthn {
  /** `navigator.credentials`. */
  readonly credentials: Pick<CredentialsContainer, 'create' | 'get'>;
  /** The static methods of `PublicKeyCredential`; each of them is optional, because browsers gained them one by one. */
  readonly publicKeyCredential: PublicKeyCredentialMethods;
}

/** Returns the page's Web Authentication API; null where the browser, the runtime or an insecure page lacks it. */
export function readPageWebAuthn(): WebAuthn | null {
  const { PublicKeyCredential: publicKeyCredential, navigator } = globalThis as {
    readonly PublicKeyCredential?: PublicKeyCredentialMethods;
    readonly navigator?: { readonly credentials?: CredentialsContainer };
  };
  const credentials = navigator?.credentials;
  return publicKeyCredential && credentials ? { publicKeyCredential, credentials } : null;
}

/** Creates a credential on an authenticator. `signal` is the caller's. @throws {AuthError} */
export async function createCredential(
  { credentials, publicKeyCredential }: WebAuthn,
  options: object,
  signal: AbortSignal | undefined,
): Promise<CredentialJson> {
  const publicKey = parseOptions(() => parseCreationOptions(options, publicKeyCredential));
  try {
    return readCredential(await credentials.create({ publicKey, ...(signal && { signal }) }));
  } catch (problem) {
    // The authenticator already holds one of the credentials that the options exclude.
    const isExisting = nameOf(problem) === 'InvalidStateError';
    if (!isExisting) throw toCeremonyError(problem, signal);
    throw new AuthError(
      'webauthn_credential_exists',
      'This authenticator already has a passkey of the user',
      {
        cause: problem,
      },
    );
  }
}

export interface RequestOptions {
  /** `conditional`: in the autofill of a field, without a prompt. Default: a prompt at once. */
  readonly mediation?: 'conditional' | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Requests a signature by one of the person's credentials. @throws {AuthError} */
export async function requestCredential(
  { credentials, publicKeyCredential }: WebAuthn,
  options: object,
  { mediation, signal }: RequestOptions,
): Promise<CredentialJson> {
  const publicKey = parseOptions(() => parseRequestOptions(options, publicKeyCredential));
  try {
    return readCredential(
      await credentials.get({ publicKey, ...(mediation && { mediation }), ...(signal && { signal }) }),
    );
  } catch (problem) {
    throw toCeremonyError(problem, signal);
  }
}

function parseOptions<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new AuthError('not-the-service', 'The options for the authenticator cannot be read', { cause });
  }
}

function readCredential(credential: Credential | null): CredentialJson {
  if (credential) return credentialToJson(credential as PublicKeyCredential);
  throw new AuthError('passkey-failed', 'The browser returned no credential');
}

/** Maps the browser's errors of a ceremony (WebAuthn Level 3, §5.1.3 and §5.1.4). */
function toCeremonyError(problem: unknown, signal: AbortSignal | undefined): AuthError {
  if (problem instanceof AuthError) return problem;
  const name = nameOf(problem);
  const fields = { cause: problem };
  if (signal?.aborted || name === 'AbortError') return new AuthError('aborted', 'Aborted', fields);
  // The browser does not distinguish a dismissed prompt from a timeout.
  if (name === 'NotAllowedError')
    return new AuthError('passkey-canceled', 'The prompt was dismissed or timed out', fields);
  if (name === 'NotSupportedError' || name === 'ConstraintError')
    return new AuthError('unsupported-runtime', 'No authenticator of this device can do this', fields);
  return new AuthError('passkey-failed', `The browser refused: ${name}`, fields);
}

function nameOf(problem: unknown): string {
  return String((Object(problem) as { readonly name?: unknown }).name);
}
