import { sendWithFlow, startPkceFlow } from '../callback/pkce-flow.ts';
import type { AuthCore } from '../core.ts';
import { get, post } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { type User, parseConfirmation, parseUser } from '../wire/responses.ts';
import { type TypeOf, boolean, nullish, object, recordOf, string } from '../../platform/schema.ts';
import { callAsUser } from './user-call.ts';

/** What `updateUser` changes. An omitted member stays unchanged. */
export interface UserChanges {
  /** The new email address; it changes once it is confirmed. */
  readonly email?: string | undefined;
  /** The new phone number, with country code; it changes once it is confirmed. */
  readonly phone?: string | undefined;
  /** The new password. */
  readonly password?: string | undefined;
  /** The present password, where the project requires it for a new one. */
  readonly currentPassword?: string | undefined;
  /** The code that `reauthenticate()` sent, where the project requires it for a new password. */
  readonly nonce?: string | undefined;
  /** Merged into `user_metadata`. */
  readonly data?: object | undefined;
  /** How the code for a new phone number is sent. Default `sms`. */
  readonly channel?: 'sms' | 'whatsapp' | undefined;
  /** Where the link in the confirmation email leads. Default: the project's site URL. */
  readonly redirectTo?: string | undefined;
}

/** Options of `getUser`. */
export interface GetUserOptions extends CallOptions {
  /** The access token of the user to return. Default: the session's own. */
  readonly accessToken?: string | undefined;
}

export interface AccountMethods {
  /**
   * Reads the verified user from the auth server.
   *
   * @throws {AuthError} `missing-session`, or as the server refuses.
   */
  getUser(options?: GetUserOptions): Promise<User>;
  /**
   * Changes the signed-in user.
   *
   * @throws {AuthError} `missing-session`, `same_password`, `weak_password`, `reauthentication_needed`, `email_exists`, …
   */
  updateUser(changes: UserChanges, options?: CallOptions): Promise<User>;
  /** Sends the user a code, to be passed to `updateUser` as `nonce`. @throws {AuthError} `missing-session`, … */
  reauthenticate(options?: CallOptions): Promise<void>;
  /** Returns which sign-in methods the project offers. Needs no session. @throws {AuthError} */
  getSettings(options?: CallOptions): Promise<AuthServerSettings>;
}

export function createAccountMethods(core: AuthCore): AccountMethods {
  return {
    async getUser({ accessToken, ...options } = {}) {
      if (accessToken !== undefined) return core.send(get('/user'), parseUser, { ...options, accessToken });
      return callAsUser(core, get('/user'), parseUser, options);
    },
    async updateUser({ currentPassword, redirectTo, ...changes }, options) {
      const flow = changes.email ? await startPkceFlow(core, 'mail') : null;
      const body = { ...changes, current_password: currentPassword, ...flow?.challenge };
      const endpoint = { ...post('/user', body, redirectTo), method: 'PUT' } as const;
      const user = await sendWithFlow(flow, () => callAsUser(core, endpoint, parseUser, options));
      // If the project requires no confirmation, the server sends no link.
      if (user.email === changes.email) await flow?.end();
      await core.session.replaceUser(user, changes.password ? { recovery: false } : undefined);
      return user;
    },
    async reauthenticate(options) {
      await callAsUser(core, get('/reauthenticate'), parseConfirmation, options);
    },
    getSettings: (options) => core.send(get('/settings'), parseSettings, options),
  };
}

const parseSettings = object({
  /** Sign-in methods by name: `email`, `phone`, `google`, …; true if enabled. */
  external: recordOf(boolean),
  disable_signup: boolean,
  mailer_autoconfirm: nullish(boolean),
  phone_autoconfirm: nullish(boolean),
  sms_provider: nullish(string),
  saml_enabled: nullish(boolean),
  passkeys_enabled: nullish(boolean),
});

/** The public settings of the auth server, in its own names (`GET /settings`). */
export type AuthServerSettings = TypeOf<typeof parseSettings>;
