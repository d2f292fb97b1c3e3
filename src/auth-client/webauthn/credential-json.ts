import { decodeBase64Url, encodeBase64Url } from '../../platform/base64.ts';

/** Static methods of `PublicKeyCredential`. */
export interface PublicKeyCredentialMethods {
  /** Whether the browser can offer passkeys in a field's autofill. */
  isConditionalMediationAvailable?(): Promise<boolean>;
  /** Reads the JSON form of the options of `credentials.create`. Default: the client's own conversion. */
  parseCreationOptionsFromJSON?(json: PublicKeyCredentialCreationOptionsJSON): unknown;
  /** Reads the JSON form of the options of `credentials.get`. Default: the client's own conversion. */
  parseRequestOptionsFromJSON?(json: PublicKeyCredentialRequestOptionsJSON): unknown;
}

/** The JSON form of a credential (WebAuthn Level 3, §5.1.8): binary members in base64url. Only the server reads it. */
export type CredentialJson = object;

/**
 * Options of `credentials.create` from their JSON form. Without the browser's own method, extensions are left out: the server
 * requests none, and some have binary members.
 *
 * @throws if they are malformed.
 */
export function parseCreationOptions(
  options: object,
  native: PublicKeyCredentialMethods,
): PublicKeyCredentialCreationOptions {
  const json = options as PublicKeyCredentialCreationOptionsJSON;
  if (native.parseCreationOptionsFromJSON)
    return native.parseCreationOptionsFromJSON(json) as PublicKeyCredentialCreationOptions;
  const { challenge, user, excludeCredentials = [], extensions: _extensions, ...rest } = json;
  return {
    ...rest,
    challenge: decodeBase64Url(challenge),
    user: { ...user, id: decodeBase64Url(user.id) },
    excludeCredentials: excludeCredentials.map(parseDescriptor),
  } as PublicKeyCredentialCreationOptions;
}

/** Options of `credentials.get` from their JSON form, like {@link parseCreationOptions}. @throws if they are malformed. */
export function parseRequestOptions(
  options: object,
  native: PublicKeyCredentialMethods,
): PublicKeyCredentialRequestOptions {
  const json = options as PublicKeyCredentialRequestOptionsJSON;
  if (native.parseRequestOptionsFromJSON)
    return native.parseRequestOptionsFromJSON(json) as PublicKeyCredentialRequestOptions;
  const { challenge, allowCredentials = [], extensions: _extensions, ...rest } = json;
  return {
    ...rest,
    challenge: decodeBase64Url(challenge),
    allowCredentials: allowCredentials.map(parseDescriptor),
  } as PublicKeyCredentialRequestOptions;
}

function parseDescriptor({ id, ...rest }: PublicKeyCredentialDescriptorJSON): PublicKeyCredentialDescriptor {
  return { ...rest, id: decodeBase64Url(id) } as PublicKeyCredentialDescriptor;
}

/** A credential of `credentials.create` or `credentials.get`; older browsers lack `toJSON`. */
type AnyCredential = Omit<PublicKeyCredential, 'toJSON'> & Partial<Pick<PublicKeyCredential, 'toJSON'>>;

/** The JSON form of a credential, by the browser's own `toJSON` where it works. */
export function credentialToJson(credential: AnyCredential): CredentialJson {
  try {
    if (credential.toJSON) return credential.toJSON();
  } catch {
    // Password managers return other objects, on which the browser's method throws.
  }
  return {
    id: credential.id,
    rawId: encode(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: responseToJson(credential.response),
  };
}

/** The members of both kinds of response; the browser sets those of one kind. */
type ResponseMembers = AuthenticatorResponse &
  Partial<AuthenticatorAttestationResponse> &
  Partial<AuthenticatorAssertionResponse>;

function responseToJson(response: ResponseMembers): CredentialJson {
  return {
    clientDataJSON: encode(response.clientDataJSON),
    attestationObject: encode(response.attestationObject),
    transports: response.getTransports?.(),
    authenticatorData: encode(response.authenticatorData),
    signature: encode(response.signature),
    userHandle: encode(response.userHandle),
  };
}

/** `undefined` members do not reach the wire. */
function encode(bytes: ArrayBuffer | null | undefined): string | undefined {
  return bytes ? encodeBase64Url(new Uint8Array(bytes)) : undefined;
}
