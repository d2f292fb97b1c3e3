import { readJwtSubject } from './jwt.ts';

/** A request was not sent, because its call belongs to another user than the one who is signed in now. */
export class UserChanged extends Error {
  override readonly name = 'UserChanged';
  constructor(cause?: unknown) {
    super('Another user signed in during the call, or the session ended', { cause });
  }
}

/**
 * The user of a call, who is the subject of its first token. A call of several requests passes it to each of them, so that a
 * request fails with `user-changed` and is not sent after another sign-in or a sign-out. Clients of several services may
 * share one.
 *
 * @example
 * ```ts
 * import { CallUser } from 'supabase-protocol-clients/platform';
 *
 * const user = new CallUser();
 * const [draft] = await rest.from('notifications').select('id').limit(1).execute({ user });
 * if (draft) await rest.from('notifications').delete().eq('id', draft.id).execute({ user });
 * ```
 */
export class CallUser {
  #token: string | null | undefined;
  readonly #userId: string | null | undefined;

  /** @param userId the subject of the tokens; null without a session. Default: that of the first token. */
  constructor(userId?: string | null) {
    this.#userId = userId;
  }

  /** Whether a token belongs to the user. The first token determines the user. */
  admits(token: string | null): boolean {
    if (this.#token === undefined) {
      if (this.#userId !== undefined && subjectOf(token) !== this.#userId) return false;
      this.#token = token;
    }
    // Most requests of a call have the same token, which then is not decoded.
    return token === this.#token || subjectOf(token) === subjectOf(this.#token);
  }

  /** Admits the token of a request. @throws {UserChanged} */
  admit(token: string | null): void {
    if (!this.admits(token)) throw new UserChanged();
  }
}

/** What a call requires of the token that it requests. */
export interface TokenRequest {
  /** A token that the service has just refused: it must not be returned again without a renewal. Default: none. */
  readonly rejectedToken?: string;
  /** The user of the call. An auth client binds it to the present user before it waits for a token. Default: none. */
  readonly user?: CallUser;
}

/**
 * Returns the signed-in user's access token, or null where no user is signed in. A function of the application may ignore the
 * request: a call compares the subjects of the tokens that it gets, and fails with `user-changed` before it sends a second user's. A
 * function that waits, such as for a refresh, passes the token of the time of its call to `user.admit`, because the call
 * would otherwise belong to the user who is signed in when the wait ends.
 *
 * @throws {UserChanged} where `user` is another one. The client fails with `user-changed`.
 */
export type GetAccessToken = (request?: TokenRequest) => Promise<string | null>;

const subjectOf = (token: string | null): string | null => (token === null ? null : readJwtSubject(token));
