import { useSyncExternalStore } from 'react';
import { createObservable } from 'supabase-protocol-clients/platform';
import { writeStored } from './state/stored-value.ts';

/** `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark';

/** Read by `public/theme.js` too, before the first paint. */
const storageKey = 'theme';

const theme = createObservable<Theme>(parseTheme(globalThis.document?.documentElement.dataset['theme']));

function parseTheme(value: unknown): Theme {
  return value === 'light' || value === 'dark' ? value : 'system';
}

export function useTheme(): Theme {
  return useSyncExternalStore(theme.subscribe, theme.getSnapshot);
}

export function setTheme(chosen: Theme): void {
  theme.set(chosen);
  const root = document.documentElement;
  if (chosen === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = chosen;
  writeStored(storageKey, chosen === 'system' ? null : chosen);
}
