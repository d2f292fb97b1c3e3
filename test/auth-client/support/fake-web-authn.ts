import type { WebAuthn } from '../../../src/auth-client/features/passkeys.ts';

type CeremonyOptions = Pick<CredentialRequestOptions, 'mediation' | 'signal'> & {
  readonly publicKey?: PublicKeyCredentialCreationOptions | PublicKeyCredentialRequestOptions;
};

/** A call of `navigator.credentials` that waits for the test. */
export interface CeremonyCall {
  readonly method: 'create' | 'get';
  readonly options: CeremonyOptions;
  resolve(credential: Credential | null): void;
  reject(problem: unknown): void;
}

export interface FakeWebAuthn extends WebAuthn {
  readonly calls: readonly CeremonyCall[];
}

/** The Web Authentication API without an authenticator: each call waits until the test settles it or its signal aborts. */
export function createFakeWebAuthn(methods: WebAuthn['publicKeyCredential'] = {}): FakeWebAuthn {
  const calls: CeremonyCall[] = [];
  const start = (method: CeremonyCall['method'], options: CeremonyOptions = {}) =>
    new Promise<Credential | null>((resolve, reject) => {
      calls.push({ method, options, resolve, reject });
      const abort = () => reject(options.signal?.reason);
      if (options.signal?.aborted) abort();
      options.signal?.addEventListener('abort', abort);
    });
  return {
    calls,
    credentials: { create: (options) => start('create', options), get: (options) => start('get', options) },
    publicKeyCredential: { isConditionalMediationAvailable: async () => true, ...methods },
  };
}

export const bytesOf = (text: string): ArrayBuffer => Uint8Array.from(Buffer.from(text)).buffer;

const createCredential = (response: object, more: object) =>
  ({
    id: 'Y3JlZA',
    rawId: bytesOf('cred'),
    type: 'public-key',
    authenticatorAttachment: 'platform',
    getClientExtensionResults: () => ({}),
    response: { clientDataJSON: bytesOf('client'), ...response },
    ...more,
  }) as Credential;

/** What `credentials.create` resolves with, in a browser without `toJSON`. */
export function createdCredential(more: object = {}): Credential {
  const response = { attestationObject: bytesOf('attestation'), getTransports: () => ['internal'] };
  return createCredential(response, more);
}

/** What `credentials.get` resolves with, in a browser without `toJSON`. */
export function requestedCredential(more: object = {}): Credential {
  const response = {
    authenticatorData: bytesOf('data'),
    signature: bytesOf('signature'),
    userHandle: bytesOf('ada'),
  };
  return createCredential(response, more);
}
