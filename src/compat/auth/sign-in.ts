import type { OtpVerification } from '../../auth-client/index.ts';
import {
  type AuthCalls,
  type AuthResponse,
  type AuthTokenResponsePassword,
  type OAuthResponse,
  signedOut,
} from './auth-calls.ts';
import type {
  SignInAnonymouslyCredentials,
  SignInWithOAuthCredentials,
  SignInWithPasswordCredentials,
  SignInWithPasswordlessCredentials,
  SignUpWithPasswordCredentials,
  VerifyOtpParams,
} from './credentials.ts';
import { navigate } from './navigation.ts';
import { requireSession, toUser } from './session.ts';

/** Sign-in by passwords, codes and providers, in the vendor's form. */
export function createSignInMethods({ auth, settle, signIn, signedIn, sendMessage }: AuthCalls) {
  return {
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
  };
}

function toVerification(params: VerifyOtpParams): OtpVerification {
  if ('token_hash' in params) return { type: params.type, tokenHash: params.token_hash };
  const { options, ...verification } = params;
  return { ...verification, ...(options?.captchaToken && { captchaToken: options.captchaToken }) };
}
