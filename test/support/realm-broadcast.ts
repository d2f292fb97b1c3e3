import type { TabChannel } from '../../src/platform/platform.ts';

const listenersByName = new Map<string, Set<(sender: object, message: unknown) => void>>();

/** A channel among the instances in one realm, apart from those of other realms. */
export function createRealmBroadcast(name: string): TabChannel {
  const self = {};
  const own = new Set<(sender: object, message: unknown) => void>();
  const listeners = listenersByName.get(name) ?? new Set();
  listenersByName.set(name, listeners);
  return {
    post(message) {
      for (const listener of listeners) queueMicrotask(() => listener(self, message));
    },
    subscribe(listener) {
      const relay = (sender: object, message: unknown) => {
        if (sender !== self && own.has(relay)) listener(message);
      };
      own.add(relay);
      listeners.add(relay);
      return () => {
        own.delete(relay);
        listeners.delete(relay);
      };
    },
    close() {
      for (const relay of own) listeners.delete(relay);
      own.clear();
      if (listeners.size === 0) listenersByName.delete(name);
    },
  };
}
