import type { AuthCore } from '../core.ts';
import { get, post } from '../wire/endpoints.ts';
import { beginFlow } from '../callback/pkce-flow.ts';
import type { CallOptions } from '../wire/request.ts';
import { type User, parseUser } from '../wire/responses.ts';
import { callAsUser } from './user-call.ts';
import { type TypeOf, flag, maybe, object, recordOf, text } from '../wire/wire-shape.ts';

export interface UserChanges {
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly password?: string | undefined;
  /** Where the project requires it for a new password. */
  readonly currentPassword?: string | undefined;
  /** The code that `reauthenticate()` mailed. */
  readonly nonce?: string | undefined;
  /** Merged into `user_metadata`. */
  readonly data?: object | undefined;
  readonly channel?: 'sms' | 'whatsapp' | undefined;
  /** Where the confirmation of a new address leads. */
  readonly redirectTo?: string | undefined;
}

export interface AccountCalls {
  /** The user as the server knows it now. @throws {AuthError} `missing-session` and the server's codes. */
  getUser(options?: CallOptions): Promise<User>;
  updateUser(changes: UserChanges, options?: CallOptions): Promise<User>;
  /** Mails a code, to be passed to `updateUser` as `nonce`. */
  reauthenticate(options?: CallOptions): Promise<void>;
  /** Which sign-in methods the project offers. */
  getSettings(options?: CallOptions): Promise<AuthServerSettings>;
}

export function createAccount(core: AuthCore): AccountCalls {
  return {
    async getUser(options) {
      return callAsUser(core, get('/user'), parseUser, options);
    },
    async updateUser({ currentPassword, redirectTo, ...changes }, options) {
      const challenge = changes.email ? await beginFlow(core) : {};
      const body = { ...changes, current_password: currentPassword, ...challenge };
      const endpoint = { ...post('/user', body, redirectTo), method: 'PUT' } as const;
      const user = await callAsUser(core, endpoint, parseUser, options);
      await core.keeper.replaceUser(user, changes.password ? { recovery: false } : undefined);
      return user;
    },
    async reauthenticate(options) {
      await callAsUser(core, get('/reauthenticate'), () => undefined, options);
    },
    getSettings: (options) => core.send(get('/settings'), parseSettings, options),
  };
}

const parseSettings = object({
  /** Sign-in methods by name: `email`, `phone`, `google`, …; true if enabled. */
  external: recordOf(flag),
  disable_signup: flag,
  mailer_autoconfirm: maybe(flag),
  phone_autoconfirm: maybe(flag),
  sms_provider: maybe(text),
  saml_enabled: maybe(flag),
  passkeys_enabled: maybe(flag),
});

export type AuthServerSettings = TypeOf<typeof parseSettings>;
