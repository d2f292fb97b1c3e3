/**
 * The auth client: sign-in, session, account. Features with separate entries: `mfa`, `passkeys`, `identities`, `sso`, `web3`,
 * `id-token`, `claims`, and `server` for server programs.
 */
export { createAuthClient } from './auth-client.ts';
export type {
  AccessTokenOptions,
  AuthClient,
  AuthClientOptions,
  RefreshSessionOptions,
} from './auth-client.ts';
export { AuthError } from './errors.ts';
export type { AuthErrorCode, AuthErrorFields, ClientErrorCode, ServerErrorCode } from './errors.ts';

// Calls.
export type { CallOptions } from './wire/request.ts';
export type {
  AnonymousSignIn,
  OAuthRequest,
  ProviderRedirect,
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
export type { AuthServerSettings, GetUserOptions, UserChanges } from './calls/account.ts';
export type { Address, CallbackOptions } from './callback/callback-methods.ts';
export type { Contact } from './wire/endpoints.ts';
export type { Factor, UnverifiedUser, User, UserIdentity } from './wire/responses.ts';

// The session: state, events and storage.
export type { Session } from './session/session.ts';
export { decodeJwtClaims, type UnverifiedJwtPart } from '../platform/jwt.ts';
export type {
  AuthSnapshot,
  LoadingSnapshot,
  SignedInSnapshot,
  SignedOutSnapshot,
} from './session/auth-snapshot.ts';
export type { AuthEvent, AuthEventName, AuthEventReason } from './session/session-state.ts';
export { createCookieStore } from './storage/cookie-store.ts';
export type { CookieStoreOptions } from './storage/cookie-store.ts';
export { createIndexedDbStore } from './storage/indexed-db-store.ts';
export { createMemoryStore, createWebStorageStore } from './storage/store.ts';
export type { AuthStore, SyncAuthStore } from './storage/store.ts';
