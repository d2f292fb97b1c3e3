import type { AuthError } from '../errors.ts';
import type { UnverifiedUser } from '../wire/responses.ts';
import type { SessionState } from './session-state.ts';
import type { Session } from './session.ts';

/** The outcomes of callback URLs and of storage, besides the session. */
export interface SnapshotNotes {
  /** Why the last callback URL did not sign in; else null. */
  readonly callbackError: AuthError | null;
  /** The message of a callback URL without a session, for example after the first half of an email change. */
  readonly callbackMessage: string | null;
  /** Set while storage fails and the session is in memory only; null again when storage works. */
  readonly storageProblem: AuthError | null;
}

/** Storage and the callback URL are being read: it is not yet known whether a user is signed in. */
export interface LoadingSnapshot extends SnapshotNotes {
  /** Discriminates `AuthSnapshot`. */
  readonly status: 'loading';
  /** Null until the stored session is read. */
  readonly session: null;
  /** Null until the stored session is read. */
  readonly user: null;
  /** False until the callback URL is read. */
  readonly recovery: false;
}

/** No user is signed in. */
export interface SignedOutSnapshot extends SnapshotNotes {
  /** Discriminates `AuthSnapshot`. */
  readonly status: 'signed-out';
  /** No session without a user. */
  readonly session: null;
  /** No user is signed in. */
  readonly user: null;
  /** Recovery needs a signed-in user. */
  readonly recovery: false;
}

/** A user is signed in. */
export interface SignedInSnapshot extends SnapshotNotes {
  /** Discriminates `AuthSnapshot`. */
  readonly status: 'signed-in';
  /** The current session. */
  readonly session: Session;
  /** The session's user, unverified. */
  readonly user: UnverifiedUser;
  /** True from the opening of a recovery link until the password is set or the user signs out. */
  readonly recovery: boolean;
}

/**
 * The state of the client, a union that narrows by `status`: `session` and `user` are not null once `loading` and
 * `signed-out` are handled. The same object until something changes.
 */
export type AuthSnapshot = LoadingSnapshot | SignedOutSnapshot | SignedInSnapshot;

export const noNotes: SnapshotNotes = { callbackError: null, callbackMessage: null, storageProblem: null };

export function toSnapshot(state: SessionState, notes: SnapshotNotes): AuthSnapshot {
  if (state.type !== 'signed-in')
    return { status: state.type, session: null, user: null, recovery: false, ...notes };
  const { session, record } = state.active;
  return { status: 'signed-in', session, user: session.user, recovery: !!record.recovery, ...notes };
}
