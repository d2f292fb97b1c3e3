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
  JwtPayload,
  OAuthResponse,
  SupabaseAuthClient,
  UserResponse,
} from './auth/auth.ts';
export type { Subscription } from './auth/subscription.ts';
export type {
  AdminUserAttributes,
  Provider,
  ResendParams,
  SignInAnonymouslyCredentials,
  SignInWithIdTokenCredentials,
  SignInWithOAuthCredentials,
  SignInWithPasswordCredentials,
  SignInWithPasswordlessCredentials,
  SignInWithSSO,
  SignUpWithPasswordCredentials,
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
export type { PostgrestClient } from './rest/postgrest-client.ts';
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
export type { RealtimeClient } from './realtime/realtime.ts';
export type {
  RealtimeChannel,
  RealtimeChannelOptions,
  RealtimeChannelSendResponse,
  RealtimeMessage,
  RealtimePostgresChangesFilter,
} from './realtime/channel.ts';
export {
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
export { FunctionsError, FunctionsFetchError, FunctionsHttpError, FunctionsRelayError } from './functions.ts';
export type { FunctionInvokeOptions, FunctionsClient, FunctionsResponse } from './functions.ts';
