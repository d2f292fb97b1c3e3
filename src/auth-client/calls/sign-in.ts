import { adoptTokens } from '../callback/adopt.ts';
import type { AuthCore } from '../core.ts';
import { type Contact, captcha, encodeQuery, post, token } from '../wire/endpoints.ts';
import { AuthError } from '../errors.ts';
import { beginFlow } from '../callback/pkce-flow.ts';
import type { CallOptions } from '../wire/request.ts';
import { type SessionWire, type User, parseSession } from '../wire/responses.ts';
import type { Session } from '../session/session.ts';
import { parseSent, parseSignUp, parseVerification } from './sign-in-responses.ts';

interface Captcha {
  /** The answer to a captcha, where the project asks for one. */
  readonly captchaToken?: string | undefined;
}

interface Redirect {
  /** Where the mailed link leads in the end. Must be on the project's allow list. Default: its site URL. */
  readonly redirectTo?: string | undefined;
}

/** `sms` (default) or `whatsapp`. */
interface Channel {
  readonly channel?: 'sms' | 'whatsapp' | undefined;
}

export type SignUpCredentials = Contact &
  Channel &
  Redirect &
  Captcha & { readonly password: string; readonly data?: object | undefined };

export interface SignUpResult {
  /** With confirmation on, an address that is already taken looks like a new one, with `identities: []`. */
  readonly user: User;
  /** Null until the address is confirmed. */
  readonly session: Session | null;
}

export type OtpType =
  | 'signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  | 'email_change'
  | 'email'
  | 'sms'
  | 'phone_change';

export type OtpVerification =
  | (Contact & { readonly type: OtpType; readonly token: string; readonly captchaToken?: string })
  | { readonly type: OtpType; readonly tokenHash: string };

export interface OtpResult {
  /** Null after the first half of an e-mail change; `message` then says what is left to do. */
  readonly session: Session | null;
  readonly message: string | null;
}

/** Id that the SMS provider gave the message, if any. */
export interface Sent {
  readonly messageId: string | null;
}

export interface SignInCalls {
  /** Creates an account; signs in if the project does not ask for confirmation. */
  signUp(credentials: SignUpCredentials, options?: CallOptions): Promise<SignUpResult>;
  signInAnonymously(details?: { readonly data?: object } & Captcha, options?: CallOptions): Promise<Session>;
  signInWithPassword(
    credentials: Contact & Captcha & { readonly password: string },
    options?: CallOptions,
  ): Promise<Session>;
  /** Sends a link and a code. `createUser` (default true): also to an address without an account. */
  signInWithOtp(
    request: Contact &
      Channel &
      Redirect &
      Captcha & { readonly createUser?: boolean | undefined; readonly data?: object | undefined },
    options?: CallOptions,
  ): Promise<Sent>;
  /** Turns a mailed or texted code, or the `token_hash` of a link, into a session. */
  verifyOtp(verification: OtpVerification, options?: CallOptions): Promise<OtpResult>;
  resend(
    request: Contact &
      Redirect &
      Captcha & { readonly type: 'signup' | 'email_change' | 'sms' | 'phone_change' },
    options?: CallOptions,
  ): Promise<Sent>;
  /** Sends a recovery link and code; succeeds for unknown addresses too. */
  resetPasswordForEmail(
    request: Redirect & Captcha & { readonly email: string },
    options?: CallOptions,
  ): Promise<void>;
  /** The URL to navigate to for a sign-in with a social provider. */
  signInWithOAuth(request: OAuthRequest): Promise<{ readonly url: string }>;
  /** Signs in with tokens had elsewhere; the server says whose they are. */
  setSession(
    tokens: { readonly accessToken: string; readonly refreshToken: string },
    options?: CallOptions,
  ): Promise<Session>;
}

