/**
 * The auth client. Optional features have entries of their own: `mfa`, `identities`, `sso`, `web3`, `id-token`, `claims`; so do
 * server programs: `server`.
 */
export {
  type AccessTokenOptions,
  type AuthClient,
  type AuthClientOptions,
  createAuthClient,
  type RefreshSessionOptions,
} from './auth-client.ts';
export type { AuthServerSettings, GetUserOptions, UserChanges } from './calls/account.ts';
export type {
  AnonymousSignIn,
  OAuthRequest,
  OtpRequest,
  OtpResult,
  OtpType,
  OtpVerification,
  PasswordCredentials,
  ResendRequest,
  SentMessage,
  SessionTokens,
  SignUpCredentials,
  SignUpResult,
} from './calls/sign-in.ts';
export type { SignOutResult, SignOutScope } from './calls/sign-out.ts';
export type { Address, CallbackOptions } from './callback/callback-methods.ts';
export type { AuthCore } from './core.ts';
export {
  AuthError,
  type AuthErrorCode,
  type AuthErrorDetails,
  type ClientErrorCode,
  type ServerErrorCode,
} from './errors.ts';
export type {
  AuthSnapshot,
  LoadingSnapshot,
  SignedInSnapshot,
  SignedOutSnapshot,
  SnapshotNotes,
} from './session/auth-snapshot.ts';
export type { AuthEvent } from './session/session-manager.ts';
export type { AuthEventName, AuthEventReason, Emission } from './session/session-state.ts';
export type { Session } from './session/session.ts';
export { type CookieStoreOptions, createCookieStore } from './storage/cookie-store.ts';
export { createIndexedDbStore } from './storage/indexed-db-store.ts';
export { type Store, type SyncStore, createMemoryStore, createWebStorageStore } from './storage/store.ts';
export type { CallOptions } from './wire/request.ts';
export type { Contact } from './wire/endpoints.ts';
export type { Factor, UnverifiedUser, User, UserIdentity } from './wire/responses.ts';
