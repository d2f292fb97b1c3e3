import type { AuthCore } from './core.ts';
import { get, post } from './endpoints.ts';
import { AuthError } from './errors.ts';
import type { CallOptions } from './request.ts';
import { type AuthServerSettings, type User, parseUser, settingsSchema } from './responses.ts';

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

/** `global`: every session of the user; `local`: this one; `others`: all but this one. */
export type SignOutScope = 'global' | 'local' | 'others';

export interface AccountCalls {
  /** The user as the server knows it now. @throws {AuthError} `missing-session` and the server's codes. */
  getUser(options?: CallOptions): Promise<User>;
  updateUser(changes: UserChanges, options?: CallOptions): Promise<User>;
  /** Mails a code, to be passed to `updateUser` as `nonce`. */
  reauthenticate(options?: CallOptions): Promise<void>;
  /**
   * Ends the session here first, then at the server. Replies 401, 403 and 404 are ignored.
   *
   * @param details default scope: `global`.
   * @throws {AuthError} if the server could not be told; this browser is signed out all the same.
   */
  signOut(details?: { readonly scope?: SignOutScope }, options?: CallOptions): Promise<void>;
  /** Which sign-in methods the project offers. */
  getSettings(options?: CallOptions): Promise<AuthServerSettings>;
}

export function createAccount(core: AuthCore): AccountCalls {
  return {
    async getUser(options) {
      const user = await core.request(get('/user'), parseUser, options);
      return user;
    },
    async updateUser({ currentPassword, redirectTo, ...changes }, options) {
      const challenge = changes.email ? await core.beginFlow() : {};
      const body = { ...changes, current_password: currentPassword, ...challenge };
      const endpoint = { ...post('/user', body, redirectTo), method: 'PUT' } as const;
      const user = await core.request(endpoint, parseUser, options);
      await core.keeper.replaceUser(user, changes.password ? { recovery: false } : undefined);
      return user;
    },
    async reauthenticate(options) {
      await core.request(get('/reauthenticate'), () => undefined, options);
    },
    async signOut({ scope = 'global' } = {}, options) {
      await core.ready();
      const accessToken = core.keeper.held()?.record.access_token;
      if (scope !== 'others') await core.keeper.leave('call');
      if (!accessToken) return;
      const endpoint = { ...post('/logout', {}), query: { scope } };
      try {
        await core.send(endpoint, () => undefined, { ...options, accessToken, keepalive: true });
      } catch (problem) {
        if (!(problem instanceof AuthError) || ![401, 403, 404].includes(problem.status ?? 0)) throw problem;
      }
    },
    getSettings: (options) => core.send(get('/settings'), (body) => settingsSchema.parse(body), options),
  };
}
