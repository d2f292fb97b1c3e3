// What an application does in React Native, with the globals of React Native alone. Each step is reported by its name.
import { createSupabaseClients } from 'supabase-protocol-clients';
import type { AuthStore } from 'supabase-protocol-clients/auth-client';
import { createClaims } from 'supabase-protocol-clients/auth-client/claims';
import { createOAuthServer } from 'supabase-protocol-clients/auth-client/oauth-server';
import { createFunctionsClient } from 'supabase-protocol-clients/functions-client';
import { createPlatform } from 'supabase-protocol-clients/platform';
import { createBroadcast } from 'supabase-protocol-clients/realtime-client/broadcast';
import { createPostgresChanges } from 'supabase-protocol-clients/realtime-client/postgres-changes';
import { createStorageClient, uploadResumable } from 'supabase-protocol-clients/storage-client';

/** What a device provides; the page `index.js` passes it. */
export interface Device {
  readonly url: string;
  readonly apiKey: string;
  readonly email: string;
  readonly password: string;
  readonly asyncStorage: {
    getItem(key: string): Promise<string | null>;
    setItem(key: string, value: string): Promise<void>;
    removeItem(key: string): Promise<void>;
  };
  readonly readText: (blob: Blob) => Promise<string>;
  readonly report: (name: string, outcome: unknown) => void;
}

/** Resolves when every step was reported; a step that fails reports its error. */
export async function runApp({ url, apiKey, email, password, asyncStorage, readText, report }: Device) {
  const store: AuthStore = {
    get: (key) => asyncStorage.getItem(key),
    set: (key, value) => asyncStorage.setItem(key, value),
    remove: (key) => asyncStorage.removeItem(key),
  };
  const platform = createPlatform({
    page: { isVisible: () => true, isOnline: () => true, subscribe: () => () => {} },
  });
  const clients = createSupabaseClients({ url, apiKey, store, platform });
  const { auth, rest, realtime, connection } = clients;
  const step = async (name: string, work: () => Promise<unknown>) => {
    await work().then(
      (outcome) => report(name, outcome ?? null),
      (problem: unknown) => report(name, String(problem)),
    );
  };
  const redirectTo = 'app://callback';

  await step('start', async () => (await auth.start()).status);
  await step('sign up', async () => {
    await auth.signUp({ email: `new-${email}`, password, redirectTo });
  });
  await step('sign in', async () => (await auth.signInWithPassword({ email, password })).user.email);
  const userId = auth.getSnapshot().user?.id ?? '';
  await step('claims', async () => (await createClaims(auth).getClaims())?.sub === userId);
  await step('refresh', async () => (await auth.refreshSession()).user?.id === userId);
  await step('grants', async () => createOAuthServer(auth).listGrants());

  const text = 'Grüße, "Ada" 😀';
  await step('insert', async () => rest.from('notes').insert({ text }).select('text'));
  await step('select', async () => rest.from('notes').select('text').in('text', [text, 'x']).limit(1));
  await step('update', async () => rest.from('notes').update({ text: 'changed' }).eq('text', text));
  await step('deadline', async () => rest.from('notes').select().execute({ timeoutMs: 0.001 }));
  await step('abort', async () => {
    const controller = new AbortController();
    const reading = rest.from('notes').select().execute({ signal: controller.signal });
    controller.abort();
    await reading;
  });

  const bucket = createStorageClient(connection).from('files');
  const plain = { contentType: 'text/plain', upsert: true };
  await step('upload', async () => (await bucket.upload('blob.txt', new Blob(['Hello']), plain)).path);
  const bytes = new Uint8Array([72, 105, 0]).subarray(0, 2);
  await step('upload bytes', async () => (await bucket.upload('bytes.txt', bytes, plain)).path);
  await step('upload form', async () => {
    const form = new FormData();
    // React Native reads the file of a form by its URI.
    form.append('', { uri: 'data:text/plain,File', name: 'a.txt', type: 'text/plain' } as unknown as Blob);
    await bucket.upload('form.txt', form, { cacheControlSeconds: 60, upsert: true });
    return (await bucket.info('form.txt')).cache_control;
  });
  await step('upload in parts', async () =>
    uploadResumable(connection, 'files', 'parts.txt', new Blob(['Part']), { upsert: true }),
  );
  for (const path of ['blob.txt', 'bytes.txt', 'form.txt', 'parts.txt'])
    await step(`download ${path}`, async () => readText(await bucket.download(path)));

  const functions = createFunctionsClient(connection);
  await step('function', async () => functions.invoke('greet', { body: { name: 'Ada' } }));
  await step('events', async () => {
    const seen: string[] = [];
    for await (const { data } of functions.events('count')) seen.push(data);
    return seen;
  });

  const channel = realtime.channel('room');
  const changes = createPostgresChanges(channel);
  const broadcast = createBroadcast<{ cursor: object; raw: Uint8Array }>(channel, { self: true, ack: true });
  await step('realtime', async () => {
    const changed = new Promise((resolve) =>
      changes.on({ event: 'INSERT', table: 'notes' }, (change) =>
        resolve(change.type === 'INSERT' && change.record['text']),
      ),
    );
    const cursor = new Promise((resolve) => broadcast.on('cursor', ({ payload }) => resolve(payload)));
    const raw = new Promise((resolve) => broadcast.on('raw', ({ payload }) => resolve(Array.from(payload))));
    const live = new Promise<void>((resolve) =>
      channel.subscribe(() => channel.getSnapshot().status === 'live' && resolve()),
    );
    channel.join();
    await live;
    await rest.from('notes').insert({ text: 'live' });
    await broadcast.send('cursor', { x: 1 });
    await broadcast.send('raw', new Uint8Array([1, 2, 255]));
    return Promise.all([changed, cursor, raw]);
  });

  await step('provider', async () => {
    const { url: address } = await auth.signInWithOAuth({ provider: 'github', redirectTo });
    return /code_challenge=[\w-]{43}/.test(address);
  });
  await step('link', async () => {
    const code = '00000000-0000-4000-8000-000000000000';
    return (await auth.handleCallback(`${redirectTo}?code=${code}`)).callbackError?.code;
  });
  await step('sign out', async () => (await auth.signOut()).revoked);
  clients.close();
}
