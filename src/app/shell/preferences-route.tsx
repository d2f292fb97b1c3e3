import { QueryClientProvider } from '@tanstack/react-query';
import { use } from 'react';
import { PreferencesScreen } from '../../features/preferences/preferences-screen.tsx';
import { useUserData } from '../data/user-data-context.ts';

/** `/preferences` with the data cache that it reads through. */
export function PreferencesRoute() {
  const { queryClient } = use(useUserData().openCache());
  return (
    <QueryClientProvider client={queryClient}>
      <PreferencesScreen />
    </QueryClientProvider>
  );
}
