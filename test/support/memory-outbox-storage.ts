import type { OutboxEntry } from '../../src/inbox/features/outbox/outbox-state.ts';
import type { OutboxStorage } from '../../src/inbox/features/outbox/outbox-storage.ts';

/** The device's storage, in memory: the fake clock does not move IndexedDB's timers. */
export function createMemoryStorage(): OutboxStorage {
  let entries: OutboxEntry[] = [];
  let last = 0;
  const replace = (id: string, change: Partial<OutboxEntry>) => {
    entries = entries.map((entry) => (entry.id === id ? { ...entry, ...change } : entry));
  };
  return {
    list: () => Promise.resolve(entries),
    add(entry) {
      last += 1;
      const stored = { ...entry, sequence: last };
      entries = [...entries, stored];
      return Promise.resolve(stored);
    },
    release: (id) => Promise.resolve(replace(id, { heldUntilMs: 0 })),
    claim(id) {
      const isKnown = entries.some((entry) => entry.id === id);
      replace(id, { isClaimed: true });
      return Promise.resolve(isKnown);
    },
    withdraw(id) {
      const isFree = entries.some((entry) => entry.id === id && !entry.isClaimed);
      if (isFree) entries = entries.filter((entry) => entry.id !== id);
      return Promise.resolve(isFree);
    },
    remove(id) {
      entries = entries.filter((entry) => entry.id !== id);
      return Promise.resolve();
    },
  };
}
