import { createRoot } from 'solid-js';
import { effectScope } from 'vue';
import { expect, it } from 'vitest';
import { toReadable } from '../../examples/frameworks/svelte.ts';
import { createObservableSignal } from '../../examples/frameworks/solid.ts';
import { useObservable } from '../../examples/frameworks/vue.ts';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import { ada, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();

it('Vue, Svelte and Solid show the session as long as they listen', async () => {
  const { url, anonKey, fetch } = supabase();
  const clients = createSupabaseClients({ url, apiKey: anonKey, fetch, store: createMemoryStore() });
  const { auth } = clients;

  const scope = effectScope();
  const ref = scope.run(() => useObservable(auth));
  const seen: string[] = [];
  const unsubscribe = toReadable(auth).subscribe(({ status }) => seen.push(status));
  const { signal, dispose } = createRoot((end) => ({ signal: createObservableSignal(auth), dispose: end }));
  const shown = () => [ref?.value.status, seen.at(-1), signal().status];

  await auth.start();
  expect(shown()).toEqual(Array(3).fill('signed-out'));
  await auth.signInWithPassword({ email: ada.email, password: seedPassword });
  expect(shown()).toEqual(Array(3).fill('signed-in'));

  scope.stop();
  unsubscribe();
  dispose();
  await auth.signOut();
  expect(auth.getSnapshot().status).toBe('signed-out');
  expect(shown()).toEqual(Array(3).fill('signed-in'));
  clients.close();
});
