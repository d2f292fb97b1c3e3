/** The auth client. Features have entries of their own: mfa, identities, sso, web3, id-token, claims, server. */
export { type AuthClient, type AuthClientOptions, createAuthClient } from './auth-client.ts';
export type { AuthServerSettings, UserChanges } from './account.ts';
export { type CookieStoreOptions, createCookieStore } from './cookie-store.ts';
export { AuthError, type AuthErrorCode, type ClientErrorCode, type ServerErrorCode } from './errors.ts';
export { createIndexedDbStore } from './indexed-db-store.ts';
export type { Address } from './redirects.ts';
export type { CallOptions } from './request.ts';
export type { Factor, UnverifiedUser, User, UserIdentity } from './responses.ts';
export type { AuthEvent, AuthSnapshot } from './session-keeper.ts';
export type { AuthEventName, AuthEventReason } from './session-state.ts';
export type { Session } from './session.ts';
export type { SignOutScope } from './sign-out.ts';
export type {
  OAuthRequest,
  OtpResult,
  OtpType,
  OtpVerification,
  SignUpCredentials,
  SignUpResult,
} from './sign-in.ts';
export { type Store, type SyncStore, createMemoryStore, createWebStorageStore } from './store.ts';
