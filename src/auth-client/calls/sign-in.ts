import { removeMailFlows } from '../callback/pending-flows.ts';
import { sendWithFlow, type StartedFlow, startPkceFlow } from '../callback/pkce-flow.ts';
import { sessionFromTokens } from '../callback/session-from-tokens.ts';
import type { AuthCore } from '../core.ts';
import { AuthError } from '../errors.ts';
import type { SignInEventName } from '../session/session-state.ts';
import type { Session } from '../session/session.ts';
import { type Contact, captcha, encodeQuery, post, token } from '../wire/endpoints.ts';
import type { CallOptions, Parse } from '../wire/request.ts';
import { type TokenResponse, type User, parseConfirmation, parseTokenResponse } from '../wire/responses.ts';
import { parseSentMessage, parseSignUp, parseVerification } from './sign-in-responses.ts';

/** The token of a captcha, where the project requires one. */
export interface CaptchaOption {
  readonly captchaToken?: string | undefined;
}

/** Where a link in an email leads. */
export interface RedirectOption {
  /** A URL of the project's allow list. Default: the project's site URL. */
  readonly redirectTo?: string | undefined;
}

/** How a message reaches a phone. */
export interface ChannelOption {
  /** Default `sms`. */
  readonly channel?: 'sms' | 'whatsapp' | undefined;
}

/** The parameters of `signUp`. */
export type SignUpCredentials = Contact &
  ChannelOption &
  RedirectOption &
  CaptchaOption & {
    /** The new password. */
    readonly password: string;
    /** The new user's `user_metadata`. Default: empty. */
    readonly data?: object | undefined;
  };

/** The result of `signUp`. */
export interface SignUpResult {
  /** The new user. With confirmation required, an address that is taken looks like a new one, with `identities: []`. */
  readonly user: User;
  /** Null until the address is confirmed. */
  readonly session: Session | null;
}

/** The parameters of `signInWithPassword`. */
export type PasswordCredentials = Contact &
  CaptchaOption & {
    /** The user's password. */
    readonly password: string;
  };

/** The parameters of `signInAnonymously`. */
export interface AnonymousSignIn extends CaptchaOption {
  /** The new user's `user_metadata`. Default: empty. */
  readonly data?: object | undefined;
}

/** The parameters of `signInWithOtp`. */
export type OtpRequest = Contact &
  ChannelOption &
  RedirectOption &
  CaptchaOption & {
    /** Whether an unknown address gets an account. Default true. */
    readonly createUser?: boolean | undefined;
    /** A new user's `user_metadata`. Default: empty. */
    readonly data?: object | undefined;
  };

/** What a one-time code or link is for. `email` covers `signup` and `magiclink`. */
export type OtpType =
  | 'signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  | 'email_change'
  | 'email'
  | 'sms'
  | 'phone_change';

/** A code with the address that it was sent to, or the `token_hash` of a link without an address. */
export type OtpVerification =
  | (Contact & {
      /** What the code was sent for. */
      readonly type: OtpType;
      /** The code from the message. */
      readonly token: string;
      /** The token of the captcha widget, if the project requires one. */
      readonly captchaToken?: string;
    })
  /** `tokenHash` of the link in a mail template: works in any browser. */
  | { readonly type: OtpType; readonly tokenHash: string };

/** The result of `verifyOtp`. */
export interface OtpResult {
  /** Null after the first half of an email change. */
  readonly session: Session | null;
  /** The server's message after the first half of an email change; else null. */
  readonly message: string | null;
}

/** The parameters of `resend`. */
export type ResendRequest = Contact &
  RedirectOption &
  CaptchaOption & {
    /** Which message to send again. */
    readonly type: 'signup' | 'email_change' | 'sms' | 'phone_change';
  };

/** The result of a call that sends a message. */
export interface SentMessage {
  /** The SMS provider's id of the message; null for email, or without an id. */
  readonly messageId: string | null;
}

