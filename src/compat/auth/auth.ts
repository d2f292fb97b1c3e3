import type { AdminClient } from '../../auth-client/admin/admin.ts';
import type { VerifiedClaims } from '../../auth-client/features/claims.ts';
import type { AuthClient, SignOutScope } from '../../auth-client/index.ts';
import { decodeBase64Url } from '../../platform/base64.ts';
import { CallUser } from '../../platform/call-user.ts';
import { decodeJwtHeader } from '../../platform/jwt.ts';
import type { Outcome } from '../outcome.ts';
import type { Untyped } from '../untyped.ts';
import { createAccountMethods } from './account.ts';
import type { createAdmin } from './admin.ts';
import { type AuthCalls, createAuthCalls, type UserResponse } from './auth-calls.ts';
import {
  type AuthError,
  AuthInvalidJwtError,
  AuthSessionMissingError,
  toRedirectError,
} from './auth-error.ts';
import { createExternalSignInMethods } from './external-sign-in.ts';
import { lazyMethods } from './lazy-methods.ts';
import type { createMfaMethods } from './mfa.ts';
import type { createOAuthMethods } from './oauth.ts';
import type { createPasskeyMethods } from './passkeys.ts';
import { readSession, type Session, toUser } from './session.ts';
import { createSignInMethods } from './sign-in.ts';
import { requireScope } from './sign-out-scopes.ts';
import { follow, type Subscription } from './subscription.ts';

/** Claims of an access token. */
export type JwtPayload = VerifiedClaims & { [claim: string]: Untyped };

export interface AuthParts {
  readonly auth: AuthClient;
  /** Loads the factory of the native client that administers users. It throws for a publishable key and in a page. */
  readonly loadAdminClient: () => Promise<() => AdminClient>;
  /** Whether calls throw instead of returning errors. */
  readonly throwOnError: boolean;
  /** The `iss` that `getClaims()` requires; undefined: any, as the vendor's. */
  readonly issuer: string | undefined;
}

/** The auth client in the vendor's form. */
export type SupabaseAuthClient = ReturnType<typeof createAuthMethods>;

/** Creates the vendor's methods over a native client. */
export function createAuthMethods(parts: AuthParts) {
  const calls = createAuthCalls(parts.auth, parts.throwOnError);
  return {
    ...createLazyParts(parts, calls),
    ...createSessionMethods(parts, calls),
    ...createSignInMethods(calls),
    ...createExternalSignInMethods(calls),
    ...createAccountMethods(calls),
  };
}

/** Runs `create` once. */
function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => (created ??= create());
}

/** Parts that few pages use are loaded with the first call. */
function createLazyParts({ loadAdminClient }: AuthParts, { auth, settle }: AuthCalls) {
  const loadMfa = once(async () => (await import('./mfa.ts')).createMfaMethods(auth, settle));
  const loadPasskeys = once(async () => (await import('./passkeys.ts')).createPasskeyMethods(auth, settle));
  const loadOAuth = once(async () => (await import('./oauth.ts')).createOAuthMethods(auth, settle));
  const loadAdmin = once(async () => {
    const [{ createAdmin: create }, createClient] = await Promise.all([
      import('./admin.ts'),
      loadAdminClient(),
    ]);
    return create(createClient, settle);
  });
  return {
    mfa: lazyMethods<ReturnType<typeof createMfaMethods>>(settle, loadMfa, {
      enroll: true,
      challenge: true,
      verify: true,
      challengeAndVerify: true,
      unenroll: true,
      listFactors: true,
      getAuthenticatorAssuranceLevel: true,
      webauthn: { enroll: true, challenge: true, verify: true, register: true, authenticate: true },
      recoveryCodes: { getStatus: true, generate: true, verify: true, regenerate: true, unenroll: true },
    }),
    passkey: lazyMethods<ReturnType<typeof createPasskeyMethods>>(settle, loadPasskeys, {
      startRegistration: true,
      verifyRegistration: true,
      startAuthentication: true,
      verifyAuthentication: true,
      list: true,
      update: true,
      delete: true,
    }),
    oauth: lazyMethods<ReturnType<typeof createOAuthMethods>>(settle, loadOAuth, {
      getAuthorizationDetails: true,
      approveAuthorization: true,
      denyAuthorization: true,
      listGrants: true,
      revokeGrant: true,
    }),
    admin: lazyMethods<ReturnType<typeof createAdmin>>(settle, loadAdmin, adminMethods),
  };
}

const adminMethods = {
  createUser: true,
  getUserById: true,
  updateUserById: true,
  deleteUser: true,
  listUsers: true,
  inviteUserByEmail: true,
  generateLink: true,
  signOut: true,
  mfa: { listFactors: true, deleteFactor: true },
  passkey: { listPasskeys: true, deletePasskey: true },
  oauth: {
    listClients: true,
    createClient: true,
    getClient: true,
    updateClient: true,
    deleteClient: true,
    regenerateClientSecret: true,
  },
  customProviders: {
    listProviders: true,
    createProvider: true,
    getProvider: true,
    updateProvider: true,
    deleteProvider: true,
  },
} as const;

/** The session and its events, in the vendor's form. */
function createSessionMethods({ throwOnError, issuer }: AuthParts, { auth, settle, signIn }: AuthCalls) {
  return {
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
      // With the call's user, a refused refresh is an error of the call and not only the end of the session.
      settle(
        async () => {
          await auth.getAccessToken({ user: new CallUser() });
          return { session: readSession(auth) };
        },
        { session: null },
      ),
    getUser: (jwt?: string): Promise<UserResponse> =>
      settle(async () => ({ user: toUser(await auth.getUser({ accessToken: jwt })) }), { user: null }),
    getClaims: (jwt?: string) =>
      settle(async () => {
        const { verifyGivenOrOwn } = await import('../../auth-client/features/verify-token.ts');
        const verified = await verifyGivenOrOwn(auth, jwt, { issuer }, {});
        if (!verified) return null;
        const { accessToken } = verified;
        const signature = decodeBase64Url(accessToken.split('.')[2] ?? '');
        return { claims: verified.claims as JwtPayload, header: decodeJwtHeader(accessToken), signature };
      }),
    onAuthStateChange(callback: Subscription['callback']): { data: { subscription: Subscription } } {
      return { data: { subscription: follow(auth, callback) } };
    },

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
  };
}
