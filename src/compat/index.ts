/** The names and shapes of `@supabase/supabase-js` over the native clients, for a project that moves call by call. */
export { createClient, SupabaseClient } from './client.ts';
export type { SupabaseClientOptions, SupportedStorage } from './client.ts';
export type { Outcome } from './outcome.ts';

// Auth.
export {
  AuthApiError,
  AuthError,
  AuthImplicitGrantRedirectError,
  AuthInvalidCredentialsError,
  AuthInvalidJwtError,
  AuthPKCECodeVerifierMissingError,
  AuthRefreshDiscardedError,
  AuthRetryableFetchError,
  AuthSessionMissingError,
  AuthUnknownError,
  AuthWeakPasswordError,
  isAuthApiError,
  isAuthError,
  isAuthImplicitGrantRedirectError,
  isAuthPKCECodeVerifierMissingError,
  isAuthRefreshDiscardedError,
  isAuthRetryableFetchError,
  isAuthSessionMissingError,
  isAuthWeakPasswordError,
} from './auth/auth-error.ts';
export type {
  AuthOtpResponse,
  AuthResponse,
  AuthTokenResponse,
  AuthTokenResponsePassword,
  OAuthResponse,
  UserResponse,
} from './auth/auth-calls.ts';
export type { JwtPayload, SupabaseAuthClient } from './auth/auth.ts';
export { SIGN_OUT_SCOPES } from './auth/sign-out-scopes.ts';
export { navigatorLock, NavigatorLockAcquireTimeoutError, processLock } from './auth/locks.ts';
export type { LockFunc } from './auth/locks.ts';
export type { Subscription } from './auth/subscription.ts';
export type * from './auth/type-names.ts';
export type {
  AdminUserAttributes,
  EthereumWallet,
  EthereumWeb3Credentials,
  Provider,
  ResendParams,
  SignInAnonymouslyCredentials,
  SignInWithIdTokenCredentials,
  SignInWithOAuthCredentials,
  SignInWithPasswordCredentials,
  SignInWithPasswordlessCredentials,
  SignInWithSSO,
  SignUpWithPasswordCredentials,
  SolanaWallet,
  SolanaWeb3Credentials,
  UserAttributes,
  VerifyOtpParams,
  Web3Credentials,
} from './auth/credentials.ts';
export type {
  AuthChangeEvent,
  EmailOtpType,
  Factor,
  MobileOtpType,
  Session,
  Session as AuthSession,
  User,
  User as AuthUser,
  UserAppMetadata,
  UserIdentity,
  UserMetadata,
} from './auth/session.ts';

// Queries.
export { PostgrestError } from './rest/postgrest-error.ts';
export type { PostgrestErrorContext } from './rest/postgrest-error.ts';
export type { PostgrestFilterBuilder } from './rest/filter-builder.ts';
export type { PostgrestQueryBuilder, RpcOptions } from './rest/query-builder.ts';
export type { PostgrestClient, PostgrestQueryBuilderOptions } from './rest/postgrest-client.ts';
export type {
  PostgrestMaybeSingleResponse,
  PostgrestResponse,
  PostgrestResponseFailure,
  PostgrestResponseSuccess,
  PostgrestSingleResponse,
  QueryData,
  QueryError,
  QueryResult,
} from './rest/responses.ts';

// Realtime.
export type { HeartbeatStatus, RealtimeClientOptions, WebSocketLikeConstructor } from './realtime/options.ts';
export type { RealtimeClient } from './realtime/realtime.ts';
export type {
  RealtimeBroadcastPersist,
  RealtimeChannel,
  RealtimeChannelOptions,
  RealtimeChannelSendResponse,
  RealtimeChannelSendResponse as RealtimeRemoveChannelResponse,
  RealtimeMessage,
  RealtimePostgresChangesFilter,
} from './realtime/channel.ts';
export { postgresChangesFilter, RealtimePostgresFilterBuilder } from './realtime/changes-filter.ts';
export type { RealtimePostgresChangesFilterOperator } from './realtime/changes-filter.ts';
export {
  REALTIME_CHANNEL_STATES,
  REALTIME_LISTEN_TYPES,
  REALTIME_POSTGRES_CHANGES_LISTEN_EVENT,
  REALTIME_PRESENCE_LISTEN_EVENTS,
  REALTIME_SUBSCRIBE_STATES,
} from './realtime/payloads.ts';
export type {
  BroadcastPayload,
  RealtimePostgresChangesPayload,
  RealtimePostgresDeletePayload,
  RealtimePostgresInsertPayload,
  RealtimePostgresUpdatePayload,
  RealtimePresenceJoinPayload,
  RealtimePresenceLeavePayload,
  RealtimePresenceState,
  RealtimeSystemPayload,
} from './realtime/payloads.ts';

// Storage and functions.
export { StorageApiError, StorageError, StorageUnknownError } from './storage/storage-error.ts';
export type {
  FileObject,
  FileOptions,
  SearchOptions,
  StorageFiles,
  TransformOptions,
} from './storage/files.ts';
export type { SupabaseStorage } from './storage/storage.ts';
export {
  FunctionRegion,
  FunctionsError,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
} from './functions.ts';
export type { FunctionInvokeOptions, FunctionsClient, FunctionsResponse } from './functions.ts';