export interface OAuthRequest extends Redirect {
  /** `google`, `github`, … */
  readonly provider: string;
  /** Space-separated; default: the provider's. */
  readonly scopes?: string | undefined;
  /** Further parameters for the provider, such as `prompt`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

export function createSignIn(core: AuthCore): SignInCalls {
  const enter = (reply: SessionWire, as: 'SIGNED_IN' | 'PASSWORD_RECOVERY' = 'SIGNED_IN') =>
    core.keeper.enter({ reply, as, reason: 'call' });
  const need = (condition: unknown, message: string) => {
    if (!condition) throw new AuthError('invalid-argument', message);
  };
  /** A code comes back by e-mail alone. */
  const challenge = async (email: string | undefined) => (email ? beginFlow(core) : {});

  return {
    async signUp({ email, phone, password, data, channel, redirectTo, captchaToken }, options) {
      need((email || phone) && password, 'You must provide either an email or phone number and a password.');
      const body = {
        email,
        phone,
        password,
        data,
        channel,
        ...captcha(captchaToken),
        ...(await challenge(email)),
      };
      const { user, reply } = await core.send(post('/signup', body, redirectTo), parseSignUp, options);
      return { user, session: reply && (await enter(reply)) };
    },
    async signInAnonymously({ data = {}, captchaToken } = {}, options) {
      return enter(
        await core.send(post('/signup', { data, ...captcha(captchaToken) }), parseSession, options),
      );
    },
    async signInWithPassword({ email, phone, password, captchaToken }, options) {
      need((email || phone) && password, 'You must provide either an email or phone number and a password.');
      const endpoint = token('password', { email, phone, password, ...captcha(captchaToken) });
      return enter(await core.send(endpoint, parseSession, options));
    },
    async signInWithOtp(
      { email, phone, createUser = true, data, channel, redirectTo, captchaToken },
      options,
    ) {
      need(email || phone, 'You must provide either an email or phone number.');
      const body = {
        email,
        phone,
        create_user: createUser,
        data,
        channel: phone ? (channel ?? 'sms') : undefined,
        ...captcha(captchaToken),
        ...(await challenge(email)),
      };
      return core.send(post('/otp', body, redirectTo), parseSent, options);
    },
    async verifyOtp(verification, options) {
      const { type } = verification;
      let body: object;
      if ('tokenHash' in verification) {
        body = { type, token_hash: verification.tokenHash };
      } else {
        const { email, phone, token: code, captchaToken } = verification;
        need(email || phone, 'You must provide either an email or phone number.');
        body = { type, token: code, email, phone, ...captcha(captchaToken) };
      }
      const { reply, message } = await core.send(post('/verify', body), parseVerification, options);
      const as = type === 'recovery' ? 'PASSWORD_RECOVERY' : 'SIGNED_IN';
      return { session: reply && (await enter(reply, as)), message };
    },
    async resend({ type, email, phone, redirectTo, captchaToken }, options) {
      need((email || phone) && type, 'You must provide either an email or phone number, and a type.');
      const body = { type, email, phone, ...captcha(captchaToken), ...(await challenge(email)) };
      return core.send(post('/resend', body, redirectTo), parseSent, options);
    },
    async resetPasswordForEmail({ email, redirectTo, captchaToken }, options) {
      need(email, 'You must provide an email.');
      const body = { email, ...captcha(captchaToken), ...(await beginFlow(core, true)) };
      await core.send(post('/recover', body, redirectTo), () => undefined, options);
    },
    async signInWithOAuth({ provider, redirectTo, scopes, parameters }) {
      need(provider, 'You must provide a provider.');
      const query = {
        ...parameters,
        provider,
        redirect_to: redirectTo,
        scopes,
        ...(await beginFlow(core)),
      };
      return { url: `${core.baseUrl}/authorize${encodeQuery(query)}` };
    },
    async setSession({ accessToken, refreshToken }, options) {
      need(accessToken && refreshToken, 'You must provide an access token and a refresh token.');
      return enter(await adoptTokens(core, accessToken, refreshToken, options));
    },
  };
}
