import type { AdminClient } from '../../auth-client/admin/admin.ts';
import type { VerifiedClaims } from '../../auth-client/features/claims.ts';
import { createIdToken } from '../../auth-client/features/id-token.ts';
import { createIdentities } from '../../auth-client/features/identities.ts';
import { createPasskeys } from '../../auth-client/features/passkeys.ts';
import { createSso } from '../../auth-client/features/sso.ts';
import { verifyGivenOrOwn } from '../../auth-client/features/verify-token.ts';
import { createWeb3 } from '../../auth-client/features/web3.ts';
import type { AuthClient, OtpVerification, SignOutScope } from '../../auth-client/index.ts';
import { decodeBase64Url } from '../../platform/base64.ts';
import { decodeJwtHeader } from '../../platform/jwt.ts';
import { createSettle, type Outcome } from '../outcome.ts';
import type { Untyped } from '../untyped.ts';
import { createAdmin, requireScope } from './admin.ts';
import {
  type AuthError,
  AuthInvalidJwtError,
  AuthSessionMissingError,
  toAuthError,
  toRedirectError,
} from './auth-error.ts';
import type {
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
} from './credentials.ts';
import { createMfaMethods } from './mfa.ts';
import { createOAuthMethods, navigate } from './oauth.ts';
import { createPasskeyMethods } from './passkeys.ts';
import {
  readSession,
  requireSession,
  type Session,
  toUser,
  type User,
  type UserIdentity,
} from './session.ts';
import { follow, type Subscription } from './subscription.ts';

/** The result of a call that may sign a user in. */
export type AuthResponse = Outcome<
  { user: User | null; session: Session | null },
  AuthError,
  { user: null; session: null }
>;
/** The result of a call that signs a user in. */
export type AuthTokenResponse = Outcome<
  { user: User; session: Session },
  AuthError,
  { user: null; session: null }
>;
/** The result of `signInWithPassword`. */
export type AuthTokenResponsePassword = AuthTokenResponse;
/** The result of `getUser` and `updateUser`. */
export type UserResponse = Outcome<{ user: User }, AuthError, { user: null }>;
/** The result of a call that sends a message. */
export type AuthOtpResponse = Outcome<
  { user: null; session: null; messageId?: string | null },
  AuthError,
  { user: null; session: null }
>;
/** The result of `signInWithOAuth`. */
export type OAuthResponse = Outcome<
  { provider: string; url: string; flowId: string | null },
  AuthError,
  { provider: string; url: null; flowId: null }
>;
/** Claims of an access token. */
export type JwtPayload = VerifiedClaims & { [claim: string]: Untyped };

export interface AuthParts {
  readonly auth: AuthClient;
  /** Creates the native client that administers users; throws for a publishable key and in a page. */
  readonly createAdminClient: () => AdminClient;
  /** Whether calls throw instead of returning errors. */
  readonly throwOnError: boolean;
  /** The `iss` that `getClaims()` requires; undefined: any, as the vendor's. */
  readonly issuer: string | undefined;
}

const signedOut = { user: null, session: null };

/** The auth client in the vendor's form. */
export type SupabaseAuthClient = ReturnType<typeof createAuthMethods>;

