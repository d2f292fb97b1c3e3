import { createStore } from 'supabase-protocol-clients/platform';

export const densities = ['compact', 'standard', 'relaxed'] as const;
/** The height of rows: 44, 56 or 72 px. */
export type Density = (typeof densities)[number];

const storageKey = 'inbox-density';

function readDensity(): Density {
  try {
    const stored = localStorage.getItem(storageKey);
    return densities.find((density) => density === stored) ?? 'standard';
  } catch {
    return 'standard';
  }
}

const store = createStore(readDensity());

/** The row height on this device. With storage blocked it lasts as long as the page. */
export const densityChoice = {
  ...store,
  set(density: Density) {
    store.set(density);
    try {
      localStorage.setItem(storageKey, density);
    } catch {
      // Storage is blocked.
    }
  },
};
