import { createHash, randomBytes } from 'node:crypto';

import { isoCBOR } from '@simplewebauthn/server/helpers';

import {
  type AuthenticatorAlgorithm,
  type AuthenticatorKey,
  createAuthenticatorKey,
} from './authenticator-key.ts';

/** The members of the registration options that an authenticator reads. */
export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id?: string };
  readonly user: { readonly id: string };
  readonly excludeCredentials?: readonly { readonly id: string }[];
}

/** The members of the sign-in options that an authenticator reads. */
export interface RequestOptions {
  readonly challenge: string;
  readonly rpId?: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
}

/** `PublicKeyCredential.toJSON()`. */
interface CredentialJson<ResponseJson> {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly authenticatorAttachment: 'platform';
  readonly clientExtensionResults: Record<string, never>;
  readonly response: ResponseJson;
}

export type CreatedCredential = CredentialJson<{
  readonly clientDataJSON: string;
  readonly attestationObject: string;
  readonly transports: 'internal'[];
}>;

export type AssertedCredential = CredentialJson<{
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle: string;
}>;

/** A discoverable credential, with its private key. */
interface StoredCredential {
  readonly id: string;
  readonly rpId: string;
  /** base64url. */
  readonly userHandle: string;
  readonly key: AuthenticatorKey;
}

/** What a test changes about one response of the authenticator. */
export interface Deviation {
  /** The origin in `clientDataJSON`. Default: that of the authenticator. */
  readonly origin?: string;
  /** The domain whose hash is in the authenticator data. Default: that of the options. */
  readonly rpId?: string;
  /** The ceremony in `clientDataJSON`. */
  readonly type?: string;
  /** base64url. Default: that of the options. */
  readonly challenge?: string;
  /** Default 0 for a registration; afterwards one more for each sign-in. */
  readonly signCount?: number;
  /** Whether the passkey may be copied to other devices. Default false. */
  readonly isBackupEligible?: boolean;
  readonly isBackedUp?: boolean;
  /** Default true. */
  readonly isUserPresent?: boolean;
  readonly isUserVerified?: boolean;
  /** base64url. Default: that of the registration. */
  readonly userHandle?: string;
  /** A UUID. Default: zeros, as browsers send for attestation `none`. */
  readonly aaguid?: string;
  /** The algorithm of the created key. Default ES256. */
  readonly algorithm?: AuthenticatorAlgorithm;
  /** The length of the created credential's id. Default 32. */
  readonly idBytes?: number;
}

/** An authenticator with attestation `none`, in memory. */
export interface SoftwareAuthenticator {
  /** The ids of the stored passkeys, oldest first. */
  readonly credentialIds: readonly string[];
  /** Creates a passkey. Throws an InvalidStateError when one of `excludeCredentials` is stored. */
  create(options: CreationOptions, deviation?: Deviation): CreatedCredential;
  /** Signs with the newest passkey of the domain. Throws a NotAllowedError without one. */
  get(options: RequestOptions, deviation?: Deviation): AssertedCredential;
}

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();
const encodeUint = (value: number, bytes: number): Buffer =>
  Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex');
const encodeCredential = <ResponseJson>(
  id: string,
  response: ResponseJson,
): CredentialJson<ResponseJson> => ({
  id,
  rawId: id,
  type: 'public-key',
  authenticatorAttachment: 'platform',
  clientExtensionResults: {},
  response,
});
const nilUuid = '00000000-0000-0000-0000-000000000000';

/** Creates an authenticator in a browser whose page has `origin`. */
export function createSoftwareAuthenticator(origin: string): SoftwareAuthenticator {
  const credentials: StoredCredential[] = [];
  let signCount = 0;

  const encodeClientData = (type: string, challenge: string, deviation: Deviation): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: deviation.type ?? type,
        challenge: deviation.challenge ?? challenge,
        origin: deviation.origin ?? origin,
        crossOrigin: false,
      }),
    );

  /** The common start of the authenticator data (WebAuthn section 6.1): hash, flags, counter. */
  const encodeHeader = (
    rpId: string,
    hasCredential: boolean,
    count: number,
    deviation: Deviation,
  ): Buffer => {
    const { isUserPresent = true, isUserVerified = true, isBackupEligible, isBackedUp } = deviation;
    const flags =
      (isUserPresent ? 0x01 : 0) |
      (isUserVerified ? 0x04 : 0) |
      (isBackupEligible ? 0x08 : 0) |
      (isBackedUp ? 0x10 : 0) |
      (hasCredential ? 0x40 : 0);
    return Buffer.concat([
      sha256(deviation.rpId ?? rpId),
      encodeUint(flags, 1),
      encodeUint(deviation.signCount ?? count, 4),
    ]);
  };

  return {
    get credentialIds() {
      return credentials.map(({ id }) => id);
    },
    create(options, deviation = {}) {
      const excluded = options.excludeCredentials?.some(({ id }) => credentials.some((own) => own.id === id));
      if (excluded) throw new DOMException('The passkey is already registered', 'InvalidStateError');
      const rpId = options.rp.id ?? new URL(origin).hostname;
      const key = createAuthenticatorKey(deviation.algorithm ?? 'ES256');
      const credentialId = randomBytes(deviation.idBytes ?? 32);
      const id = credentialId.toString('base64url');
      credentials.push({ id, rpId, userHandle: options.user.id, key });
      const authData = Buffer.concat([
        encodeHeader(rpId, true, 0, deviation),
        Buffer.from((deviation.aaguid ?? nilUuid).replaceAll('-', ''), 'hex'),
        encodeUint(credentialId.length, 2),
        credentialId,
        isoCBOR.encode(key.cose),
      ]);
      const attestationObject = isoCBOR.encode(
        new Map<string, string | Map<string, never> | Uint8Array>([
          ['fmt', 'none'],
          ['attStmt', new Map<string, never>()],
          ['authData', new Uint8Array(authData)],
        ]),
      );
      const clientData = encodeClientData('webauthn.create', options.challenge, deviation);
      return encodeCredential(id, {
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: Buffer.from(attestationObject).toString('base64url'),
        transports: ['internal'],
      });
    },
    get(options, deviation = {}) {
      const rpId = options.rpId ?? new URL(origin).hostname;
      const allowed = options.allowCredentials?.map(({ id }) => id) ?? [];
      const credential = credentials.findLast(
        (own) => own.rpId === rpId && (allowed.length === 0 || allowed.includes(own.id)),
      );
      if (!credential) throw new DOMException('There is no passkey for this site', 'NotAllowedError');
      const clientData = encodeClientData('webauthn.get', options.challenge, deviation);
      const authenticatorData = encodeHeader(rpId, false, (signCount += 1), deviation);
      const signature = credential.key.sign(Buffer.concat([authenticatorData, sha256(clientData)]));
      return encodeCredential(credential.id, {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: deviation.userHandle ?? credential.userHandle,
      });
    },
  };
}
