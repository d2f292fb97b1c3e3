import type { EmailOtpType, MobileOtpType } from './session.ts';
import type { Navigation } from './navigation.ts';

/** A name of an OAuth provider. */
export type Provider =
  | 'apple'
  | 'azure'
  | 'bitbucket'
  | 'discord'
  | 'facebook'
  | 'figma'
  | 'fly'
  | 'github'
  | 'gitlab'
  | 'google'
  | 'kakao'
  | 'keycloak'
  | 'linkedin'
  | 'linkedin_oidc'
  | 'notion'
  | 'slack'
  | 'slack_oidc'
  | 'spotify'
  | 'twitch'
  | 'twitter'
  | 'workos'
  | 'x'
  | 'zoom'
  | `custom:${string}`;

interface Captcha {
  captchaToken?: string | undefined;
}
interface Redirect {
  /** Where the link or the provider returns. */
  redirectTo?: string | undefined;
}
interface Message extends Captcha {
  /** Where the link in the mail leads. */
  emailRedirectTo?: string | undefined;
  /** The new user's `user_metadata`. */
  data?: object | undefined;
  /** How a message reaches a phone. */
  channel?: 'sms' | 'whatsapp' | undefined;
}
interface OtpMessage extends Message {
  /** Whether an unknown address gets an account. Default true. */
  shouldCreateUser?: boolean | undefined;
}
type Contact = { email: string; phone?: undefined } | { phone: string; email?: undefined };
interface WithOptions<Options> {
  options?: Options | undefined;
}
interface WithPassword {
  password: string;
}
interface WithType<Type> {
  /** What the code or the link is for. */
  type: Type;
}

/** The parameters of `signUp`. */
export type SignUpWithPasswordCredentials = Contact & WithPassword & WithOptions<Message>;
/** The parameters of `signInWithPassword`. */
export type SignInWithPasswordCredentials = Contact & WithPassword & WithOptions<Captcha>;
/** The parameters of `signInWithOtp`. */
export type SignInWithPasswordlessCredentials = Contact & WithOptions<OtpMessage>;
/** The parameters of `signInAnonymously`. */
export interface SignInAnonymouslyCredentials {
  /** The new user's `user_metadata`, and a captcha. */
  options?: (Captcha & { data?: object | undefined }) | undefined;
}
/** What `signInWithOAuth` and `linkIdentity` take. */
export interface SignInWithOAuthCredentials {
  /** The provider's name. */
  provider: Provider;
  /** The return URL, the scopes and further parameters. */
  options?:
    | (Redirect &
        Navigation & { scopes?: string | undefined; queryParams?: { [key: string]: string } | undefined })
    | undefined;
}
/** The parameters of `signInWithIdToken`. */
export interface SignInWithIdTokenCredentials {
  /** `google`, `apple`, … */
  provider: string;
  /** The OpenID Connect ID token. */
  token: string;
  /** The provider's access token, where the ID token has an `at_hash`. */
  access_token?: string | undefined;
  /** The nonce, not hashed. */
  nonce?: string | undefined;
  /** The token of a captcha. */
  options?: Captcha | undefined;
}
/** The parameters of `signInWithSSO`: the provider's id, or a domain of email addresses. */
export type SignInWithSSO = OrganizationProvider & WithOptions<Redirect & Captcha & Navigation>;
type OrganizationProvider = { providerId: string } | { domain: string };
/** The parameters of `signInWithWeb3`: a wallet that signs, by default the browser's, or what a wallet has signed. */
export type Web3Credentials = EthereumWeb3Credentials | SolanaWeb3Credentials;
/** Sign-in with an Ethereum account. */
export type EthereumWeb3Credentials =
  | EthereumWalletCredentials
  | (WithChain<'ethereum'> & SignedMessage & WithOptions<Captcha>);
/** Sign-in with a Solana account. */
export type SolanaWeb3Credentials =
  | SolanaWalletCredentials
  | (WithChain<'solana'> & SignedMessage & WithOptions<Captcha>);
