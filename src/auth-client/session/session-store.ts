import { decodeJwtClaims } from '../../platform/jwt.ts';
import type { Broadcast, Platform } from '../../platform/platform.ts';
import { STORE_LOCK_WAIT_MS, withLock } from './with-lock.ts';
import type { ResilientStore, StoreRead } from '../storage/resilient-store.ts';
import { parseTokenResponse } from '../wire/responses.ts';
import type { AuthEventName } from './session-state.ts';
import type { StoredSession } from './session.ts';

/** The message between tabs: that the record changed, never its content. */
export interface ChangeNotice {
  readonly event: AuthEventName;
  readonly revision: number;
}

/**
 * Called under the lock with the record that is stored afterwards and the one before; returns the event to announce to the
 * other tabs, if any.
 */
export type Settle = (after: StoredSession | null, before: StoredSession | null) => AuthEventName | null;

/** The session record in storage. Each operation is atomic with respect to the other tabs. */
export interface SessionStore {
  /** Reads the record. Where the read fails, `settle` is not called. Returns whether the read succeeded. */
  read(settle: Settle): Promise<boolean>;
  /** Replaces or removes (null) the record, whatever is stored. */
  replace(next: StoredSession | null, settle: Settle): Promise<void>;
  /**
   * Replaces or removes (null) the record depending on what is stored, or keeps it (undefined). Where the read fails, the
   * last known record counts, and the change is written when storage works again and still holds that record.
   */
  update(
    change: (stored: StoredSession | null) => StoredSession | null | undefined,
    settle: Settle,
  ): Promise<void>;
  /** Opens the channel to the other tabs. */
  listen(listener: (notice: ChangeNotice) => void): void;
  /** Closes the channel. */
  close(): void;
}

export function createSessionStore(
  platform: Platform,
  store: ResilientStore,
  key: string,
  onCorruptRecord: (problem: unknown) => void,
): SessionStore {
  let channel: Broadcast | undefined;

  const atomically = (task: () => Promise<void>) =>
    withLock(platform, `lock:${key}:store`, STORE_LOCK_WAIT_MS, task);

  const parseOrRemove = async (result: StoreRead): Promise<StoredSession | null> => {
    if (result.outcome === 'missing') return null;
    const text = result.outcome === 'value' ? result.value : result.lastKnown;
    if (!text) return null;
    try {
      return parseStoredSession(text);
    } catch (problem) {
      onCorruptRecord(problem);
      await store.write(key, null);
      return null;
    }
  };
  const announce = (event: AuthEventName | null, revision: number) => {
    if (event) channel?.post({ event, revision } satisfies ChangeNotice);
  };

  return {
    async read(settle) {
      let isRead = false;
      await atomically(async () => {
        const result = await store.read(key);
        if (result.outcome === 'failed') return;
        isRead = true;
        const record = await parseOrRemove(result);
        settle(record, record);
      });
      return isRead;
    },
    replace: (next, settle) =>
      atomically(async () => {
        const before = await parseOrRemove(await store.read(key));
        const { after, revision } = nextRevision(before, next);
        await store.write(key, after && JSON.stringify(after));
        announce(settle(after, before), revision);
      }),
    update: (change, settle) =>
      atomically(async () => {
        const result = await store.read(key);
        const before = await parseOrRemove(result);
        const next = change(before);
        if (next === undefined) {
          settle(before, before);
          return;
        }
        const { after, revision } = nextRevision(before, next);
        const text = after && JSON.stringify(after);
        if (result.outcome === 'failed') store.writeLater(key, text);
        else await store.write(key, text);
        announce(settle(after, before), revision);
      }),
    listen(listener) {
      channel = platform.openBroadcast(key);
      channel.subscribe((message) => {
        const { event, revision } = (message ?? {}) as Partial<ChangeNotice>;
        if (event && revision) listener({ event, revision });
      });
    },
    close() {
      channel?.close();
      channel = undefined;
    },
  };
}

function nextRevision(before: StoredSession | null, next: StoredSession | null) {
  const revision = (before?.revision ?? 0) + 1;
  return { revision, after: next && { ...next, revision } };
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
