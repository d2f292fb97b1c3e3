import { use } from 'react';
import { PreferencesScreen } from '../../features/preferences/preferences-screen.tsx';
import { AlertsSection } from '../../features/push/alerts-section.tsx';
import { DisplaySection } from './display-choices.tsx';
import { useUserData } from '../data/user-data-context.ts';

/** `/preferences` with the data cache that it reads through. */
export function PreferencesRoute() {
  const { preferences } = use(useUserData().openCache());
  return (
    <PreferencesScreen store={preferences}>
      <DisplaySection />
      <AlertsSection />
    </PreferencesScreen>
  );
}
