import { createStore, type Store } from 'supabase-protocol-clients/platform';
import { readStored, writeStored } from '../state/stored-value.ts';

/** A setting of this device, shared by its tabs; the first value is the default. With storage blocked it lasts as long as the page. */
export function createDeviceChoice<Value extends string>(
  storageKey: string,
  values: readonly [Value, ...Value[]],
): Store<Value> {
  const read = () => values.find((value) => value === readStored(storageKey)) ?? values[0];
  const store = createStore<Value>(read());
  addEventListener('storage', ({ key }) => {
    if (key === storageKey || key === null) store.set(read());
  });
  return {
    ...store,
    set(value) {
      store.set(value);
      writeStored(storageKey, value);
    },
  };
}

export function createDeviceSwitch(storageKey: string, isOnByDefault: boolean): Store<boolean> {
  const choice = createDeviceChoice(storageKey, isOnByDefault ? ['on', 'off'] : ['off', 'on']);
  return {
    subscribe: choice.subscribe,
    getSnapshot: () => choice.getSnapshot() === 'on',
    set: (isOn) => choice.set(isOn ? 'on' : 'off'),
  };
}
