import { backoffDelayMs, doublingDelaysMs } from '../../platform/backoff.ts';
import { ListenerSet } from '../../platform/listeners.ts';
import type { Platform, Timer } from '../../platform/platform.ts';
import { retry } from '../../platform/retry.ts';
import { AuthError } from '../errors.ts';
import { ResilientStore, type StoreHealthListener } from '../storage/resilient-store.ts';
import type { AuthStore } from '../storage/store.ts';
import type { TokenResponse, UnverifiedUser } from '../wire/responses.ts';
import { type AuthSnapshot, type SnapshotNotes, noNotes, toSnapshot } from './auth-snapshot.ts';
import {
  type ActiveSession,
  type ClockReading,
  type ServerTime,
  type Session,
  type StoredSession,
  serverNowMs,
  serverTimeFrom,
  toActiveSession,
} from './session.ts';
import {
  type AuthEvent,
  type AuthEventName,
  type AuthEventReason,
  type NewSession,
  type RenewalEventName,
  type SessionEvent,
  type SessionState,
  step,
} from './session-state.ts';
import { type Change, type ChangeNotice, SessionStore, withAnnouncedRevision } from './session-store.ts';

/** At the start, a failing read of storage is repeated for this long before the client continues without a session. */
const RESTORE_RETRY_MS = 6_000;
/** Waits between checks whether failing storage works again. */
const STORE_CHECK_BACKOFF = { delaysMs: doublingDelaysMs(1_000, 30_000) };

export interface SessionSettings {
  readonly store: AuthStore;
  readonly key: string;
  /**
   * False on a server: nothing runs in the background there, such as checks whether failing storage works again, and the wall clock is
   * right, where that of a device may be hours off.
   */
  readonly autoRefresh: boolean;
}

/** The session in memory and in storage. Every change of either goes through here. */
export class SessionManager implements StoreHealthListener {
  /** The caller's session storage; writes that it refuses are kept in memory. */
  readonly store: ResilientStore;
  readonly changes: ListenerSet<AuthSnapshot>;
  readonly events: ListenerSet<AuthEvent>;
  readonly tokens: ListenerSet<string | null>;
  readonly #platform: Platform;
  readonly #settings: SessionSettings;
  readonly #records: SessionStore;
  #notes = noNotes;
  #state: SessionState = { type: 'loading' };
  #snapshot = toSnapshot(this.#state, noNotes);
  #serverTime: ServerTime | null = null;
  #restoring: AbortController | null = null;
  #storeCheck: Timer | null = null;
  #isClosed = false;

  constructor(platform: Platform, settings: SessionSettings) {
    this.#platform = platform;
    this.#settings = settings;
    const { report } = platform;
    this.changes = new ListenerSet(report);
    this.events = new ListenerSet(report);
    this.tokens = new ListenerSet(report);
    this.store = new ResilientStore(settings.store, platform.clock, this);
    this.#records = new SessionStore(platform, this.store, settings.key);
  }

  /** The session in memory; null when signed out or loading. */
  current(): ActiveSession | null {
    return this.#state.type === 'signed-in' ? this.#state.active : null;
  }

  readClocks(): ClockReading {
    const { clock } = this.#platform;
    return { now: clock.now(), monotonicMs: clock.monotonicMs() };
  }

  /**
   * The current time for verifying tokens, in milliseconds since the epoch: a server's own clock; on a device its clock,
   * corrected only by the last response that this client received.
   */
  verificationTimeMs(): number {
    const at = this.readClocks();
    const isCorrected = this.#settings.autoRefresh && this.#serverTime;
    return isCorrected ? serverNowMs(isCorrected, at) : at.now;
  }

  getSnapshot(): AuthSnapshot {
    return this.#snapshot;
  }

  /** Publishes an outcome of a callback URL or of storage. */
  setNotes(more: Partial<SnapshotNotes>): void {
    this.#notes = { ...this.#notes, ...more };
    this.#publish();
  }

