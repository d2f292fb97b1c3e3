import { use } from 'react';
import { PreferencesContext } from '../../features/preferences/data/use-preferences.ts';
import { PreferencesScreen } from '../../features/preferences/preferences-screen.tsx';
import { useUserData } from '../data/user-data-context.ts';

/** `/preferences` with the data cache that it reads through. */
export function PreferencesRoute() {
  const { preferences } = use(useUserData().openCache());
  return (
    <PreferencesContext value={preferences}>
      <PreferencesScreen />
    </PreferencesContext>
  );
}
