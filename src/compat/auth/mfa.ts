import { createRecoveryCodes, type NewRecoveryCodes } from '../../auth-client/features/recovery-codes.ts';
import {
  answerChallenge,
  createWebAuthnFactors,
  requireWebAuthn,
} from '../../auth-client/features/webauthn-factors.ts';
import { readPageWebAuthn } from '../../auth-client/webauthn/web-authn.ts';
import { createMfa, type FactorEnrollment, type FactorProof } from '../../auth-client/features/mfa.ts';
import type { AuthClient } from '../../auth-client/index.ts';
import { CallUser } from '../../platform/call-user.ts';
import type { Settle } from '../outcome.ts';
import type { AuthError } from './auth-error.ts';
import { type Factor, requireSession } from './session.ts';

type ProofOf = { code: string } | { webauthn: { type: 'create' | 'request'; credential_response: unknown } };

const toProof = (proof: ProofOf): FactorProof =>
  'code' in proof
    ? { code: proof.code }
    : { webauthn: { type: proof.webauthn.type, credential: proof.webauthn.credential_response } };

export interface EnrolledTotp {
  id: string;
  type: 'totp';
  friendly_name?: string;
  totp: { qr_code: string; secret: string; uri: string };
}
export interface EnrolledPhone {
  id: string;
  type: 'phone';
  friendly_name?: string;
  phone: string;
}
export interface EnrolledKey {
  id: string;
  type: 'webauthn';
  friendly_name?: string;
}
type Enrolled<Type> = Extract<EnrolledTotp | EnrolledPhone | EnrolledKey, { type: Type }>;

export type FactorLists = Record<'all' | 'totp' | 'phone' | 'webauthn' | 'recovery_code', Factor[]>;

/** Options of a WebAuthn ceremony; the service sets the relying party and the origins. */
export interface Ceremony {
  webauthn?: { signal?: AbortSignal };
}

/** Second factors, in the vendor's form. */
export function createMfaMethods(auth: AuthClient, settle: Settle<AuthError>) {
  const factors = createFactorMethods(auth, settle);
  return {
    ...factors,
    webauthn: createWebAuthnMethods(auth, settle, factors),
    recoveryCodes: createRecoveryCodeMethods(auth, settle),
  };
}

function createFactorMethods(auth: AuthClient, settle: Settle<AuthError>) {
  const mfa = createMfa(auth);
  return {
    enroll: <F extends FactorEnrollment>(factor: F) =>
      settle(async () => {
        const { id, type, friendlyName, phone, totp } = await mfa.enroll(factor);
        const enrolled = {
          id,
          type,
          ...(friendlyName !== null && { friendly_name: friendlyName }),
          ...(phone !== null && { phone }),
          ...(totp && { totp: { qr_code: totp.qrCodeUrl, secret: totp.secret, uri: totp.uri } }),
        };
        return enrolled as Enrolled<F['factorType']>;
      }),
    challenge: (request: { factorId: string; channel?: 'sms' | 'whatsapp' }) =>
      settle(async () => {
        const { id, type, expiresAtMs, webauthn } = await mfa.challenge(request);
        return {
          id,
          type,
          expires_at: expiresAtMs / 1000,
          ...(webauthn && {
            webauthn: { type: webauthn.type, credential_options: webauthn.options },
          }),
        };
      }),
    verify: ({ factorId, challengeId, ...proof }: { factorId: string; challengeId: string } & ProofOf) =>
      settle(async () => {
        await mfa.verify({ factorId, challengeId, ...toProof(proof) });
        return requireSession(auth);
      }),
    challengeAndVerify: (request: { factorId: string; code: string }) =>
      settle(async () => {
        await mfa.challengeAndVerify(request);
        return requireSession(auth);
      }),
    unenroll: ({ factorId }: { factorId: string }) =>
      settle(async () => {
        await mfa.unenroll({ factorId });
        return { id: factorId };
      }),
    listFactors: () =>
      settle(async () => {
        const { recoveryCodes, ...factors } = await mfa.listFactors();
        return { ...factors, recovery_code: recoveryCodes } as unknown as FactorLists;
      }),
    getAuthenticatorAssuranceLevel: (jwt?: string) =>
      settle(async () => {
        const { methods, ...levels } = await mfa.getAuthenticatorAssuranceLevel({ accessToken: jwt });
        return { ...levels, currentAuthenticationMethods: methods };
      }),
  };
}

function createWebAuthnMethods(
  auth: AuthClient,
  settle: Settle<AuthError>,
  { enroll, verify }: ReturnType<typeof createFactorMethods>,
) {
  const mfa = createMfa(auth);
  const keys = createWebAuthnFactors(auth);
  return {
    enroll: ({ friendlyName }: { friendlyName?: string } = {}) =>
      enroll({ factorType: 'webauthn', ...(friendlyName !== undefined && { friendlyName }) }),
    /** Requests the credential too; `verify` takes what this returns. */
    challenge: ({ factorId, signal }: { factorId: string; signal?: AbortSignal }) =>
      settle(async () => {
        const authenticator = requireWebAuthn(readPageWebAuthn());
        const challenge = await mfa.challenge({ factorId });
        const type = challenge.webauthn?.type === 'create' ? 'create' : 'request';
        const credential = await answerChallenge(authenticator, challenge, type, signal);
        return {
          factorId,
          challengeId: challenge.id,
          webauthn: { type, credential_response: credential } as const,
        };
      }),
    verify,
    register: ({ friendlyName, webauthn: { signal } = {} }: { friendlyName: string } & Ceremony) =>
      settle(async () => {
        await keys.register({ friendlyName }, { signal });
        return requireSession(auth);
      }),
    authenticate: ({ factorId, webauthn: { signal } = {} }: { factorId: string } & Ceremony) =>
      settle(async () => {
        await keys.authenticate({ factorId }, { signal });
        return requireSession(auth);
      }),
  };
}

function createRecoveryCodeMethods(auth: AuthClient, settle: Settle<AuthError>) {
  const codes = createRecoveryCodes(auth);
  const toCodes = ({ factorId: id, friendlyName, codes: texts }: NewRecoveryCodes) => ({
    id,
    type: 'recovery_code' as const,
    ...(friendlyName !== null && { friendly_name: friendlyName }),
    total: texts.length,
    codes: [...texts],
  });
  return {
    getStatus: () =>
      settle(async () => {
        const { factorId: id, ...counts } = await codes.getStatus();
        return { id, type: 'recovery_code' as const, ...counts };
      }),
    generate: (request?: { friendlyName?: string }) =>
      settle(async () => toCodes(await codes.generate(request))),
    verify: (request: { code: string }) =>
      settle(async () => {
        await codes.verify(request);
        return requireSession(auth);
      }),
    regenerate: () => settle(async () => toCodes(await codes.regenerate())),
    unenroll: () =>
      settle(async () => {
        const user = new CallUser();
        const { factorId: id } = await codes.getStatus({ user });
        await codes.unenroll({ user });
        return { id };
      }),
  };
}
