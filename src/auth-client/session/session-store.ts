import { decodeJwtClaims } from '../../platform/jwt.ts';
import type { TabChannel, Platform } from '../../platform/platform.ts';
import { STORE_LOCK_WAIT_MS, withLock } from './with-lock.ts';
import type { ResilientStore } from '../storage/resilient-store.ts';
import { parseTokenResponse } from '../wire/responses.ts';
import type { AuthEventName } from './session-state.ts';
import type { StoredSession } from './session.ts';

/** The message between tabs: that the record changed, never its content. */
export interface ChangeNotice {
  readonly event: AuthEventName;
  readonly revision: number;
}

/**
 * Called under the lock with the record that is stored afterwards and the previous one; returns the event to announce to the
 * other tabs, if any.
 */
export type Settle = (after: StoredSession | null, before: StoredSession | null) => AuthEventName | null;

/** Returns the record to store, null to remove it, or undefined to keep what is stored. */
export type Change = (stored: StoredSession | null) => StoredSession | null | undefined;

/** The session record in storage. Each operation is atomic with respect to the other tabs. */
export class SessionStore {
  readonly #platform: Platform;
  readonly #store: ResilientStore;
  readonly #key: string;
  #channel: TabChannel | undefined;

  constructor(platform: Platform, store: ResilientStore, key: string) {
    this.#platform = platform;
    this.#store = store;
    this.#key = key;
  }

  /** Reads the record. If the read fails, `settle` is not called. Returns whether the read succeeded. */
  read(settle: Settle): Promise<boolean> {
    return this.#run('skip', () => undefined, settle);
  }

  /** Replaces or removes (null) the record, regardless of the stored one. */
  replace(next: StoredSession | null, settle: Settle): Promise<unknown> {
    return this.#run('write', () => next, settle);
  }

  /**
   * Changes the record depending on what is stored. Where the read fails, the last known record counts, and the change is written
   * when storage works again and still holds that record.
   */
  update(change: Change, settle: Settle): Promise<unknown> {
    return this.#run('write-later', change, settle);
  }

  /** Opens the channel to the other tabs. */
  listen(listener: (notice: ChangeNotice) => void): void {
    this.#channel = this.#platform.openTabChannel(this.#key);
    this.#channel.subscribe((message) => {
      const { event, revision } = (message ?? {}) as Partial<ChangeNotice>;
      if (event && revision) listener({ event, revision });
    });
  }

  /** Closes the channel. */
  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }

  /** @param afterFailedRead what to do if the record is unknown; `skip` returns false. */
  #run(afterFailedRead: 'skip' | 'write' | 'write-later', change: Change, settle: Settle): Promise<boolean> {
    const store = this.#store;
    const key = this.#key;
    return withLock(this.#platform, `lock:${key}:store`, STORE_LOCK_WAIT_MS, async () => {
      const { value, isFailed } = await store.read(key);
      if (isFailed && afterFailedRead === 'skip') return false;
      const before = await this.#parseOrRemove(value);
      const next = change(before);
      if (next === undefined) {
        settle(before, before);
        return true;
      }
      const revision = (before?.revision ?? 0) + 1;
      const after = next && { ...next, revision };
      const text = after && JSON.stringify(after);
      if (isFailed && afterFailedRead === 'write-later') store.writeLater(key, text);
      else await store.write(key, text);
      const event = settle(after, before);
      if (event) this.#channel?.post({ event, revision } satisfies ChangeNotice);
      return true;
    });
  }

  async #parseOrRemove(text: string | null): Promise<StoredSession | null> {
    if (!text) return null;
    try {
      return parseStoredSession(text);
    } catch (problem) {
      this.#platform.report(problem);
      await this.#store.write(this.#key, null);
      return null;
    }
  }
}

/**
 * The record with the revision that this tab knows from notices, and no later one, so that each notice still in flight
 * emits its own event. A notice that a read has overtaken emits none.
 */
export function withAnnouncedRevision(
  stored: StoredSession,
  current: StoredSession | undefined,
  notice: ChangeNotice | undefined,
): StoredSession {
  if (!notice || stored.revision === undefined) return stored;
  const announced = Math.max(current?.revision ?? 0, notice.revision);
  return { ...stored, revision: Math.min(stored.revision, announced) };
}

/**
 * Reads a stored record.
 *
 * @throws if `text` is not a session, or combines the token of one user with the record of another.
 */
export function parseStoredSession(text: string): StoredSession {
  const stored = Object(JSON.parse(text)) as StoredSession;
  const claims = decodeJwtClaims(stored.access_token);
  const subject = claims?.['sub'];
  // `@supabase/ssr` can keep the user elsewhere (`<key>-user`); the claims then describe the user.
  const user = stored.user ?? { ...claims, id: subject };
  const record = parseTokenResponse({ ...stored, user }) as StoredSession;
  if (subject !== undefined && subject !== record.user.id)
    throw new Error('The stored session mixes the token and the record of two users');
  return record;
}
