/** The auth client. Features have entries of their own: mfa, identities, sso, web3, id-token, claims, server. */
export { type AuthClient, type AuthClientOptions, createAuthClient } from './auth-client.ts';
export type { AuthServerSettings, UserChanges } from './calls/account.ts';
export { type CookieStoreOptions, createCookieStore } from './storage/cookie-store.ts';
export { AuthError, type AuthErrorCode, type ClientErrorCode, type ServerErrorCode } from './errors.ts';
export { createIndexedDbStore } from './storage/indexed-db-store.ts';
export type { Address } from './callback/redirects.ts';
export type { CallOptions } from './wire/request.ts';
export type { Factor, UnverifiedUser, User, UserIdentity } from './wire/responses.ts';
export type { AuthEvent, AuthSnapshot } from './session/session-keeper.ts';
export type { AuthEventName, AuthEventReason } from './session/session-state.ts';
export type { Session } from './session/session.ts';
export type { SignOutScope } from './calls/sign-out.ts';
export type {
  OAuthRequest,
  OtpResult,
  OtpType,
  OtpVerification,
  SignUpCredentials,
  SignUpResult,
} from './calls/sign-in.ts';
export { type Store, type SyncStore, createMemoryStore, createWebStorageStore } from './storage/store.ts';