/** The parameters of `signInWithOAuth`. */
export interface OAuthRequest extends RedirectOption {
  /** `google`, `github`, … */
  readonly provider: string;
  /** Space-separated scopes. Default: the provider's. */
  readonly scopes?: string | undefined;
  /** Further parameters for the provider, such as `prompt`. Default: none. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** The tokens of another client's session. */
export interface SessionTokens {
  /** The JWT; it may have expired. */
  readonly accessToken: string;
  /** The refresh token of the same session. */
  readonly refreshToken: string;
}

/** Where to navigate for a sign-in at a provider. */
export interface ProviderRedirect {
  /** The URL to navigate to. */
  readonly url: string;
  /** Names the flow, for `exchangeCodeForSession` where several are in progress at once. */
  readonly flowId: string;
}

export interface SignInMethods {
  /**
   * Creates an account, and signs in if the project requires no confirmation.
   *
   * @throws {AuthError} `weak_password`, `user_already_exists`, `signup_disabled`, …
   */
  signUp(credentials: SignUpCredentials, options?: CallOptions): Promise<SignUpResult>;
  /** Creates an anonymous account and signs in. @throws {AuthError} `anonymous_provider_disabled`, … */
  signInAnonymously(request?: AnonymousSignIn, options?: CallOptions): Promise<Session>;
  /** Signs in with a password. @throws {AuthError} `invalid_credentials`, `email_not_confirmed`, … */
  signInWithPassword(credentials: PasswordCredentials, options?: CallOptions): Promise<Session>;
  /** Sends a link and a code to sign in with. @throws {AuthError} `over_email_send_rate_limit`, `otp_disabled`, … */
  signInWithOtp(request: OtpRequest, options?: CallOptions): Promise<SentMessage>;
  /** Signs in with a code that was sent, or with the `token_hash` of a link. @throws {AuthError} `otp_expired`, … */
  verifyOtp(verification: OtpVerification, options?: CallOptions): Promise<OtpResult>;
  /** Sends a code or link again. @throws {AuthError} `over_email_send_rate_limit`, … */
  resend(request: ResendRequest, options?: CallOptions): Promise<SentMessage>;
  /** Sends a recovery link and code; succeeds for unknown addresses too. @throws {AuthError} */
  resetPasswordForEmail(
    request: RedirectOption & CaptchaOption & { readonly email: string },
    options?: CallOptions,
  ): Promise<void>;
  /** Returns the URL to navigate to for a sign-in with an OAuth provider. @throws {AuthError} `invalid-argument` */
  signInWithOAuth(request: OAuthRequest): Promise<ProviderRedirect>;
  /** Signs in with the tokens of another client's session; the server returns their user. @throws {AuthError} */
  setSession(tokens: SessionTokens, options?: CallOptions): Promise<Session>;
}

const CONTACT_REQUIRED = 'You must provide either an email or phone number.';
const CREDENTIALS_REQUIRED = 'You must provide either an email or phone number and a password.';

export function createSignInMethods(core: AuthCore): SignInMethods {
  return {
    ...messageMethods(core),
    async signUp({ email, phone, password, data, channel, redirectTo, captchaToken }, options) {
      assertArgument((email || phone) && password, CREDENTIALS_REQUIRED);
      const body = { email, phone, password, data, channel, ...captcha(captchaToken) };
      const request = { email, path: '/signup', body, redirectTo };
      const { user, response, flow } = await sendForMessage(core, request, parseSignUp, options);
      // If no confirmation is required, the server sends no link.
      if (response) await flow?.end();
      return { user, session: response && (await signIn(core, response)) };
    },
    async signInAnonymously({ data = {}, captchaToken } = {}, options) {
      const endpoint = post('/signup', { data, ...captcha(captchaToken) });
      return signIn(core, await core.send(endpoint, parseTokenResponse, options));
    },
    async signInWithPassword({ email, phone, password, captchaToken }, options) {
      assertArgument((email || phone) && password, CREDENTIALS_REQUIRED);
      const endpoint = token('password', { email, phone, password, ...captcha(captchaToken) });
      return signIn(core, await core.send(endpoint, parseTokenResponse, options));
    },
    async verifyOtp(verification, options) {
      const endpoint = post('/verify', verificationBody(verification));
      const { response, message } = await core.send(endpoint, parseVerification, options);
      const name = verification.type === 'recovery' ? 'PASSWORD_RECOVERY' : 'SIGNED_IN';
      if (response && !isForPhone(verification)) await removeMailFlows(core.pendingFlows);
      return { session: response && (await signIn(core, response, name)), message };
    },
    async signInWithOAuth({ provider, redirectTo, scopes, parameters }) {
      assertArgument(provider, 'You must provide a provider.');
      const { challenge, flowId } = await startPkceFlow(core, 'redirect');
      const query = { ...parameters, provider, redirect_to: redirectTo, scopes, ...challenge };
      return { url: `${core.publicBaseUrl}/authorize${encodeQuery(query)}`, flowId };
    },
    async setSession({ accessToken, refreshToken }, options) {
      assertArgument(accessToken && refreshToken, 'You must provide an access token and a refresh token.');
      const imported = await sessionFromTokens(core, { accessToken, refreshToken }, options);
      return core.session.signIn({ ...imported, name: 'SIGNED_IN', reason: 'call' });
    },
  };
}

/** The requests for a mail or an SMS. */
const messageMethods = (
  core: AuthCore,
): Pick<SignInMethods, 'signInWithOtp' | 'resend' | 'resetPasswordForEmail'> => ({
  async signInWithOtp({ email, phone, createUser = true, data, channel, redirectTo, captchaToken }, options) {
    assertArgument(email || phone, CONTACT_REQUIRED);
    const body = {
      email,
      phone,
      create_user: createUser,
      data,
      channel: phone ? (channel ?? 'sms') : undefined,
      ...captcha(captchaToken),
    };
    const { messageId } = await sendForMessage(
      core,
      { email, path: '/otp', body, redirectTo },
      parseSentMessage,
      options,
    );
    return { messageId };
  },
  async resend({ type, email, phone, redirectTo, captchaToken }, options) {
    assertArgument((email || phone) && type, 'You must provide either an email or phone number, and a type.');
    const body = { type, email, phone, ...captcha(captchaToken) };
    const request = { email, path: '/resend', body, redirectTo };
    const { messageId } = await sendForMessage(core, request, parseSentMessage, options);
    return { messageId };
  },
  async resetPasswordForEmail({ email, redirectTo, captchaToken }, options) {
    assertArgument(email, 'You must provide an email.');
    const body = { email, ...captcha(captchaToken) };
    const request = { email, path: '/recover', body, redirectTo, isRecovery: true };
    await sendForMessage(core, request, parseNothing, options);
  },
});

const signIn = (core: AuthCore, response: TokenResponse, name: SignInEventName = 'SIGNED_IN') =>
  core.session.signIn({ response, name, reason: 'call' });

/** Sends a request for a message. Only mails contain a link and need a PKCE flow. */
async function sendForMessage<T>(
  core: AuthCore,
  { email, path, body, redirectTo, isRecovery }: MessageRequest,
  parse: Parse<T>,
  options?: CallOptions,
): Promise<T & { readonly flow: StartedFlow | null }> {
  const flow = email ? await startPkceFlow(core, 'mail', isRecovery) : null;
  const endpoint = post(path, { ...body, ...flow?.challenge }, redirectTo);
  return { ...(await sendWithFlow(flow, () => core.send(endpoint, parse, options))), flow };
}

const isForPhone = (verification: OtpVerification) => 'phone' in verification && !!verification.phone;

const parseNothing = (body: unknown): object => {
  parseConfirmation(body);
  return {};
};

/** A request that makes the server send a message. */
interface MessageRequest {
  readonly email: string | undefined;
  readonly path: string;
  readonly body: object;
  readonly redirectTo: string | undefined;
  readonly isRecovery?: boolean;
}

function verificationBody(verification: OtpVerification): object {
  const { type } = verification;
  if ('tokenHash' in verification) return { type, token_hash: verification.tokenHash };
  const { email, phone, token: code, captchaToken } = verification;
  assertArgument(email || phone, CONTACT_REQUIRED);
  return { type, token: code, email, phone, ...captcha(captchaToken) };
}

function assertArgument(condition: unknown, message: string): void {
  if (!condition) throw new AuthError('invalid-argument', message);
}
