import type { Broadcast, Platform } from '../../platform/platform.ts';
import { peekClaims } from '../../platform/base64url.ts';
import { holdWithin } from '../refresh/hold-within.ts';
import { parseSession } from '../wire/responses.ts';
import type { AuthEventName } from './session-state.ts';
import type { StoredSession } from './session.ts';
import type { Store } from '../storage/store.ts';

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
      holdAtMost(platform, `lock:${key}:store`, async () => {
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
  const stored = Object(JSON.parse(text)) as StoredSession;
  const claims = peekClaims(stored.access_token);
  const subject = claims?.['sub'];
  // Other programs may keep the user elsewhere (`<key>-user`); the claims tell the essentials.
  const record = parseSession({
    ...stored,
    user: stored.user ?? { ...claims, id: subject },
  }) as StoredSession;
  if (subject !== undefined && subject !== record.user.id) throw new Error('The session mixes two users');
  return record;
}

/** A step on what is stored: where the lock cannot be had, without it rather than never. */
async function holdAtMost(platform: Platform, name: string, task: () => Promise<void>) {
  let held = false;
  try {
    await holdWithin(LOCK_WAIT_MS, platform, name, () => {
      held = true;
      return task();
    });
  } catch (problem) {
    if (held) throw problem;
    await task();
  }
}