/** A message and its signature by a wallet. */
export interface SignedMessage {
  /** The text that was signed. */
  message: string;
  /** The signature as the wallet returned it. */
  signature: string | Uint8Array;
}
/** An Ethereum wallet (EIP-1193). */
export interface EthereumWallet {
  /** Calls a method of the wallet. */
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}
interface SolanaSignature {
  signedMessage: string | Uint8Array;
  signature: Uint8Array;
}
/** A Solana wallet, which has one of the two methods. */
export interface SolanaWallet {
  /** Writes and signs a message. */
  signIn?: (fields: object) => Promise<SolanaSignature | SolanaSignature[]>;
  /** Signs a text. */
  signMessage?: (message: Uint8Array, encoding?: 'utf8') => Promise<Uint8Array> | undefined;
  /** The account's key. */
  publicKey?: { toBase58: () => string } | null;
}
interface WithUrl extends Captcha {
  /** The URL that the message names. Default: the page's. */
  url?: string | undefined;
}
interface MessageFields<Time> {
  issuedAt?: Time | undefined;
  expirationTime?: Time | undefined;
  notBefore?: Time | undefined;
  nonce?: string | undefined;
  requestId?: string | undefined;
  resources?: string[] | undefined;
}
interface WithChain<Chain> {
  /** The chain of the wallet. */
  chain: Chain;
}
interface ByWallet<Wallet> {
  /** Default: the wallet of the browser. */
  wallet?: Wallet | undefined;
  /** A line that the wallet shows. */
  statement?: string | undefined;
  message?: undefined;
  signature?: undefined;
}
export interface EthereumWalletCredentials extends ByWallet<EthereumWallet>, WithChain<'ethereum'> {
  options?:
    | (WithUrl & {
        signInWithEthereum?: (MessageFields<Date> & { chainId?: number | undefined }) | undefined;
      })
    | undefined;
}
export interface SolanaWalletCredentials extends ByWallet<SolanaWallet>, WithChain<'solana'> {
  options?:
    | (WithUrl & {
        signInWithSolana?: (MessageFields<string> & { chainId?: string | undefined }) | undefined;
      })
    | undefined;
}
/** The parameters of `verifyOtp`: a code with its address, or the hash of a link. */
export type VerifyOtpParams = VerifyCodeParams | VerifyHashParams;
type VerifyCodeParams = Contact &
  WithType<EmailOtpType | MobileOtpType> &
  WithOptions<Redirect & Captcha> & { token: string };
type VerifyHashParams = WithType<EmailOtpType> & { token_hash: string };
/** The parameters of `resend`. */
export type ResendParams = Contact &
  WithType<'signup' | 'email_change' | 'sms' | 'phone_change'> &
  WithOptions<ResendOptions>;
interface ResendOptions extends Captcha {
  /** Where the link in the mail leads. */
  emailRedirectTo?: string | undefined;
}
/** What `updateUser` changes. */
export interface UserAttributes {
  /** The new address. */
  email?: string | undefined;
  /** The new number. */
  phone?: string | undefined;
  /** The new password. */
  password?: string | undefined;
  /** The present password, where the project requires it. */
  current_password?: string | undefined;
  /** The code that `reauthenticate` sent. */
  nonce?: string | undefined;
  /** Merged into `user_metadata`. */
  data?: object | undefined;
}
/** Changes of a user by an administrator. */
export interface AdminUserAttributes extends Omit<UserAttributes, 'data' | 'current_password' | 'nonce'> {
  /** Merged into `user_metadata`. */
  user_metadata?: object | undefined;
  /** Merged into `app_metadata`. */
  app_metadata?: object | undefined;
  /** Confirms the address. */
  email_confirm?: boolean | undefined;
  /** Confirms the number. */
  phone_confirm?: boolean | undefined;
  /** A duration such as `24h` or `1h30m`; `none` lifts the ban. */
  ban_duration?: string | undefined;
  /** The database role. */
  role?: string | undefined;
  /** The hash of the password, instead of `password`. */
  password_hash?: string | undefined;
  /** The id of a new user. */
  id?: string | undefined;
}