/** Creates the vendor's methods over a native client. */
export function createAuthMethods({ auth, createAdminClient, throwOnError, issuer }: AuthParts) {
  const settle = createSettle({ toError: toAuthError, shouldThrow: () => throwOnError });
  const signedIn = () => {
    const session = requireSession(auth);
    return { user: session.user, session };
  };
  /** Runs a call after which a user is signed in. */
  const signIn = (work: () => Promise<unknown>): Promise<AuthTokenResponse> =>
    settle(() => work().then(signedIn), signedOut);
  const sendMessage = (work: () => Promise<unknown>): Promise<AuthOtpResponse> =>
    settle(async () => ({ user: null, session: null, ...((await work()) as object | undefined) }), signedOut);
  const identities = createIdentities(auth);

  return {
    mfa: createMfaMethods(auth, settle),
    passkey: createPasskeyMethods(auth, settle),
    oauth: createOAuthMethods(auth, settle),
    admin: createAdmin(createAdminClient, settle),

    async initialize() {
      const { callbackError } = await auth.start();
      return { error: callbackError && toRedirectError(callbackError) };
    },
    isThrowOnErrorEnabled: () => throwOnError,
    startAutoRefresh: async () => void (await auth.start()),
    /** The native client stops by itself while the page is hidden. */
    stopAutoRefresh: () => Promise.resolve(),
    dispose: () => Promise.resolve(auth.close()),

    getSession: (): Promise<Outcome<{ session: Session | null }, AuthError, { session: null }>> =>
      settle(async () => ({ session: (await auth.getSession()) && readSession(auth) }), { session: null }),
    getUser: (jwt?: string): Promise<UserResponse> =>
      settle(async () => ({ user: toUser(await auth.getUser({ accessToken: jwt })) }), { user: null }),
    getClaims: (jwt?: string) =>
      settle(async () => {
        const verified = await verifyGivenOrOwn(auth, jwt, { issuer }, {});
        if (!verified) return null;
        const { accessToken } = verified;
        const signature = decodeBase64Url(accessToken.split('.')[2] ?? '');
        return { claims: verified.claims as JwtPayload, header: decodeJwtHeader(accessToken), signature };
      }),
    onAuthStateChange(callback: Subscription['callback']): { data: { subscription: Subscription } } {
      return { data: { subscription: follow(auth, callback) } };
    },

    signUp: ({
      options: { emailRedirectTo, ...options } = {},
      ...credentials
    }: SignUpWithPasswordCredentials): Promise<AuthResponse> =>
      settle(async () => {
        const request = { ...credentials, ...options, redirectTo: emailRedirectTo };
        const { user, session } = await auth.signUp(request);
        return { user: toUser(user), session: session && requireSession(auth) };
      }, signedOut),
    signInWithPassword: ({
      options,
      ...credentials
    }: SignInWithPasswordCredentials): Promise<AuthTokenResponsePassword> =>
      signIn(() => auth.signInWithPassword({ ...credentials, ...options })),
    signInAnonymously: ({ options }: SignInAnonymouslyCredentials = {}) =>
      signIn(() => auth.signInAnonymously(options)),
    signInWithOtp: ({
      options: { emailRedirectTo, shouldCreateUser, ...options } = {},
      ...contact
    }: SignInWithPasswordlessCredentials) =>
      sendMessage(() =>
        auth.signInWithOtp({
          ...contact,
          ...options,
          redirectTo: emailRedirectTo,
          createUser: shouldCreateUser,
        }),
      ),
    verifyOtp: (params: VerifyOtpParams): Promise<AuthResponse> =>
      settle(async () => {
        const { session } = await auth.verifyOtp(toVerification(params));
        return session ? signedIn() : signedOut;
      }, signedOut),
    signInWithOAuth: ({ provider, options = {} }: SignInWithOAuthCredentials): Promise<OAuthResponse> =>
      settle(
        async () => {
          const { redirectTo, scopes, queryParams: parameters } = options;
          const { url, flowId } = await auth.signInWithOAuth({ provider, redirectTo, scopes, parameters });
          navigate(url, options);
          return { provider, url, flowId };
        },
        { provider, url: null, flowId: null },
      ),
    signInWithIdToken: (credentials: SignInWithIdTokenCredentials) =>
      signIn(() => createIdToken(auth).signInWithIdToken(toIdToken(credentials))),
    signInWithSSO: ({ options = {}, ...by }: SignInWithSSO) =>
      settle(async () => {
        const { redirectTo, captchaToken } = options;
        const { url } = await createSso(auth).signInWithSso({ ...by, redirectTo, captchaToken });
        navigate(url, options);
        return { url };
      }),
    /** @throws {Error} for another chain, and without a message and its signature. */
    async signInWithWeb3({ options, ...credentials }: Web3Credentials) {
      const { chain, message, signature } = credentials;
      if (!['ethereum', 'solana'].includes(chain)) throw new Error(`Unsupported chain "${chain}"`);
      if (!message || signature.length === 0)
        throw new Error(
          'Sign a message with the wallet: createSignInMessage() of /auth-client/external-sign-in writes it',
        );
      return signIn(() => createWeb3(auth).signInWithWeb3({ ...credentials, ...options }));
    },
    signInWithPasskey: ({ options: { signal, ...options } = {} }: PasskeyCredentials = {}) =>
      settle(() => createPasskeys(auth).signInWithPasskey(options, { signal }).then(signedIn)),
    registerPasskey: ({ options }: PasskeyCredentials = {}) =>
      settle(async () => {
        const { id, friendlyName, createdAtMs } = await createPasskeys(auth).registerPasskey(options);
        return { id, friendly_name: friendlyName, created_at: new Date(createdAtMs).toISOString() };
      }),

    resetPasswordForEmail: (
      email: string,
      options: { redirectTo?: string | undefined; captchaToken?: string | undefined } = {},
    ) => settle(() => auth.resetPasswordForEmail({ email, ...options }).then(() => ({}))),
    resend: ({ options: { emailRedirectTo, ...options } = {}, ...request }: ResendParams) =>
      sendMessage(() => auth.resend({ ...request, ...options, redirectTo: emailRedirectTo })),
    reauthenticate: () => sendMessage(() => auth.reauthenticate()),
    updateUser: (
      { current_password: currentPassword, ...attributes }: UserAttributes,
      { emailRedirectTo: redirectTo }: { emailRedirectTo?: string | undefined } = {},
    ): Promise<UserResponse> =>
      settle(
        async () => ({ user: toUser(await auth.updateUser({ ...attributes, currentPassword, redirectTo })) }),
        { user: null },
      ),

    refreshSession: (session?: { refresh_token: string }) =>
      signIn(() => auth.refreshSession({ refreshToken: session?.refresh_token })),
    setSession: ({ access_token, refresh_token }: { access_token: string; refresh_token: string }) =>
      signIn(async () => {
        if (!access_token || !refresh_token) throw new AuthSessionMissingError();
        if (access_token.split('.').length !== 3) throw new AuthInvalidJwtError('Invalid JWT structure');
        await auth.setSession({ accessToken: access_token, refreshToken: refresh_token });
      }),
    exchangeCodeForSession: (code: string, options?: { flowId?: string }) =>
      signIn(() => auth.exchangeCodeForSession({ code, ...options })),
    /** @throws {Error} for another scope. */
    async signOut(options?: { scope?: SignOutScope }): Promise<{ error: AuthError | null }> {
      requireScope(options?.scope);
      const { revoked, ...failure } = await auth.signOut(options);
      if (revoked) return { error: null };
      return settle(() => Promise.reject('cause' in failure ? failure.cause : new TypeError('No cause')));
    },

    getUserIdentities: () =>
      settle(async () => ({
        identities: (await identities.getUserIdentities()) as unknown as UserIdentity[],
      })),
    linkIdentity: (credentials: SignInWithOAuthCredentials | SignInWithIdTokenCredentials) =>
      settle(async () => {
        const { provider } = credentials;
        if ('token' in credentials) {
          await createIdToken(auth).linkIdentityWithIdToken(toIdToken(credentials));
          return { provider, url: null, ...signedIn() };
        }
        const { queryParams: parameters, redirectTo, scopes } = credentials.options ?? {};
        const { url, flowId } = await identities.linkIdentity({
          provider,
          redirectTo,
          scopes,
          parameters,
        });
        navigate(url, credentials.options);
        return { provider, url, flowId };
      }),
    unlinkIdentity: (identity: { identity_id: string }) =>
      settle(() => identities.unlinkIdentity(identity).then(() => ({}))),
  };
}

interface PasskeyCredentials {
  options?: {
    captchaToken?: string | undefined;
    signal?: AbortSignal | undefined;
    mediation?: 'conditional' | undefined;
  };
}

function toVerification(params: VerifyOtpParams): OtpVerification {
  if ('token_hash' in params) return { type: params.type, tokenHash: params.token_hash };
  const { options, ...verification } = params;
  return { ...verification, ...(options?.captchaToken && { captchaToken: options.captchaToken }) };
}

function toIdToken({ access_token: accessToken, options, ...credentials }: SignInWithIdTokenCredentials) {
  return { ...credentials, accessToken, ...options };
}
