import type { Platform, Unsubscribe } from '../../platform/platform.ts';
import { AuthError } from '../errors.ts';
import { createFallbackStore } from '../storage/fallback-store.ts';
import { createListeners } from '../../platform/listeners.ts';
import type { SessionWire, UnverifiedUser } from '../wire/responses.ts';
import {
  type Announcement,
  type EntryName,
  type AuthEventReason,
  type RenewalName,
  type SessionEvent,
  type SessionState,
  step,
} from './session-state.ts';
import { type ChangeNotice, createSessionStore } from './session-store.ts';
import {
  type HeldSession,
  type Moment,
  type ServerTime,
  type Session,
  type StoredSession,
  holdSession,
  serverTimeOf,
} from './session.ts';
import type { Store } from '../storage/store.ts';

export type AuthSnapshot = (
  | { readonly status: 'loading' | 'signed-out'; readonly session: null; readonly user: null }
  | { readonly status: 'signed-in'; readonly session: Session; readonly user: UnverifiedUser }
) & {
  /** True from the opening of a recovery link until the password is set or the user signs out. */
  readonly recovery: boolean;
  /** Why the last callback URL brought no session; null if it did, or there was none. */
  readonly callbackError: AuthError | null;
  /** What the last callback URL said instead of a session, such as the first half of an e-mail change. */
  readonly callbackMessage: string | null;
  /** Set while the session lives in memory alone because storage failed. */
  readonly storageProblem: AuthError | null;
};

export interface AuthEvent extends Announcement {
  readonly session: Session | null;
}

/** The session of this tab and of storage, kept equal; every change of either passes here. */
export interface SessionKeeper {
  /** The caller's storage behind a fallback to memory. */
  readonly store: Store;
  held(): HeldSession | null;
  moment(): Moment;
  getSnapshot(): AuthSnapshot;
  readonly changes: Subscribable<AuthSnapshot>;
  readonly events: Subscribable<AuthEvent>;
  readonly tokens: Subscribable<string | null>;
  /** Reads storage for the first time and follows the other tabs; `entry` is what a callback brought. */
  restore(entry: Entry | null): Promise<void>;
  /** Adopts what storage holds now. */
  sync(notice?: ChangeNotice): Promise<void>;
  enter(entry: Entry): Promise<Session>;
  /** Stores a reply for the session with this refresh token; adopts what is there instead if it is no more. */
  renew(refreshToken: string, reply: SessionWire, as: RenewalName, reason: AuthEventReason): Promise<void>;
  /** Stores a newer description of the user who is signed in. */
  replaceUser(user: UnverifiedUser, changes?: { readonly recovery: false }): Promise<void>;
  /** Removes the session: any, or only the one with this refresh token. */
  leave(reason: AuthEventReason, refreshToken?: string): Promise<void>;
  note(callback: Partial<Pick<AuthSnapshot, 'callbackError' | 'callbackMessage'>>): void;
  close(): void;
}

interface Subscribable<T> {
  add(listener: (value: T) => unknown): Unsubscribe;
}

export interface Entry {
  readonly reply: SessionWire;
  readonly as: EntryName;
  readonly reason: AuthEventReason;
}

