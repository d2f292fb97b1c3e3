import { decodeBase64 } from '../../../platform/base64.ts';
import { decodeUtf8 } from '../../../platform/bytes.ts';
import { type JsonObject, readMember } from '../http/call.ts';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** The members of `clientDataJSON` that the service itself checks. */
export interface ClientData {
  readonly origin: string;
  readonly topOrigin?: string;
}

/** The result of `navigator.credentials.create()`, with the members that verification needs. */
export interface RegistrationResponse {
  readonly json: RegistrationResponseJSON;
  readonly clientData: ClientData;
  readonly transports: readonly string[];
}

/** The result of `navigator.credentials.get()`, with the members that verification needs. */
export interface AssertionResponse {
  readonly json: AuthenticationResponseJSON;
  readonly clientData: ClientData;
  /** Whether the passkey may be copied to other devices; never changes. */
  readonly isBackupEligible: boolean;
  readonly signCount: number;
  readonly credentialId: Uint8Array;
  /** The user id of the registration, decoded. */
  readonly userHandle: string;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readObject(value: unknown, name: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new TypeError(`${name} is not an object`);
  return value;
}

function readString(fields: JsonObject, name: string): string {
  const value = readMember(fields, name) ?? '';
  if (typeof value !== 'string') throw new TypeError(`${name} is not a string`);
  return value;
}

/** Reads a base64url member and strips its padding, which Go accepts and the verification library rejects. */
function readBase64url(fields: JsonObject, name: string): string {
  const text = readString(fields, name).replace(/=+$/, '');
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) throw new TypeError(`${name} is not base64url`);
  return text;
}

function readClientData(encoded: string): ClientData {
  const parsed: unknown = JSON.parse(decodeUtf8(decodeBase64(encoded)));
  const fields = readObject(parsed, 'clientDataJSON');
  const topOrigin = readString(fields, 'topOrigin');
  return { origin: readString(fields, 'origin'), ...(topOrigin !== '' && { topOrigin }) };
}

function readTransports(response: JsonObject): readonly string[] {
  const transports = readMember(response, 'transports') ?? [];
  if (!Array.isArray(transports) || !transports.every((item) => typeof item === 'string'))
    throw new TypeError('transports is not a list of strings');
  // Chrome's former name of the hybrid transport.
  return transports.map((transport) => (transport === 'cable' ? 'hybrid' : transport));
}

/** Reads the members that all credentials have. As in Go, a wrong type is rejected even for members that are not used. */
function readCredential(credential: unknown) {
  const fields = readObject(credential, 'credential');
  const id = readString(fields, 'id');
  if (!/^[\w-]+$/.test(id)) throw new TypeError('id is not base64url');
  if (readString(fields, 'type') !== 'public-key') throw new TypeError('type is not public-key');
  const rawId = readBase64url(fields, 'rawId');
  readString(fields, 'authenticatorAttachment');
  readObject(readMember(fields, 'clientExtensionResults'), 'clientExtensionResults');
  const response = readObject(readMember(fields, 'response'), 'response');
  const clientDataJSON = readBase64url(response, 'clientDataJSON');
  return {
    // `rawId` repeats `id`, because the library compares them and go-webauthn does not.
    envelope: { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const,
    rawId,
    response,
    clientDataJSON,
    clientData: readClientData(clientDataJSON),
  };
}

/** Parses the credential of a registration. Rejects with an `Error` for any other value. */
export async function parseRegistrationResponse(credential: unknown): Promise<RegistrationResponse> {
  const { envelope, response, clientDataJSON, clientData } = readCredential(credential);
  const attestationObject = readBase64url(response, 'attestationObject');
  for (const member of ['authenticatorData', 'publicKey']) readBase64url(response, member);
  const { decodeAttestationObject, parseAuthenticatorData } = await import('@simplewebauthn/server/helpers');
  const authenticatorData = decodeAttestationObject(decodeBase64(attestationObject)).get('authData');
  const { flags, credentialID } = parseAuthenticatorData(authenticatorData);
  if (!flags.at || !credentialID) throw new TypeError('authData has no credential');
  // The limit of WebAuthn level 3, section 7.1.
  if (credentialID.length > 1_023) throw new TypeError('The credential id is too long');
  return {
    json: { ...envelope, response: { clientDataJSON, attestationObject } },
    clientData,
    transports: readTransports(response),
  };
}

/** Parses the credential of a sign-in. Rejects with an `Error` for any other value. */
export async function parseAssertionResponse(credential: unknown): Promise<AssertionResponse> {
  const { envelope, rawId, response, clientDataJSON, clientData } = readCredential(credential);
  const authenticatorData = readBase64url(response, 'authenticatorData');
  const signature = readBase64url(response, 'signature');
  const { parseAuthenticatorData } = await import('@simplewebauthn/server/helpers');
  const { flags, counter } = parseAuthenticatorData(decodeBase64(authenticatorData));
  return {
    json: { ...envelope, response: { clientDataJSON, authenticatorData, signature } },
    clientData,
    isBackupEligible: flags.be,
    signCount: counter,
    credentialId: decodeBase64(rawId),
    userHandle: decodeUtf8(decodeBase64(readBase64url(response, 'userHandle'))),
  };
}
