import type { AuthCalls, UserResponse } from './auth-calls.ts';
import type {
  ResendParams,
  SignInWithIdTokenCredentials,
  SignInWithOAuthCredentials,
  UserAttributes,
} from './credentials.ts';
import { loadIdToken, toIdToken } from './external-sign-in.ts';
import { navigate } from './navigation.ts';
import { toUser, type UserIdentity } from './session.ts';

/** The account of the signed-in user and its identities, in the vendor's form. */
export function createAccountMethods({ auth, settle, signedIn, sendMessage }: AuthCalls) {
  const loadIdentities = async () =>
    (await import('../../auth-client/features/identities.ts')).createIdentities(auth);
  return {
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

    getUserIdentities: () =>
      settle(async () => ({
        identities: (await (await loadIdentities()).getUserIdentities()) as unknown as UserIdentity[],
      })),
    linkIdentity: (credentials: SignInWithOAuthCredentials | SignInWithIdTokenCredentials) =>
      settle(async () => {
        const { provider } = credentials;
        if ('token' in credentials) {
          const { createIdToken } = await loadIdToken();
          await createIdToken(auth).linkIdentityWithIdToken(toIdToken(credentials));
          return { provider, url: null, ...signedIn() };
        }
        const { queryParams: parameters, redirectTo, scopes } = credentials.options ?? {};
        const { url, flowId } = await (
          await loadIdentities()
        ).linkIdentity({
          provider,
          redirectTo,
          scopes,
          parameters,
        });
        navigate(url, credentials.options);
        return { provider, url, flowId };
      }),
    unlinkIdentity: (identity: { identity_id: string }) =>
      settle(async () => {
        await (await loadIdentities()).unlinkIdentity(identity);
        return {};
      }),
  };
}