export function createSessionKeeper(platform: Platform, primary: Store, key: string): SessionKeeper {
  const changes = createListeners<AuthSnapshot>(platform.report);
  const events = createListeners<AuthEvent>(platform.report);
  const tokens = createListeners<string | null>(platform.report);
  let notes: Pick<AuthSnapshot, 'callbackError' | 'callbackMessage' | 'storageProblem'> = {
    callbackError: null,
    callbackMessage: null,
    storageProblem: null,
  };
  let serverTime: ServerTime | null = null;
  let state: SessionState = { kind: 'loading' };
  let snapshot = snapshotOf(state, notes);

  const publish = () => {
    snapshot = snapshotOf(state, notes);
    changes.call(snapshot);
  };
  const note = (more: Partial<typeof notes>) => {
    notes = { ...notes, ...more };
    publish();
  };
  /** Who has gone on by other means does not want to hear of an earlier link again. */
  const forgetCallback = () => {
    notes = { ...notes, callbackError: null, callbackMessage: null };
  };
  const onProblem = (cause: unknown) => {
    if (notes.storageProblem) return;
    const message = 'Storage failed: the session is in memory alone';
    note({ storageProblem: new AuthError('storage-unavailable', message, { cause }) });
    platform.report(notes.storageProblem);
  };
  const store = createFallbackStore(primary, platform.clock, onProblem);
  const records = createSessionStore(platform, store, key, platform.report);

  const held = () => (state.kind === 'signed-in' ? state.held : null);
  const moment = () => ({ now: platform.clock.now(), monotonicMs: platform.clock.monotonicMs() });
  const hold = (record: StoredSession | null, isNews = false) =>
    record && holdSession(record, moment(), { serverTime, isNews });
  const stamp = (reply: SessionWire): StoredSession => {
    serverTime = serverTimeOf(reply, moment()) ?? serverTime;
    return { ...reply, received_at: platform.clock.now() };
  };
  const dispatch = (...list: SessionEvent[]) => {
    const before = state;
    const token = held()?.record.access_token ?? null;
    let last: Announcement | null = null;
    for (const event of list) {
      const result = step(state, event);
      state = result.state;
      if (result.announce) {
        const session = event.type === 'restored' ? (event.held?.session ?? null) : (held()?.session ?? null);
        events.defer({ ...result.announce, session });
        last = result.announce;
      }
    }
    if (state !== before) {
      publish();
      const now = held()?.record.access_token ?? null;
      if (now !== token) tokens.defer(now);
    }
    return last?.name ?? null;
  };
  const entryOf = (after: StoredSession | null, { as, reason }: Entry): SessionEvent[] => {
    const entered = hold(after);
    return entered ? [{ type: 'entered', held: entered, as, reason }] : [];
  };
  const recordOf = ({ reply, as }: Entry): StoredSession => ({
    ...stamp(reply),
    ...(as === 'PASSWORD_RECOVERY' && { recovery: true }),
  });

  const keeper: SessionKeeper = {
    store,
    held,
    moment,
    getSnapshot: () => snapshot,
    changes,
    events,
    tokens,
    note,
    async restore(entry) {
      records.listen((notice) => void keeper.sync(notice).catch(platform.report));
      let before: StoredSession | null = null;
      await records.update(
        (stored) => {
          before = stored;
          return entry ? recordOf(entry) : undefined;
        },
        (after) =>
          dispatch({ type: 'restored', held: hold(before) }, ...(entry ? entryOf(after, entry) : [])),
      );
    },
    sync: (notice) =>
      records.update(
        () => undefined,
        (after) => {
          // The state keeps the revision that was announced, so that the notices still under way announce theirs; one that a
          // read has overtaken announces nothing.
          const known = keeper.held()?.record.revision ?? 0;
          const revision = Math.min(
            after?.revision ?? 0,
            notice ? Math.max(known, notice.revision) : Infinity,
          );
          const held = hold(after && { ...after, revision }, !!notice);
          return dispatch({ type: 'found', held, as: notice?.event ?? null });
        },
      ),
    async enter(entry) {
      const record = recordOf(entry);
      await records.update(
        () => record,
        (after) => {
          forgetCallback();
          return dispatch(...entryOf(after, entry));
        },
      );
      return holdSession(record, moment()).session;
    },
    renew(refreshToken, reply, as, reason) {
      const isCurrent = (stored: StoredSession | null) =>
        stored?.refresh_token === refreshToken && stored.user.id === reply.user.id;
      const record = stamp(reply);
      return records.update(
        (stored) => (isCurrent(stored) ? { ...record, recovery: stored?.recovery } : undefined),
        (after) => {
          const now = hold(after);
          return dispatch(
            now && after?.access_token === record.access_token
              ? { type: 'renewed', held: now, as, reason }
              : { type: 'found', held: now, as: null },
          );
        },
      );
    },
    replaceUser: (user, more) =>
      records.update(
        (stored) => (stored?.user.id === user.id ? { ...stored, ...more, user } : undefined),
        (after) => {
          const now = hold(after);
          if (now?.record.user !== user) return dispatch({ type: 'found', held: now, as: null });
          return dispatch({ type: 'renewed', held: now, as: 'USER_UPDATED', reason: 'call' });
        },
      ),
    leave: (reason, refreshToken) =>
      records.update(
        (stored) => (refreshToken === undefined || stored?.refresh_token === refreshToken ? null : undefined),
        (after) => {
          if (reason === 'call') forgetCallback();
          return dispatch(after ? { type: 'found', held: hold(after), as: null } : { type: 'left', reason });
        },
      ),
    close: () => records.close(),
  };
  return keeper;
}

function snapshotOf(
  state: SessionState,
  notes: Pick<AuthSnapshot, 'callbackError' | 'callbackMessage' | 'storageProblem'>,
): AuthSnapshot {
  if (state.kind !== 'signed-in')
    return { status: state.kind, session: null, user: null, recovery: false, ...notes };
  const { session, record } = state.held;
  return { status: 'signed-in', session, user: session.user, recovery: !!record.recovery, ...notes };
}
