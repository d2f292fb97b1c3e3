import { AuthError } from '../errors.ts';
import { type Endpoint, encodeUuid, get, post } from '../wire/endpoints.ts';
import type { CallOptions, Send } from '../wire/request.ts';
import { type User, parseConfirmation, parseUser } from '../wire/responses.ts';
import { rangeProblem, sentCount } from '../../platform/number-options.ts';
import { listOf, object } from '../../platform/schema.ts';

/** What an administrator may set on a user. An omitted member stays unchanged. */
export interface UserAttributes {
  /** The email address. Unlike `updateUser` of a session, no mail is sent and the change takes effect at once. */
  readonly email?: string | undefined;
  /** The phone number, with country code. */
  readonly phone?: string | undefined;
  /** The password. Default for a new user: a random one, so that the user signs in by other methods only. */
  readonly password?: string | undefined;
  /** Whether the address counts as confirmed. Default false: the user confirms it. */
  readonly isEmailConfirmed?: true | undefined;
  /** Whether the number counts as confirmed. Default false. */
  readonly isPhoneConfirmed?: true | undefined;
  /** Merged into `user_metadata`, which the user can change too: never a place for permissions. */
  readonly userMetadata?: object | undefined;
  /** Merged into `app_metadata`, which only administrators change. */
  readonly appMetadata?: object | undefined;
  /** The database role of the user's tokens. Default `authenticated`. */
  readonly role?: string | undefined;
  /** How long the user cannot sign in or refresh, in milliseconds from now; null lifts the ban. */
  readonly banForMs?: number | null | undefined;
}

/** The argument of `createUser`: at least an email address or a phone number. */
export interface NewUser extends UserAttributes {
  /** The user's id, a UUID. Default: a random one. */
  readonly id?: string | undefined;
  /** The hash of a password in the form of bcrypt, Argon2 or Firebase's scrypt, instead of `password`. */
  readonly passwordHash?: string | undefined;
}

/** Which users `listUsers` returns. */
export interface UserPage {
  /** The page, from 1. Default 1. */
  readonly page?: number | undefined;
  /** Users per page. Default 50. */
  readonly perPage?: number | undefined;
}

/** A page of users, newest first. */
export interface UserList {
  /** The users, without identities and factors: `getUser` has them. */
  readonly users: readonly User[];
  /** The total number of users. */
  readonly total: number;
  /** The number of the next page; null on the last. */
  readonly nextPage: number | null;
}

/** The users of a project. Every method throws an `AuthError`. */
export interface AdminUsers {
  /** Creates a user without a mail. @throws {AuthError} `email_exists`, `phone_exists`, `weak_password`, `validation_failed` */
  createUser(user: NewUser, options?: CallOptions): Promise<User>;
  /** Returns a user with identities and factors. @throws {AuthError} `user_not_found` */
  getUser(request: { readonly userId: string }, options?: CallOptions): Promise<User>;
  listUsers(page?: UserPage, options?: CallOptions): Promise<UserList>;
  /** Yields all users, newest first, page by page. A user who signs up meanwhile may be missing. */
  users(page?: Pick<UserPage, 'perPage'>, options?: CallOptions): AsyncIterable<readonly User[]>;
  /** Changes a user. @throws {AuthError} `user_not_found`, `email_exists`, … */
  updateUser(request: UserAttributes & { readonly userId: string }, options?: CallOptions): Promise<User>;
  /**
   * Deletes a user with sessions, identities and factors.
   *
   * @param request.keepsRow keeps the row without personal data, so that the id is not reused. Default false.
   * @throws {AuthError} `user_not_found`
   */
  deleteUser(
    request: { readonly userId: string; readonly keepsRow?: boolean },
    options?: CallOptions,
  ): Promise<void>;
  /** Mails an invitation, which creates the user. @throws {AuthError} `email_exists` for a confirmed address, … */
  inviteUser(request: UserInvitation, options?: CallOptions): Promise<User>;
}

/** The argument of `inviteUser`. */
export interface UserInvitation {
  /** The invitee's address. */
  readonly email: string;
  /** The new user's `user_metadata`. Default: empty. */
  readonly data?: object | undefined;
  /** Where the link in the mail leads. Default: the project's site URL. */
  readonly redirectTo?: string | undefined;
}

const MAX_PER_PAGE = 1000;

export function createAdminUsers(send: Send): AdminUsers {
  const listUsers: AdminUsers['listUsers'] = async ({ page = 1, perPage = 50 } = {}, options) => {
    const ranges = { page: sentCount, perPage: { ...sentCount, max: MAX_PER_PAGE } };
    const problem = rangeProblem({ page, perPage }, ranges);
    if (problem !== null) throw new AuthError('invalid-argument', problem);
    const endpoint = get('/admin/users', { page: String(page), per_page: String(perPage) });
    let total = 0;
    const { users } = await send(endpoint, parseUsers, {
      ...options,
      onHeaders: (headers) => (total = Number(headers.get('x-total-count'))),
    });
    return { users, total, nextPage: page * perPage < total ? page + 1 : null };
  };
  return {
    createUser: async ({ id, passwordHash, ...attributes }, options) =>
      send(
        post('/admin/users', { ...encodeAttributes(attributes), id, password_hash: passwordHash }),
        parseUser,
        options,
      ),
    getUser: async ({ userId }, options) => send(get(userPath(userId)), parseUser, options),
    listUsers,
    async *users({ perPage = MAX_PER_PAGE } = {}, options) {
      for (let page: number | null = 1; page !== null;) {
        const list: UserList = await listUsers({ page, perPage }, options);
        yield list.users;
        page = list.nextPage;
      }
    },
    async updateUser({ userId, ...attributes }, options) {
      const body = encodeAttributes(attributes);
      return send({ method: 'PUT', path: userPath(userId), body }, parseUser, options);
    },
    async deleteUser({ userId, keepsRow = false }, options) {
      const body = { should_soft_delete: keepsRow };
      await send({ method: 'DELETE', path: userPath(userId), body }, parseConfirmation, options);
    },
    inviteUser: ({ email, data, redirectTo }, options) =>
      send(post('/invite', { email, data }, redirectTo), parseUser, options),
  };
}

const parseUsers = object({ users: listOf(parseUser) });

/** @throws {AuthError} `invalid-argument` */
export function userPath(userId: string): string {
  return `/admin/users/${encodeUuid('userId', userId)}`;
}

function encodeAttributes({
  isEmailConfirmed,
  isPhoneConfirmed,
  userMetadata,
  appMetadata,
  banForMs,
  ...rest
}: UserAttributes): NonNullable<Endpoint['body']> {
  if (typeof banForMs === 'number' && !(banForMs > 0 && Number.isFinite(banForMs)))
    throw new AuthError('invalid-argument', 'banForMs must be a positive number of milliseconds, or null.');
  return {
    ...rest,
    email_confirm: isEmailConfirmed,
    phone_confirm: isPhoneConfirmed,
    user_metadata: userMetadata,
    app_metadata: appMetadata,
    ban_duration: banForMs === null ? 'none' : banForMs && `${Math.ceil(banForMs)}ms`,
  };
}
