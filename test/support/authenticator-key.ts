import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface AuthenticatorKey {
  /** The public key as a COSE key (RFC 9052). */
  readonly cose: Map<number, number | Uint8Array>;
  sign(data: Uint8Array): Buffer;
}

/** The COSE algorithms (RFC 9053, RFC 8812) of the keys that can be created. ES256K is one that GoTrue does not offer. */
export const coseAlgorithms = { ES256: -7, EdDSA: -8, RS256: -257, ES256K: -47 } as const;

export type AuthenticatorAlgorithm = keyof typeof coseAlgorithms;

const bytesOf = (base64url = ''): Uint8Array => new Uint8Array(Buffer.from(base64url, 'base64url'));

/** The members of a COSE key that are not its type and algorithm. */
function encodeParameters(
  algorithm: AuthenticatorAlgorithm,
  publicKey: KeyObject,
): [number, number | Uint8Array][] {
  const { x, y, n, e } = publicKey.export({ format: 'jwk' });
  switch (algorithm) {
    case 'ES256':
      return [
        [-1, 1],
        [-2, bytesOf(x)],
        [-3, bytesOf(y)],
      ];
    case 'ES256K':
      return [
        [-1, 8],
        [-2, bytesOf(x)],
        [-3, bytesOf(y)],
      ];
    case 'EdDSA':
      return [
        [-1, 6],
        [-2, bytesOf(x)],
      ];
    case 'RS256':
      return [
        [-1, bytesOf(n)],
        [-2, bytesOf(e)],
      ];
  }
}

function generateKeys(algorithm: AuthenticatorAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  switch (algorithm) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'ES256K':
      return generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    case 'EdDSA':
      return generateKeyPairSync('ed25519');
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
  }
}

/** The COSE key types: octet key pair, elliptic curve, RSA. */
const keyTypes = { EdDSA: 1, ES256: 2, ES256K: 2, RS256: 3 } as const;

/** Generates a key pair. */
export function createAuthenticatorKey(algorithm: AuthenticatorAlgorithm): AuthenticatorKey {
  const { publicKey, privateKey } = generateKeys(algorithm);
  return {
    cose: new Map<number, number | Uint8Array>([
      [1, keyTypes[algorithm]],
      [3, coseAlgorithms[algorithm]],
      ...encodeParameters(algorithm, publicKey),
    ]),
    sign: (data) => sign(algorithm === 'EdDSA' ? null : 'sha256', data, privateKey),
  };
}
