import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { StrictMode } from 'react';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/inbox/database.types.ts';
import { createPlatform } from '../../src/platform/index.ts';
import type { Platform } from '../../src/platform/index.ts';
import {
  SupabaseProvider,
  useAuth,
  useLiveList,
  usePresence,
  useSession,
  useUser,
} from '../../src/react/index.ts';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { createPresence } from '../../src/realtime-client/presence/presence.ts';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createSupabaseClients, type SupabaseClients } from '../../src/clients/supabase-clients.ts';
import { ada, grace, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import { openNodeSocket } from '../support/node-socket.ts';

const supabase = useLocalSupabase({ port: 0 });

function createClients(overrides: Partial<Platform> = {}, store = createMemoryStore()) {
  const { url, anonKey, fetch } = supabase();
  const platform = createPlatform({ fetch, openSocket: openNodeSocket, ...overrides });
  const clients = createSupabaseClients<Database>({ url, apiKey: anonKey, platform, store });
  onTestFinished(() => clients.close());
  return clients;
}

function renderWith(clients: SupabaseClients<Database>, children: React.ReactNode) {
  return render(
    <StrictMode>
      <SupabaseProvider clients={clients}>{children}</SupabaseProvider>
    </StrictMode>,
  );
}

const signIn = (clients: SupabaseClients<Database>, email = ada.email) =>
  act(() => clients.auth.signInWithPassword({ email, password: seedPassword }));

function Status() {
  const { status } = useAuth();
  const user = useUser();
  const session = useSession();
  return <p>{`${status} ${user?.email ?? 'no-user'} ${session ? 'session' : 'none'}`}</p>;
}

afterEach(cleanup);

it('SupabaseProvider restores the stored session once, also under StrictMode', async () => {
  const store = createMemoryStore();
  const before = createClients({}, store);
  await before.auth.signInWithPassword({ email: ada.email, password: seedPassword });
  before.close();
  const clients = createClients({}, store);
  const events: string[] = [];
  clients.auth.onEvent(({ name }) => events.push(name));

  renderWith(clients, <Status />);

  expect(screen.getByText('loading no-user none')).toBeDefined();
  await screen.findByText(`signed-in ${ada.email} session`);
  expect(events).toEqual(['INITIAL_SESSION']);
});

it('SupabaseProvider is required, with an error that says so', () => {
  const silence = createSilence();
  expect(() => render(<Status />)).toThrow('There is no SupabaseProvider above this component');
  silence.end();
});

it('useAuth, useSession and useUser follow a sign-in and a sign-out', async () => {
  const clients = createClients();
  renderWith(clients, <Status />);
  await screen.findByText('signed-out no-user none');
  await signIn(clients);
  expect(screen.getByText(`signed-in ${ada.email} session`)).toBeDefined();
  await act(() => clients.auth.signOut({ scope: 'local' }));
  expect(screen.getByText('signed-out no-user none')).toBeDefined();
});

it('useLiveList shows rows and their changes in StrictMode, and leaves on unmount', async () => {
  const clients = createClients();
  await clients.auth.start();
  await clients.auth.signInWithPassword({ email: grace.email, password: seedPassword });
  const channel = clients.realtime.channel(`user:${grace.id}`);
  const query = createLiveQuery({
    platform: clients.platform,
    channel,
    query: clients.rest.from('notifications').select('id, content').eq('recipient_id', grace.id),
    key: 'id',
    immutableColumns: ['recipient_id'],
  });
  function List() {
    const { rows, isCurrent } = useLiveList(query);
    return <p>{`${isCurrent ? 'current' : 'catching up'} ${rows.map(({ content }) => content).join()}`}</p>;
  }
  const { unmount } = renderWith(clients, <List />);
  await screen.findByText(/^current/);

  await supabase().database.query(
    `insert into public.notifications (recipient_id, content) values ($1, '{"type":"system","data":{"n":1}}')`,
    [grace.id],
  );

  await screen.findByText(/^current.*"n":1/);
  unmount();
  await waitFor(() => expect(channel.getSnapshot().status).toBe('closed'));
});

it('usePresence shows the present users and tracks an entry while mounted, in StrictMode', async () => {
  const [here, elsewhere] = [createClients(), createClients()];
  const open = ({ realtime }: ReturnType<typeof createClients>, key: string) => {
    const channel = realtime.channel('lobby');
    const presence = createPresence<{ name: string }>(channel, { key });
    return { presence, leave: channel.join() };
  };
  const [ada, grace] = [open(here, 'ada'), open(elsewhere, 'grace')];
  grace.presence.track({ name: 'Grace' });
  function Online() {
    const { entries } = usePresence(ada.presence, { name: 'Ada' });
    return (
      <p>
        {[...entries.values()]
          .flatMap((all) => all.map(({ name }) => name))
          .sort()
          .join()}
      </p>
    );
  }
  const { unmount } = renderWith(here, <Online />);
  await screen.findByText('Ada,Grace');
  unmount();
  const names = () => [...grace.presence.getSnapshot().entries.keys()];
  await waitFor(() => expect(names()).toEqual(['grace']));
  ada.leave();
  grace.leave();
});

/** Silences the console, to which React reports what a component throws. */
function createSilence() {
  const { error } = console;
  console.error = () => {};
  return { end: () => void (console.error = error) };
}
