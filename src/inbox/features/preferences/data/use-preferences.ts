import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';
import type { PreferencesSnapshot, PreferencesStore } from './preferences-store.ts';

export const PreferencesContext = createContext<PreferencesStore | null>(null);

export interface UsePreferencesResult
  extends PreferencesSnapshot, Pick<PreferencesStore, 'change' | 'reload'> {}

/** The user's preferences, read again when the screen opens and they are stale. */
export function usePreferences(): UsePreferencesResult {
  const store = useContext(PreferencesContext);
  if (!store) throw new Error('No preferences: render within <PreferencesContext>');
  useEffect(() => store.ensure(), [store]);
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot);
  return { ...snapshot, change: store.change, reload: store.reload };
}
