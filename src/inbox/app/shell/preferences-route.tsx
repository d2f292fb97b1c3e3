import { Suspense, use } from 'react';
import { PreferencesContext } from '../../features/preferences/data/use-preferences.ts';
import { PreferencesScreen } from '../../features/preferences/preferences-screen.tsx';
import { lazyPart } from '../../ui/state/lazy-part.ts';
import { useUserData } from '../data/user-data-context.ts';

const PushSection = lazyPart(async () => (await import('../../features/push/push-section.tsx')).PushSection);

/** `/preferences` with the data cache that it reads through. */
export function PreferencesRoute() {
  const { preferences } = use(useUserData().openCache());
  return (
    <PreferencesContext value={preferences}>
      <PreferencesScreen>
        <Suspense>
          <PushSection />
        </Suspense>
      </PreferencesScreen>
    </PreferencesContext>
  );
}
