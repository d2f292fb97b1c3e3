import { doublingDelaysMs } from '../../platform/backoff.ts';
import { createListeners } from '../../platform/listeners.ts';
import type { Platform, Timer, Unsubscribe } from '../../platform/platform.ts';
import { retry } from '../../platform/retry.ts';
import { AuthError } from '../errors.ts';
import { createResilientStore } from '../storage/resilient-store.ts';
import type { Store } from '../storage/store.ts';
import type { TokenResponse, UnverifiedUser } from '../wire/responses.ts';
import { type AuthSnapshot, type SnapshotNotes, noNotes, toSnapshot } from './auth-snapshot.ts';
import {
  type ActiveSession,
  type ClockReading,
  type ServerTime,
  type Session,
  type StoredSession,
  serverTimeFrom,
  toActiveSession,
} from './session.ts';
import {
  type AuthEventReason,
  type Emission,
  type RenewalEventName,
  type SessionEvent,
  type SessionState,
  type SignInEventName,
  step,
} from './session-state.ts';
import { type ChangeNotice, createSessionStore } from './session-store.ts';

/** At the start, a failing read of storage is repeated for this long before the client continues without a session. */
const RESTORE_RETRY_MS = 6_000;
/** Waits between checks whether failing storage works again. */
const STORE_CHECK_DELAYS_MS = doublingDelaysMs(1_000, 30_000);

/** A change of the session, as `onEvent` delivers it. */
export interface AuthEvent extends Emission {
  /** The session after the change; null when signed out. For `INITIAL_SESSION`: the session that storage held. */
  readonly session: Session | null;
}

/** The session in memory and in storage. Every change of either goes through here. */
export interface SessionManager {
  /** The caller's store; writes that it refuses are kept in memory. */
  readonly store: Store;
  /** The session in memory; null when signed out or loading. */
  current(): ActiveSession | null;
  readClocks(): ClockReading;
  getSnapshot(): AuthSnapshot;
  readonly changes: Subscribable<AuthSnapshot>;
  readonly events: Subscribable<AuthEvent>;
  readonly tokens: Subscribable<string | null>;
  /** Reads storage for the first time and follows the other tabs. `callbackSession`: what the page's URL brought. */
  restore(callbackSession: NewSession | null): Promise<void>;
  /** Reads storage and adopts what it holds. A failed read changes nothing. */
  sync(notice?: ChangeNotice): Promise<void>;
  /** Stores a new session in place of the previous one. */
  signIn(newSession: NewSession): Promise<Session>;
  /**
   * Stores new tokens for the session with this refresh token; adopts what is stored instead if another one is.
   *
   * @param receivedAt when the response arrived. Default: now.
   */
  renew(
    refreshToken: string,
    response: TokenResponse,
    name: RenewalEventName,
    reason: AuthEventReason,
    receivedAt?: ClockReading,
  ): Promise<void>;
  /** Stores a newer record of the signed-in user. */
  replaceUser(user: UnverifiedUser, changes?: { readonly recovery: false }): Promise<void>;
  /** Removes the session: any, or only the one with this refresh token. */
  signOut(reason: AuthEventReason, refreshToken?: string): Promise<void>;
  /** Publishes the outcome of a callback URL. */
  setCallbackResult(result: Partial<Pick<SnapshotNotes, 'callbackError' | 'callbackMessage'>>): void;
  close(): void;
}

interface Subscribable<T> {
  add(listener: (value: T) => unknown): Unsubscribe;
}

/** A session that a sign-in or a callback brought. */
export interface NewSession {
  readonly response: TokenResponse;
  readonly name: SignInEventName;
  readonly reason: AuthEventReason;
}

