import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  jwtVerify,
  SignJWT,
  type JWTPayload,
} from 'jose';

import { encodeUtf8 } from '../../../platform/bytes.ts';
import { createSecret } from '../../../platform/random.ts';

import type { ProviderClaims } from '../rows/provider-profile.ts';

/** A person who signs in at the test provider. */
export interface Person {
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly name?: string | undefined;
  /** The person's id at the provider. Default: derived from the address. */
  readonly sub?: string | undefined;
}

/** The authorization that a code of the test provider represents. */
export interface ProviderGrant {
  readonly claims: ProviderClaims;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Simulates every OAuth and OpenID provider, and every company's identity provider, on the project's own origin. */
export interface TestProvider {
  /** Returns a code for `person` that can be used once within ten minutes. */
  issueCode(issuer: string, person: Person): string;
  /** Redeems a code; null when it is unknown, used or expired. */
  exchange(code: string): ProviderGrant | null;
  /** Signs an ID token (OpenID Connect Core section 2). `claims` override the default ones. */
  signIdToken(issuer: string, person: Person, claims?: JWTPayload): Promise<string>;
  /** The claims of an ID token of `issuer`; null when it is expired or not signed by the test provider. */
  verifyIdToken(issuer: string, idToken: string): Promise<JWTPayload | null>;
  jwks(): Promise<{ readonly keys: readonly JWK[] }>;
  sweep(): void;
}

/** The client id of the auth service at the test provider, which is the audience of its ID tokens. */
export const testClientId = 'local-supabase';

const codeLifetimeMs = 600_000;
const idTokenLifetimeSeconds = 3600;
const keyId = 'test-provider';

const randomToken = (): string => createSecret(24);
const claimsOf = (iss: string, { email, isEmailVerified, name, sub }: Person): ProviderClaims => ({
  iss,
  sub: sub || bytesToHex(sha256(encodeUtf8(email))).slice(0, 21),
  email: email.toLowerCase(),
  email_verified: isEmailVerified,
  name,
});

/** @param now milliseconds since the epoch. */
export function createTestProvider(now: () => number): TestProvider {
  const codes = new Map<string, { readonly grant: ProviderGrant; readonly expiresAtMs: number }>();
  let pair: Promise<{ readonly publicKey: CryptoKey; readonly privateKey: CryptoKey }> | undefined;
  const keys = (): NonNullable<typeof pair> => (pair ??= generateKeyPair('ES256', { extractable: true }));
  return {
    issueCode(issuer, person) {
      const code = randomToken();
      const grant = {
        claims: claimsOf(issuer, person),
        accessToken: randomToken(),
        refreshToken: randomToken(),
      };
      codes.set(code, { grant, expiresAtMs: now() + codeLifetimeMs });
      return code;
    },
    exchange(code) {
      const issued = codes.get(code);
      codes.delete(code);
      return issued && issued.expiresAtMs > now() ? issued.grant : null;
    },
    async signIdToken(issuer, person, claims = {}) {
      const issuedAt = Math.floor(now() / 1000);
      const usual = { aud: testClientId, iat: issuedAt, exp: issuedAt + idTokenLifetimeSeconds };
      return new SignJWT({ ...claimsOf(issuer, person), ...usual, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: keyId, typ: 'JWT' })
        .sign((await keys()).privateKey);
    },
    async verifyIdToken(issuer, idToken) {
      const options = { issuer, currentDate: new Date(now()), algorithms: ['ES256'] };
      return jwtVerify(idToken, (await keys()).publicKey, options).then(
        ({ payload }) => payload,
        () => null,
      );
    },
    async jwks() {
      return {
        keys: [{ ...(await exportJWK((await keys()).publicKey)), kid: keyId, alg: 'ES256', use: 'sig' }],
      };
    },
    sweep() {
      for (const [code, { expiresAtMs }] of codes) if (expiresAtMs <= now()) codes.delete(code);
    },
  };
}
