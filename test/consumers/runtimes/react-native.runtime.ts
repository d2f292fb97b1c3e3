import { fileURLToPath } from 'node:url';
import { beforeAll, expect, inject, it } from 'vitest';
import { ada, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { bundleForReactNative, installReactNative, loadBundle } from '../support/react-native.ts';

const supabase = useLocalSupabase({
  port: 0,
  storage: { buckets: { files: {} } },
  functions: {
    greet: async (request: Request) =>
      Response.json({ hello: ((await request.json()) as { name: string }).name }),
    count: () => new Response('data: 1\n\ndata: 2\n\n', { headers: { 'content-type': 'text/event-stream' } }),
  },
});
beforeAll(installReactNative);
beforeAll(() =>
  supabase().database.exec(`
    create policy files on storage.objects for all to authenticated using (true) with check (true);
    create table public.notes (id bigint generated always as identity primary key, text text not null);
    alter publication supabase_realtime add table public.notes;
    notify pgrst, 'reload schema'`),
);

it(
  'works in React Native, bundled by Metro, over its own fetch, URL and sockets',
  { timeout: 180_000 },
  async () => {
    const { url, anonKey } = supabase();
    const app = fileURLToPath(new URL('react-native/app.ts', import.meta.url));
    const bundle = await bundleForReactNative(app, inject('library'));
    const memory = new Map<string, string>();
    const reported: Record<string, unknown> = {};
    await loadBundle(bundle).run({
      url,
      apiKey: anonKey,
      email: ada.email,
      password: seedPassword,
      asyncStorage: {
        getItem: async (key: string) => memory.get(key) ?? null,
        setItem: async (key: string, value: string) => void memory.set(key, value),
        removeItem: async (key: string) => void memory.delete(key),
      },
      report: (name: string, outcome: unknown) => (reported[name] = outcome),
    });
    // Compare as JSON, because the values are of another realm.
    expect(JSON.parse(JSON.stringify(reported))).toEqual({
      start: 'signed-out',
      'sign up': null,
      'sign in': ada.email,
      claims: true,
      refresh: true,
      grants: [],
      insert: [{ text: 'Grüße, "Ada" 😀' }],
      select: [{ text: 'Grüße, "Ada" 😀' }],
      update: 1,
      deadline: 'RestError: The server did not respond in time',
      abort: 'RestError: Aborted',
      upload: 'blob.txt',
      'upload bytes': 'bytes.txt',
      'upload form': 'max-age=60',
      'upload in parts': null,
      'download blob.txt': 'Hello',
      'download bytes.txt': 'Hi',
      'download form.txt': 'File',
      'download parts.txt': 'Part',
      function: { hello: 'Ada' },
      events: ['1', '2'],
      realtime: ['live', { x: 1 }, [1, 2, 255]],
      provider: true,
      link: 'flow_state_not_found',
      'sign out': true,
    });
  },
);