  /**
   * Reads storage for the first time and follows the other tabs. `callbackSession`: the session of the page's callback URL.
   */
  async restore(callbackSession: NewSession | null): Promise<void> {
    if (this.#settings.store.isShared ?? true)
      this.#records.listen((notice) => void this.sync(notice).catch(this.#platform.report));
    if (!callbackSession) {
      await this.#restoreFromStorage();
      return;
    }
    await this.#records.replace(this.#newRecord(callbackSession), (after, before) =>
      this.#dispatch([
        { type: 'restored', active: this.#activate(before) },
        ...this.#signedInEvents(after, callbackSession),
      ]),
    );
  }

  /** Reads storage and adopts what it holds. A failed read changes nothing. */
  async sync(notice?: ChangeNotice): Promise<void> {
    await this.#records.read((stored) => {
      const record = stored && withAnnouncedRevision(stored, this.current()?.record, notice);
      return this.#adopt(record, notice);
    });
  }

  /** Stores a new session instead of the previous one. */
  async signIn(newSession: NewSession): Promise<Session> {
    const record = this.#newRecord(newSession);
    await this.#records.replace(record, (after) =>
      this.#dispatch(this.#signedInEvents(after, newSession), true),
    );
    return this.#toActive(record).session;
  }

  /**
   * Stores new tokens for the session with this refresh token; if storage has another refresh token, adopts the stored
   * session instead.
   *
   * @param receivedAt when the response arrived. Default: now.
   */
  async renew(
    refreshToken: string,
    response: TokenResponse,
    name: RenewalEventName,
    reason: AuthEventReason,
    receivedAt = this.readClocks(),
  ): Promise<void> {
    this.#learnServerTime(response, receivedAt);
    const record = this.#toRecord(response, receivedAt);
    await this.#change(
      (stored) =>
        stored?.refresh_token === refreshToken && stored.user.id === response.user.id
          ? { ...record, recovery: stored.recovery }
          : undefined,
      name,
      reason,
    );
  }

  /** Stores a newer record of the signed-in user. */
  async replaceUser(user: UnverifiedUser, changes?: { readonly recovery: false }): Promise<void> {
    await this.#change(
      (stored) => (stored?.user.id === user.id ? { ...stored, ...changes, user } : undefined),
      'USER_UPDATED',
      'call',
    );
  }

  /** Removes the session: any, or only the one with this refresh token. */
  async signOut(reason: AuthEventReason, refreshToken?: string): Promise<void> {
    const settle = (after: StoredSession | null) =>
      after ? this.#adopt(after) : this.#dispatch([{ type: 'signed-out', reason }], reason === 'call');
    await (refreshToken === undefined
      ? this.#records.replace(null, settle)
      : this.#records.update(
          (stored) => (stored?.refresh_token === refreshToken ? null : undefined),
          settle,
        ));
  }

  close(): void {
    this.#isClosed = true;
    this.#restoring?.abort();
    this.#storeCheck?.cancel();
    this.#records.close();
  }

  onFailure(cause: unknown): void {
    if (this.#notes.storageProblem) return;
    const message = 'Storage failed: the session is in memory only';
    const storageProblem = new AuthError('storage-unavailable', message, { cause });
    this.setNotes({ storageProblem });
    this.#platform.report(storageProblem);
    if (this.#settings.autoRefresh && !this.#isClosed) this.#scheduleStoreCheck(1);
  }

  onRecovery(): void {
    if (!this.#notes.storageProblem) return;
    this.#storeCheck?.cancel();
    this.#storeCheck = null;
    this.setNotes({ storageProblem: null });
  }

  #scheduleStoreCheck(number: number): void {
    const delayMs = backoffDelayMs(number, STORE_CHECK_BACKOFF, 0);
    const check = () => {
      this.#storeCheck = null;
      this.sync().then(() => {
        if (this.#notes.storageProblem && !this.#isClosed && !this.#storeCheck)
          this.#scheduleStoreCheck(number + 1);
      }, this.#platform.report);
    };
    this.#storeCheck = this.#platform.clock.setTimer(check, delayMs);
    this.#storeCheck.unref?.();
  }

  async #restoreFromStorage(): Promise<void> {
    const restoring = (this.#restoring = new AbortController());
    const settle = (stored: StoredSession | null) =>
      this.#dispatch([{ type: 'restored', active: this.#activate(stored) }]);
    const readOnce = async () => {
      if (!(await this.#records.read(settle))) throw new Error('Storage could not be read');
    };
    const policy = {
      limit: Infinity,
      backoff: { delaysMs: doublingDelaysMs(100, 1_000) },
      maxElapsedMs: RESTORE_RETRY_MS,
      isRetryable: () => true,
    };
    await retry(this.#platform, policy, readOnce, restoring.signal).catch(() => settle(null));
    this.#restoring = null;
  }

  #publish(): void {
    this.#snapshot = toSnapshot(this.#state, this.#notes);
    this.changes.call(this.#snapshot);
  }

  #activate(record: StoredSession | null, isJustAnnounced = false): ActiveSession | null {
    return record && this.#toActive(record, isJustAnnounced);
  }

  #toActive(record: StoredSession, isJustAnnounced = false): ActiveSession {
    const isClockTrusted = !this.#settings.autoRefresh;
    const context = { serverTime: this.#serverTime, isClockTrusted, isJustAnnounced };
    return toActiveSession(record, this.readClocks(), context);
  }

  /** A server writes no time of receipt: the browser that reads its record has another clock. */
  #toRecord(response: TokenResponse, receivedAt: ClockReading): StoredSession {
    return this.#settings.autoRefresh ? { ...response, received_at: receivedAt.now } : response;
  }

  #learnServerTime(response: TokenResponse, receivedAt: ClockReading): void {
    this.#serverTime = serverTimeFrom(response, receivedAt) ?? this.#serverTime;
  }

  #newRecord({ response, name, isImported }: NewSession): StoredSession {
    const receivedAt = this.readClocks();
    if (!isImported) this.#learnServerTime(response, receivedAt);
    return {
      ...this.#toRecord(response, receivedAt),
      ...(name === 'PASSWORD_RECOVERY' && { recovery: true }),
    };
  }

  #signedInEvents(after: StoredSession | null, { name, reason }: NewSession): readonly SessionEvent[] {
    const active = this.#activate(after);
    return active ? [{ type: 'signed-in', active, name, reason }] : [];
  }

  /** Changes the stored record of the session; adopts what is stored instead if `change` keeps it. */
  async #change(change: Change, name: RenewalEventName, reason: AuthEventReason): Promise<void> {
    await this.#records.update(change, (after, before) => {
      const active = this.#activate(after);
      return active && after !== before
        ? this.#dispatch([{ type: 'renewed', active, name, reason }])
        : this.#adopt(after);
    });
  }

  /** Adopts the session that a read of storage returned. */
  #adopt(stored: StoredSession | null, notice?: ChangeNotice): AuthEventName | null {
    const active = this.#activate(stored, !!notice);
    return this.#dispatch([{ type: 'storage-read', active, name: notice?.event ?? null }]);
  }

  /**
   * Steps through the events, and publishes what they changed.
   *
   * @param clearsCallback whether the outcome of an earlier callback is obsolete, as after a sign-in or a sign-out.
   * @returns the name of the last event that listeners receive.
   */
  #dispatch(events: readonly SessionEvent[], clearsCallback = false): AuthEventName | null {
    const before = this.#state;
    const notesBefore = this.#notes;
    const tokenBefore = this.current()?.record.access_token ?? null;
    const emitted: AuthEvent[] = [];
    for (const event of events) {
      const { state, emission } = step(this.#state, event);
      this.#state = state;
      const active = event.type === 'restored' ? event.active : this.current();
      if (emission) emitted.push({ ...emission, session: active?.session ?? null });
    }
    if (clearsCallback && (notesBefore.callbackError || notesBefore.callbackMessage !== null))
      this.#notes = { ...notesBefore, callbackError: null, callbackMessage: null };
    // Emit the events before the snapshot, so that a page that renders in a microtask has received them.
    for (const event of emitted) this.events.defer(event);
    if (this.#state !== before || this.#notes !== notesBefore) this.#publish();
    const token = this.current()?.record.access_token ?? null;
    if (token !== tokenBefore) this.tokens.defer(token);
    return emitted.at(-1)?.name ?? null;
  }
}
