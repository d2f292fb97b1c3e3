import type { WebAuthn } from '../../src/auth-client/features/passkeys.ts';
import type { CreationOptions, RequestOptions, SoftwareAuthenticator } from './software-authenticator.ts';

/** The Web Authentication API of a page with a software authenticator, whose user confirms every prompt at once. */
export function createSoftwareWebAuthn(authenticator: SoftwareAuthenticator): WebAuthn {
  // The authenticator reads and writes the JSON forms.
  const readJson = (json: object) => json;
  const toCredential = (json: { readonly response: object }) => {
    const { userHandle } = json.response as { readonly userHandle?: string };
    const response = { userHandle: userHandle === undefined ? null : Buffer.from(userHandle, 'base64url') };
    return { toJSON: () => json, response } as unknown as Credential;
  };
  return {
    credentials: {
      create: async (options) =>
        toCredential(authenticator.create(options?.publicKey as unknown as CreationOptions)),
      get: async (options) =>
        toCredential(authenticator.get(options?.publicKey as unknown as RequestOptions)),
    },
    publicKeyCredential: {
      isConditionalMediationAvailable: async () => true,
      parseCreationOptionsFromJSON: readJson,
      parseRequestOptionsFromJSON: readJson,
    },
  };
}
