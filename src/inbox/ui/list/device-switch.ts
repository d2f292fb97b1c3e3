import { createObservable, type Observable } from 'supabase-protocol-clients/platform';
import { readStored, writeStored } from '../state/stored-value.ts';

/** A switch of this device, shared by its tabs. With storage blocked it lasts as long as the page. */
export function createDeviceSwitch(storageKey: string, isOnByDefault: boolean): Observable<boolean> {
  const other = isOnByDefault ? 'off' : 'on';
  const read = () => (readStored(storageKey) === other) !== isOnByDefault;
  const store = createObservable(read());
  addEventListener('storage', ({ key }) => {
    if (key === storageKey || key === null) store.set(read());
  });
  return {
    ...store,
    set(isOn) {
      store.set(isOn);
      writeStored(storageKey, isOn ? 'on' : 'off');
    },
  };
}
