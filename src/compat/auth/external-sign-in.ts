import type { AuthCalls } from './auth-calls.ts';
import type { SignInWithIdTokenCredentials, SignInWithSSO, Web3Credentials } from './credentials.ts';
import { navigate } from './navigation.ts';

/** The less common ways to sign in are loaded when they are used. */
const loadPasskeys = () => import('../../auth-client/features/passkeys.ts');
export const loadIdToken = () => import('../../auth-client/features/id-token.ts');

export interface PasskeyCredentials {
  options?: {
    captchaToken?: string | undefined;
    signal?: AbortSignal | undefined;
    mediation?: 'conditional' | undefined;
  };
}

/** Sign-in with ID tokens, wallets and passkeys, in the vendor's form. */
export function createExternalSignInMethods({ auth, settle, signIn, signedIn }: AuthCalls) {
  return {
    signInWithIdToken: (credentials: SignInWithIdTokenCredentials) =>
      signIn(async () => (await loadIdToken()).createIdToken(auth).signInWithIdToken(toIdToken(credentials))),
    signInWithSSO: ({ options = {}, ...by }: SignInWithSSO) =>
      settle(async () => {
        const { redirectTo, captchaToken } = options;
        const { createSso } = await import('../../auth-client/features/sso.ts');
        const { url } = await createSso(auth).signInWithSso({ ...by, redirectTo, captchaToken });
        navigate(url, options);
        return { url };
      }),
    /** @throws {Error} for another chain, without a wallet, and what the wallet throws. */
    async signInWithWeb3(credentials: Web3Credentials) {
      const { chain, options } = credentials;
      if (!['ethereum', 'solana'].includes(chain)) throw new Error(`Unsupported chain "${chain}"`);
      const signed =
        credentials.message === undefined
          ? await (await import('./wallet.ts')).signByWallet(credentials)
          : credentials;
      const { message, signature } = signed;
      const captchaToken = options?.captchaToken;
      return signIn(async () => {
        const { createWeb3 } = await import('../../auth-client/features/web3.ts');
        return createWeb3(auth).signInWithWeb3({ chain, message, signature, captchaToken });
      });
    },
    signInWithPasskey: ({ options: { signal, ...options } = {} }: PasskeyCredentials = {}) =>
      settle(async () => {
        const { createPasskeys } = await loadPasskeys();
        return createPasskeys(auth).signInWithPasskey(options, { signal }).then(signedIn);
      }),
    registerPasskey: ({ options }: PasskeyCredentials = {}) =>
      settle(async () => {
        const { createPasskeys } = await loadPasskeys();
        const { id, friendlyName, createdAtMs } = await createPasskeys(auth).registerPasskey(options);
        return { id, friendly_name: friendlyName, created_at: new Date(createdAtMs).toISOString() };
      }),
  };
}

export function toIdToken({
  access_token: accessToken,
  options,
  ...credentials
}: SignInWithIdTokenCredentials) {
  return { ...credentials, accessToken, ...options };
}
