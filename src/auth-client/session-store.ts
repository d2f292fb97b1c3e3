import type { Broadcast, Platform } from '../platform/platform.ts';
import { peekClaims } from '../platform/base64url.ts';
import { parseSession } from './responses.ts';
import type { AuthEventName } from './session-state.ts';
import type { StoredSession } from './session.ts';
import type { Store } from './store.ts';

/** Longest wait for the lock around a read and a write. It is held for milliseconds; a dead holder must not stop all. */
const LOCK_WAIT_MS = 5_000;

/** What tabs tell each other: that something changed, never what. */
export interface ChangeNotice {
  readonly event: AuthEventName;
  readonly revision: number;
}

export interface SessionStore {
  /**
   * Reads the session and writes what `change` makes of it, as one step that no other tab can come between.
   *
   * @param change returns the session to write, null to remove it, or undefined to leave it.
   * @returns what is stored afterwards.
   */
  update(
    change: (stored: StoredSession | null) => StoredSession | null | undefined,
    settle: (stored: StoredSession | null) => AuthEventName | null,
  ): Promise<void>;
  /** Opens the channel to the other tabs. */
  listen(listener: (notice: ChangeNotice) => void): void;
  close(): void;
}

export function createSessionStore(
  platform: Platform,
  store: Store,
  key: string,
  onCorrupt: (problem: unknown) => void,
): SessionStore {
  let channel: Broadcast | undefined;
  const read = async () => {
    const text = await store.get(key);
    if (!text) return null;
    try {
      return parseStoredSession(text);
    } catch (problem) {
      onCorrupt(problem);
      await store.remove(key);
      return null;
    }
  };
  return {
    update: (change, settle) =>
      holdAtMost(platform, `lock:${key}:store`, LOCK_WAIT_MS, async () => {
        const before = await read();
        const next = change(before);
        const revision = (before?.revision ?? 0) + 1;
        const after = next ? { ...next, revision } : next === undefined ? before : null;
        if (next) await store.set(key, JSON.stringify(after));
        else if (next === null) await store.remove(key);
        const event = settle(after);
        if (event && next !== undefined) channel?.post({ event, revision } satisfies ChangeNotice);
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

/** @throws if `text` is not a session, or mixes two users' (chunks of two writes). */
export function parseStoredSession(text: string): StoredSession {
  const record = parseSession(JSON.parse(text)) as StoredSession;
  const subject = peekClaims(record.access_token)?.['sub'];
  if (subject !== undefined && subject !== record.user.id) throw new Error('The session mixes two users');
  return record;
}

/** Holds a lock, waiting for it no longer than `waitMs`; then goes on without it rather than never. */
async function holdAtMost(platform: Platform, name: string, waitMs: number, task: () => Promise<void>) {
  const waiting = new AbortController();
  const timer = platform.clock.setTimer(() => waiting.abort(), waitMs);
  let held = false;
  const run = () => {
    held = true;
    timer.cancel();
    return task();
  };
  try {
    await platform.locks.hold(name, run, { signal: waiting.signal });
  } catch (problem) {
    if (held) throw problem;
    await task();
  } finally {
    timer.cancel();
  }
}
