import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign as signBytes } from 'node:crypto';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { at, locationOf } from '../../target/wire.ts';

/** What an audit changes about one response of the authenticator. */
interface Deviation {
  readonly origin?: string;
  /** The domain whose hash the authenticator data contains. */
  readonly rpId?: string;
  readonly type?: string;
  /** base64url. */
  readonly challenge?: string;
  /** base64url. */
  readonly userHandle?: string;
  readonly signCount?: number;
  readonly isUserPresent?: boolean;
  readonly isBackupEligible?: boolean;
  readonly isBackedUp?: boolean;
  /** Anything, since a server refuses what is no list of texts. */
  readonly transports?: unknown;
  /** 32 hexadecimal digits. */
  readonly aaguid?: string;
  readonly idBytes?: number;
}

/** `PublicKeyCredential.toJSON()`. */
interface CredentialJson {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: Readonly<Record<string, unknown>>;
}

/**
 * An authenticator with one ES256 key and attestation `none`, in a browser at `origin`. The published package contains it, and
 * so it is not that of the repository's tests.
 */
export interface Authenticator {
  /** The id of the key, base64url. */
  readonly id: string;
  readonly create: (publicKey: unknown, deviation?: Deviation) => CredentialJson;
  readonly get: (publicKey: unknown, deviation?: Deviation) => CredentialJson;
}

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** Encodes the head of a CBOR item (RFC 8949 section 3). */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff]);
}
const cborInteger = (value: number): Buffer => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value));
const cborBytes = (bytes: Uint8Array): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string): Buffer => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
const cborMap = (...items: readonly Buffer[]): Buffer =>
  Buffer.concat([cborHead(5, items.length / 2), ...items]);

/** Encodes an ES256 key for an authenticator: kty EC2, alg ES256, crv P-256 (RFC 9053 section 7.1). */
function encodeCoseKey(key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' });
  const coordinate = (name: 'x' | 'y') => cborBytes(Buffer.from(jwk[name] ?? '', 'base64url'));
  const members: readonly (readonly [number, Buffer])[] = [
    [1, cborInteger(2)],
    [3, cborInteger(-7)],
    [-1, cborInteger(1)],
    [-2, coordinate('x')],
    [-3, coordinate('y')],
  ];
  return cborMap(...members.flatMap(([label, value]) => [cborInteger(label), value]));
}

const encodeClientData = (type: string, origin: string, publicKey: unknown, deviation: Deviation): Buffer =>
  Buffer.from(
    JSON.stringify({
      type: deviation.type ?? type,
      challenge: deviation.challenge ?? at(publicKey, 'challenge'),
      origin: deviation.origin ?? origin,
      crossOrigin: false,
    }),
  );

/** Encodes authenticator data (WebAuthn section 6.1); `credential` is empty for a sign-in. */
function encodeData(rpId: unknown, signCount: number, credential: Buffer, deviation: Deviation): Buffer {
  const { isUserPresent = true, isBackupEligible, isBackedUp } = deviation;
  const flags =
    (isUserPresent ? 0x01 : 0) |
    0x04 |
    (isBackupEligible ? 0x08 : 0) |
    (isBackedUp ? 0x10 : 0) |
    (credential.length > 0 ? 0x40 : 0);
  const header = Buffer.alloc(5);
  header.writeUInt8(flags, 0);
  header.writeUInt32BE(deviation.signCount ?? signCount, 1);
  return Buffer.concat([sha256(deviation.rpId ?? String(rpId)), header, credential]);
}

export function createAuthenticator(origin: string, { idBytes = 32 }: Deviation = {}): Authenticator {
  const { publicKey: verifyingKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rawId = randomBytes(idBytes);
  const id = rawId.toString('base64url');
  let userHandle = '';
  let signCount = 0;
  const encodeCredential = (response: CredentialJson['response']): CredentialJson => ({
    id,
    rawId: id,
    type: 'public-key',
    response,
  });
  return {
    id,
    create(publicKey, deviation = {}) {
      userHandle = String(at(publicKey, 'user', 'id'));
      const credential = Buffer.concat([
        Buffer.from(deviation.aaguid ?? '0'.repeat(32), 'hex'),
        Buffer.from([idBytes >> 8, idBytes & 0xff]),
        rawId,
        encodeCoseKey(verifyingKey),
      ]);
      const authData = encodeData(at(publicKey, 'rp', 'id'), 0, credential, deviation);
      const attestation = cborMap(
        cborText('fmt'),
        cborText('none'),
        cborText('attStmt'),
        cborMap(),
        cborText('authData'),
        cborBytes(authData),
      );
      const clientData = encodeClientData('webauthn.create', origin, publicKey, deviation);
      return encodeCredential({
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: deviation.transports ?? ['internal'],
      });
    },
    get(publicKey, deviation = {}) {
      signCount += 1;
      const clientData = encodeClientData('webauthn.get', origin, publicKey, deviation);
      const authData = encodeData(at(publicKey, 'rpId'), signCount, Buffer.alloc(0), deviation);
      const signature = signBytes('sha256', Buffer.concat([authData, sha256(clientData)]), privateKey);
      return encodeCredential({
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: deviation.userHandle ?? userHandle,
      });
    },
  };
}

/** The deviations that a relying party must detect (WebAuthn sections 7.1 and 7.2). */
export const refusedDeviations: readonly Deviation[] = [
  { origin: 'https://audit.example.com' },
  { rpId: 'audit.example.com' },
  { type: 'payment.get' },
  { challenge: Buffer.alloc(32).toString('base64url') },
  { isUserPresent: false },
];

/**
 * Returns the origin of the project's site, whose pages may use its keys.
 *
 * @throws NotRunError if the keys belong to another domain.
 */
export async function keyOriginOf({ auth }: AuditContext, rpId: unknown): Promise<string> {
  // A link that is refused leads to the site.
  const { origin, hostname } = locationOf(
    await auth.send('GET', '/verify', { query: { type: 'signup', token: 'x'.repeat(56) } }),
  );
  if (hostname !== rpId && !hostname.endsWith(`.${String(rpId)}`))
    throw new NotRunError('the keys of the project belong to another domain than its site');
  return origin;
}
