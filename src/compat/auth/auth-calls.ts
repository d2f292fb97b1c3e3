import type { AuthClient } from '../../auth-client/index.ts';
import { createSettle, type Outcome, type Settle } from '../outcome.ts';
import { type AuthError, toAuthError } from './auth-error.ts';
import { requireSession, type Session, type User } from './session.ts';

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
/** The helpers by which the methods of the vendor's auth client run native calls. */
export interface AuthCalls {
  readonly auth: AuthClient;
  readonly settle: Settle<AuthError>;
  /** The session after a call that has signed a user in. */
  readonly signedIn: () => { user: User; session: Session };
  /** Runs a call after which a user is signed in. */
  readonly signIn: (work: () => Promise<unknown>) => Promise<AuthTokenResponse>;
  /** Runs a call that sends a message. */
  readonly sendMessage: (work: () => Promise<unknown>) => Promise<AuthOtpResponse>;
}

/** The data beside an error of a call that would sign a user in. */
export const signedOut = { user: null, session: null };

/** @param throwOnError whether calls throw instead of returning errors. */
export function createAuthCalls(auth: AuthClient, throwOnError: boolean): AuthCalls {
  const settle = createSettle({ toError: toAuthError, shouldThrow: () => throwOnError });
  const signedIn = () => {
    const session = requireSession(auth);
    return { user: session.user, session };
  };
  return {
    auth,
    settle,
    signedIn,
    signIn: (work) => settle(() => work().then(signedIn), signedOut),
    sendMessage: (work) =>
      settle(
        async () => ({ user: null, session: null, ...((await work()) as object | undefined) }),
        signedOut,
      ),
  };
}
