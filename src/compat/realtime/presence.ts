import type { Channel } from '../../realtime-client/index.ts';
import { createPresence } from '../../realtime-client/presence/presence.ts';

type Entry = Readonly<Record<string, unknown>>;
type Entries = ReadonlyMap<string, readonly Entry[]>;

export interface ChannelPresence {
  /** Returns false while the channel has failed. */
  readonly track: (payload: Entry) => boolean;
  readonly untrack: () => void;
  readonly close: () => void;
  /** Who is present, by key. */
  readonly readState: () => Record<string, readonly Entry[]>;
}

/** The native client hides the server's references of entries; these are also unique within the key. */
const withReferences = (key: string, entries: readonly Entry[] = []) =>
  entries.map((entry, index) => ({ presence_ref: `${key}:${index}`, ...entry }));

/** Creates the presence of a channel, which emits `sync`, `join` and `leave` as the vendor's channel does. */
export function createChannelPresence(
  channel: Channel,
  key: string | undefined,
  emit: (event: 'sync' | 'join' | 'leave', payload?: unknown) => void,
): ChannelPresence {
  const presence = createPresence<Entry>(channel, key ? { key } : {});
  let shown: Entries = new Map();
  let before: Entries = shown;
  presence.subscribe(() => {
    const { entries, isSynced } = presence.getSnapshot();
    before = shown;
    shown = entries;
    if (isSynced) emit('sync');
  });
  presence.onJoin((joined) =>
    emit('join', {
      event: 'join',
      key: joined,
      currentPresences: [],
      newPresences: withReferences(joined, shown.get(joined)),
    }),
  );
  presence.onLeave((left) =>
    emit('leave', {
      event: 'leave',
      key: left,
      currentPresences: [],
      leftPresences: withReferences(left, before.get(left)),
    }),
  );
  return {
    track(payload) {
      presence.track(payload);
      return presence.getSnapshot().error === null;
    },
    untrack: presence.untrack,
    close: presence.close,
    readState: () =>
      Object.fromEntries(Array.from(shown, ([name, entries]) => [name, withReferences(name, entries)])),
  };
}
