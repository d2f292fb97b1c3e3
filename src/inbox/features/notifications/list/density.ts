import { createStore } from 'supabase-protocol-clients/platform';
import { readStored, writeStored } from '../../../ui/state/stored-value.ts';

export const densities = ['comfortable', 'compact'] as const;
/** The height of rows: 56 or 36 px. */
export type Density = (typeof densities)[number];

const storageKey = 'inbox-density';

const stored = readStored(storageKey);
const store = createStore<Density>(densities.find((density) => density === stored) ?? 'comfortable');

/** The row height on this device. With storage blocked it lasts as long as the page. */
export const densityChoice = {
  ...store,
  set(density: Density) {
    store.set(density);
    writeStored(storageKey, density);
  },
};
