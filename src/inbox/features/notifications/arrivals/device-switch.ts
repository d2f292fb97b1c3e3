import { createStore, type Store } from 'supabase-protocol-clients/platform';

/** A setting of this device, shared by its tabs. With storage blocked it lasts as long as the page. */
export function createDeviceSwitch(storageKey: string, isOnByDefault: boolean): Store<boolean> {
  const read = () => {
    try {
      const kept = localStorage.getItem(storageKey);
      return kept === null ? isOnByDefault : kept === 'on';
    } catch {
      return isOnByDefault;
    }
  };
  const store = createStore(read());
  addEventListener('storage', ({ key }) => {
    if (key === storageKey || key === null) store.set(read());
  });
  return {
    ...store,
    set(isOn) {
      store.set(isOn);
      try {
        localStorage.setItem(storageKey, isOn ? 'on' : 'off');
      } catch {
        // Storage is blocked.
      }
    },
  };
}
