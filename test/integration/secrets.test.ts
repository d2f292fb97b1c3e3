import { inspect } from 'node:util';
import { afterAll, expect, it, vi } from 'vitest';
import { createClaims } from '../../src/auth-client/features/claims.ts';
import { createIdToken } from '../../src/auth-client/features/id-token.ts';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createFunctionsClient } from '../../src/functions-client/index.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createRealmLocks } from '../../src/platform/realm-locks.ts';
import { sendBroadcasts } from '../../src/realtime-client/broadcast/http-broadcast.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';
import { shareSocket } from '../../src/realtime-client/tabs/shared-socket.ts';
import { createStorageClient } from '../../src/storage-client/index.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import { ada, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import { openNodeSocket } from '../support/node-socket.ts';
import { createRealmBroadcast } from '../support/realm-broadcast.ts';

const supabase = useLocalSupabase({ port: 0 });
const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

/** Where a text of the clients can end up besides the bodies and headers of requests. */
type Place = 'error' | 'log' | 'report' | 'url' | 'tab';

/** Collects what the clients emit, and the secrets that they know. */
function createRecorder() {
  const texts: { readonly place: Place; readonly text: string }[] = [];
  const secrets = new Set<string>();
  const locks = { ...createRealmLocks(), scope: 'origin' as const };
  let isReachable = true;
  /** Records a value with causes, stacks and hidden members, as the most verbose logger writes it. */
  const note = (place: Place, value: unknown) => {
    const options = { depth: 12, showHidden: true, getters: true, maxStringLength: Infinity };
    texts.push({ place, text: typeof value === 'string' ? value : inspect(value, options) });
  };
  const platform = createPlatform({
    locks,
    openSocket: (url) => {
      note('url', url);
      return openNodeSocket(url);
    },
    openTabChannel(name) {
      const channel = createRealmBroadcast(name);
      return {
        ...channel,
        post(message) {
          note('tab', message);
          channel.post(message);
        },
      };
    },
    report: (problem) => note('report', problem),
    async fetch(input, init) {
      const request = new Request(input, init);
      note('url', request.url);
      if (!isReachable) throw new TypeError('fetch failed');
      const response = await supabase().fetch(request);
      if (response.ok && new URL(request.url).pathname.endsWith('/token')) {
        const tokens = (await response.clone().json()) as Readonly<Record<string, string>>;
        for (const name of ['access_token', 'refresh_token']) secrets.add(tokens[name] ?? '');
      }
      return response;
    },
  });
  return {
    texts,
    secrets,
    platform,
    note,
    setReachable(value: boolean) {
      isReachable = value;
    },
    async failing(call: () => unknown) {
      try {
        await call();
      } catch (problem) {
        note('error', problem);
        return;
      }
      throw new Error(`No error: ${call.toString()}`);
    },
    leaks: () =>
      texts.flatMap(({ place, text }) =>
        [...secrets].filter((secret) => text.includes(secret)).map(() => `${place}: ${text}`),
      ),
  };
}

it('no error, log event, report, URL or message between tabs holds a password or token', async () => {
  const recorder = createRecorder();
  const { secrets, platform, failing, note } = recorder;
  const store = createMemoryStore();
  const open = () => {
    const clients = createSupabaseClients({
      url: supabase().url,
      apiKey: supabase().publishableKey,
      platform,
      store,
      log: (event) => note('log', event),
      rest: { retry: { limit: 0 } },
      realtime: { share: shareSocket },
    });
    closing.push(clients.close);
    return clients;
  };
  const [first, second] = [open(), open()];
  await Promise.all([first.auth.start(), second.auth.start()]);
  const { auth, rest, realtime, connection } = first;
  const wrongPassword = 'wrong-password-of-ada';
  for (const secret of [seedPassword, wrongPassword]) secrets.add(secret);

  await failing(() => auth.signInWithPassword({ email: ada.email, password: wrongPassword }));
  await auth.signInWithPassword({ email: ada.email, password: seedPassword });
  await auth.refreshSession();
  await failing(() => auth.updateUser({ password: seedPassword }));
  await failing(() => createIdToken(auth).signInWithIdToken({ provider: 'google', token: wrongPassword }));
  await failing(() => auth.verifyOtp({ type: 'email', tokenHash: wrongPassword }));
  await failing(() => auth.setSession({ accessToken: wrongPassword, refreshToken: wrongPassword }));
  await failing(() => auth.refreshSession({ refreshToken: wrongPassword }));
  await failing(() => auth.getUser({ accessToken: wrongPassword }));
  await failing(() => createClaims(auth).getClaims({ accessToken: wrongPassword }));
  await failing(() => auth.exchangeCodeForSession({ code: wrongPassword }));
  await auth.handleCallback(
    `http://localhost:5173/#access_token=${wrongPassword}&refresh_token=${wrongPassword}&token_type=bearer&sb=`,
  );
  note('error', auth.getSnapshot().callbackError);

  await rest.from('notifications').select('id');
  await failing(() => rest.from('absent').select());
  await failing(() => rest.from('notifications').insert({ id: 'not a uuid' }));
  await failing(() => createStorageClient(connection).from('absent').download('file.txt'));
  await failing(() => createFunctionsClient(connection).invoke('absent'));
  const refused = realtime.channel('someone-elses-room', { private: true });
  refused.join();
  await expect.poll(() => refused.getSnapshot().status).toBe('failed');
  note('error', refused.getSnapshot().error);
  const shared = second.realtime.channel('shared');
  createPostgresChanges(shared).on({ event: '*', table: 'notifications' }, () => {});
  shared.join();
  await expect.poll(() => shared.getSnapshot().status).toBe('live');

  supabase().faults.expireTokens();
  // Two tokens of a session are equal within a second, so a refresh may bring the expired one again.
  await vi.waitFor(() => rest.from('notifications').select('id').execute(), 60_000);

  recorder.setReachable(false);
  await failing(() => auth.getUser());
  await failing(() => auth.signInWithPassword({ email: ada.email, password: wrongPassword }));
  await failing(() => rest.from('notifications').select('id'));
  await failing(() => createStorageClient(connection).listBuckets());
  await failing(() => createFunctionsClient(connection).invoke('absent'));
  await failing(() => sendBroadcasts(realtime, [{ topic: 'room', event: 'note', payload: {} }]));

  recorder.setReachable(true);
  await auth.signOut();

  const places = new Set(recorder.texts.map(({ place }) => place));
  expect([...places].sort()).toEqual(['error', 'log', 'tab', 'url']);
  expect(secrets.size).toBeGreaterThanOrEqual(6);
  expect(recorder.leaks()).toEqual([]);
});
