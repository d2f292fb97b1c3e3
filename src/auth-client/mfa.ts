/** Second factors: authenticator apps, phones and security keys. Codes in place of a lost one: `recovery-codes`. */
export { createMfa } from './features/mfa.ts';
export type {
  AssuranceLevel,
  AssuranceLevelOptions,
  EnrolledFactor,
  FactorChallenge,
  FactorEnrollment,
  FactorList,
  FactorProof,
  Mfa,
} from './features/mfa.ts';
export { createWebAuthnFactors } from './features/webauthn-factors.ts';
export type { WebAuthnFactors, WebAuthnFactorsOptions } from './features/webauthn-factors.ts';
export type { PublicKeyCredentialMethods } from './webauthn/credential-json.ts';
export type { WebAuthn } from './webauthn/web-authn.ts';
