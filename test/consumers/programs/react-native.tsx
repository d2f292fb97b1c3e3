/** An app of React Native, with its modules declared here as in its types. */
import type { ReactNode } from 'react';
import { createSupabaseClients } from 'supabase-protocol-clients';
import { createWebStorageStore, type AuthStore } from 'supabase-protocol-clients/auth-client';
import { createPlatform } from 'supabase-protocol-clients/platform';
import { SupabaseProvider, useAuth } from 'supabase-protocol-clients/react';
import { createStorageClient } from 'supabase-protocol-clients/storage-client';
import type { Database } from './database.ts';

declare const AsyncStorage: {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
};
declare const AppState: {
  readonly currentState: string;
  addEventListener(type: 'change', listener: (state: string) => void): { remove(): void };
};
declare function Text(properties: {
  readonly children?: ReactNode;
  readonly onPress?: () => void;
}): ReactNode;

const store: AuthStore = {
  get: (key) => AsyncStorage.getItem(key),
  set: (key, value) => AsyncStorage.setItem(key, value),
  remove: (key) => AsyncStorage.removeItem(key),
};
const platform = createPlatform({
  page: {
    isVisible: () => AppState.currentState === 'active',
    isOnline: () => true,
    subscribe(listener) {
      const listening = AppState.addEventListener('change', (state) =>
        listener(state === 'active' ? 'visible' : 'hidden'),
      );
      return () => listening.remove();
    },
  },
});
export const clients = createSupabaseClients<Database>({
  url: 'https://p.example',
  apiKey: 'key',
  store,
  platform,
});
export const webStore: AuthStore = createWebStorageStore(() => localStorage);

export const uploadAvatar = (file: Blob) =>
  createStorageClient(clients.connection).from('avatars').upload('me.png', file);

function SignOut() {
  const { user } = useAuth();
  return <Text onPress={() => void clients.auth.signOut()}>{user?.email ?? 'Nobody'}</Text>;
}
export const App = () => (
  <SupabaseProvider clients={clients}>
    <SignOut />
  </SupabaseProvider>
);