export function createSessionManager(
  platform: Platform,
  primary: Store,
  key: string,
  { checksStorage }: { readonly checksStorage: boolean },
): SessionManager {
  const { clock } = platform;
  const changes = createListeners<AuthSnapshot>(platform.report);
  const events = createListeners<AuthEvent>(platform.report);
  const tokens = createListeners<string | null>(platform.report);
  let notes = noNotes;
  let serverTime: ServerTime | null = null;
  let state: SessionState = { kind: 'loading' };
  let snapshot = toSnapshot(state, notes);
  let publishedNotes = notes;
  const closing = new AbortController();
  let storeCheck: Timer | null = null;

  const publish = () => {
    snapshot = toSnapshot(state, notes);
    publishedNotes = notes;
    changes.call(snapshot);
  };
  const setNotes = (more: Partial<SnapshotNotes>) => {
    notes = { ...notes, ...more };
    publish();
  };
  /** A sign-in or sign-out makes the outcome of an earlier callback obsolete. The next `dispatch` publishes it. */
  const clearCallbackResult = () => {
    if (!notes.callbackError && notes.callbackMessage === null) return;
    notes = { ...notes, callbackError: null, callbackMessage: null };
  };

  const scheduleStoreCheck = (number: number) => {
    const delayMs = STORE_CHECK_DELAYS_MS[Math.min(number, STORE_CHECK_DELAYS_MS.length) - 1] ?? 0;
    const check = () => {
      storeCheck = null;
      manager.sync().then(() => {
        if (notes.storageProblem && !closing.signal.aborted && !storeCheck) scheduleStoreCheck(number + 1);
      }, platform.report);
    };
    storeCheck = clock.setTimer(check, delayMs);
  };
  const onFailure = (cause: unknown) => {
    if (notes.storageProblem) return;
    const message = 'Storage failed: the session is in memory only';
    setNotes({ storageProblem: new AuthError('storage-unavailable', message, { cause }) });
    platform.report(notes.storageProblem);
    if (checksStorage && !closing.signal.aborted) scheduleStoreCheck(1);
  };
  const onRecovery = () => {
    if (!notes.storageProblem) return;
    storeCheck?.cancel();
    storeCheck = null;
    setNotes({ storageProblem: null });
  };
  const store = createResilientStore(primary, clock, { onFailure, onRecovery });
  const records = createSessionStore(platform, store, key, platform.report);

  const current = () => (state.kind === 'signed-in' ? state.active : null);
  const readClocks = () => ({ now: clock.now(), monotonicMs: clock.monotonicMs() });
  const activate = (record: StoredSession | null, isJustAnnounced = false) =>
    record && toActiveSession(record, readClocks(), { serverTime, isJustAnnounced });
  const toRecord = (response: TokenResponse, receivedAt: ClockReading = readClocks()): StoredSession => {
    serverTime = serverTimeFrom(response, receivedAt) ?? serverTime;
    return { ...response, received_at: receivedAt.now };
  };
  const dispatch = (...list: readonly SessionEvent[]) => {
    const before = state;
    const tokenBefore = current()?.record.access_token ?? null;
    let last: Emission | null = null;
    for (const event of list) {
      const result = step(state, event);
      state = result.state;
      if (!result.emission) continue;
      const active = event.type === 'restored' ? event.active : current();
      events.defer({ ...result.emission, session: active?.session ?? null });
      last = result.emission;
    }
    if (state !== before || notes !== publishedNotes) publish();
    const token = current()?.record.access_token ?? null;
    if (token !== tokenBefore) tokens.defer(token);
    return last?.name ?? null;
  };
  const signedInEvents = (
    after: StoredSession | null,
    { name, reason }: NewSession,
  ): readonly SessionEvent[] => {
    const active = activate(after);
    return active ? [{ type: 'signed-in', active, name, reason }] : [];
  };
  const newRecord = ({ response, name }: NewSession): StoredSession => ({
    ...toRecord(response),
    ...(name === 'PASSWORD_RECOVERY' && { recovery: true }),
  });

  const restoreFromStorage = async () => {
    const readOnce = async () => {
      const isRead = await records.read((stored) => dispatch({ type: 'restored', active: activate(stored) }));
      if (!isRead) throw new Error('Storage could not be read');
    };
    const policy = {
      limit: Infinity,
      backoff: { delaysMs: doublingDelaysMs(100, 1_000) },
      maxElapsedMs: RESTORE_RETRY_MS,
      isRetryable: () => true,
    };
    const startSignedOut = () => dispatch({ type: 'restored', active: null });
    await retry(platform, policy, readOnce, closing.signal).catch(startSignedOut);
  };

  const manager: SessionManager = {
    store: store.asStore,
    current,
    readClocks,
    getSnapshot: () => snapshot,
    changes,
    events,
    tokens,
    setCallbackResult: setNotes,
    async restore(callbackSession) {
      records.listen((notice) => void manager.sync(notice).catch(platform.report));
      if (!callbackSession) {
        await restoreFromStorage();
        return;
      }
      await records.replace(newRecord(callbackSession), (after, before) =>
        dispatch({ type: 'restored', active: activate(before) }, ...signedInEvents(after, callbackSession)),
      );
    },
    async sync(notice) {
      await records.read((stored) => {
        const record = stored && withAnnouncedRevision(stored, current()?.record, notice);
        const active = activate(record, !!notice);
        return dispatch({ type: 'storage-read', active, name: notice?.event ?? null });
      });
    },
    async signIn(newSession) {
      const record = newRecord(newSession);
      await records.replace(record, (after) => {
        clearCallbackResult();
        return dispatch(...signedInEvents(after, newSession));
      });
      return toActiveSession(record, readClocks()).session;
    },
    renew(refreshToken, response, name, reason, receivedAt) {
      const isCurrent = (stored: StoredSession | null) =>
        stored?.refresh_token === refreshToken && stored.user.id === response.user.id;
      const record = toRecord(response, receivedAt);
      return records.update(
        (stored) => (isCurrent(stored) ? { ...record, recovery: stored?.recovery } : undefined),
        (after) => {
          const active = activate(after);
          return dispatch(
            active && after?.access_token === record.access_token
              ? { type: 'renewed', active, name, reason }
              : { type: 'storage-read', active, name: null },
          );
        },
      );
    },
    replaceUser: (user, more) =>
      records.update(
        (stored) => (stored?.user.id === user.id ? { ...stored, ...more, user } : undefined),
        (after) => {
          const active = activate(after);
          if (active?.record.user !== user) return dispatch({ type: 'storage-read', active, name: null });
          return dispatch({ type: 'renewed', active, name: 'USER_UPDATED', reason: 'call' });
        },
      ),
    signOut(reason, refreshToken) {
      const settle = (after: StoredSession | null) => {
        if (reason === 'call') clearCallbackResult();
        return dispatch(
          after
            ? { type: 'storage-read', active: activate(after), name: null }
            : { type: 'signed-out', reason },
        );
      };
      if (refreshToken === undefined) return records.replace(null, settle);
      return records.update((stored) => (stored?.refresh_token === refreshToken ? null : undefined), settle);
    },
    close() {
      closing.abort();
      storeCheck?.cancel();
      records.close();
    },
  };
  return manager;
}

/**
 * The record with the revision that this tab knows from notices, and no later one, so that each notice still in flight
 * emits its own event. A notice that a read has overtaken emits none.
 */
function withAnnouncedRevision(
  stored: StoredSession,
  current: StoredSession | undefined,
  notice: ChangeNotice | undefined,
): StoredSession {
  if (!notice || stored.revision === undefined) return stored;
  const announced = Math.max(current?.revision ?? 0, notice.revision);
  return { ...stored, revision: Math.min(stored.revision, announced) };
}
