import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { StrictMode, useState } from 'react';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/inbox/database.types.ts';
import { createBrowserPlatform } from '../../src/platform/index.ts';
import type { Platform } from '../../src/platform/index.ts';
import {
  SupabaseProvider,
  useAuth,
  useLiveList,
  usePresence,
  useQuery,
  useSession,
  useSupabase,
  useUser,
} from '../../src/react/index.ts';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { createPresence } from '../../src/realtime-client/presence/presence.ts';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createSupabaseClients, type SupabaseClients } from '../../src/clients/supabase-clients.ts';
import { ada, grace, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import { openNodeSocket } from '../support/node-socket.ts';
import { createBreakableFetch, to } from '../support/wire/breakable-fetch.ts';
import { refusal } from '../support/wire/replies.ts';

const supabase = useLocalSupabase({ port: 0 });

function createClients(overrides: Partial<Platform> = {}, store = createMemoryStore()) {
  const { url, anonKey, fetch } = supabase();
  const platform = createBrowserPlatform({ fetch, openSocket: openNodeSocket, ...overrides });
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

/** The requested paths below /rest/v1. */
function recordReads() {
  const reads: string[] = [];
  const { fetch } = supabase();
  const record: Platform['fetch'] = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (pathname.startsWith('/rest/')) reads.push(pathname);
    return fetch(input, init);
  };
  return { reads, fetch: record };
}

function Status() {
  const { status } = useAuth();
  const user = useUser();
  const session = useSession();
  return <p>{`${status} ${user?.email ?? 'no-user'} ${session ? 'session' : 'none'}`}</p>;
}

/** The unread notifications that the user may read. */
function Unread() {
  const { rest } = useSupabase<Database>();
  const { status, data, error } = useQuery(rest.from('notifications').select('recipient_id').limit(1));
  return <p>{`${status} ${error?.code ?? ''}${data?.map((row) => row.recipient_id).join() ?? ''}`}</p>;
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

it('useQuery waits for the session before it reads', async () => {
  const store = createMemoryStore();
  const before = createClients({}, store);
  await before.auth.signInWithPassword({ email: ada.email, password: seedPassword });
  before.close();
  const { reads, fetch } = recordReads();
  const clients = createClients({ fetch }, store);
  renderWith(clients, <Unread />);
  await screen.findByText(`success ${ada.id}`);
  expect(reads.length).toBe(1);
});

it('useQuery never shows one user the rows of another', async () => {
  const clients = createClients();
  await clients.auth.start();
  await clients.auth.signInWithPassword({ email: ada.email, password: seedPassword });
  const shown: string[] = [];
  function Watch() {
    const user = useUser();
    const { rest } = useSupabase<Database>();
    const { data } = useQuery(rest.from('notifications').select('recipient_id').limit(1));
    for (const row of data ?? []) shown.push(`${user?.id ?? ''} sees ${row.recipient_id}`);
    return <p>{data?.[0]?.recipient_id ?? 'nothing'}</p>;
  }
  renderWith(clients, <Watch />);
  await screen.findByText(ada.id);
  await signIn(clients, grace.email);
  await screen.findByText(grace.id);
  expect(new Set(shown)).toEqual(new Set([`${ada.id} sees ${ada.id}`, `${grace.id} sees ${grace.id}`]));
});

it('useQuery is a new query when its request differs, without the previous result', async () => {
  const clients = createClients();
  await clients.auth.start();
  await clients.auth.signInWithPassword({ email: ada.email, password: seedPassword });
  const shown: string[] = [];
  function ByStatus({ status }: { readonly status: string }) {
    const { rest } = useSupabase<Database>();
    const { data } = useQuery(rest.from('notifications').select('status').eq('status', status));
    for (const row of data ?? []) shown.push(`${status} ${row.status}`);
    return <p>{data ? `all ${status}` : 'waiting'}</p>;
  }
  function Switch() {
    const [status, setStatus] = useState('unread');
    return (
      <>
        <button onClick={() => setStatus('read')}>read</button>
        <ByStatus status={status} />
      </>
    );
  }
  renderWith(clients, <Switch />);
  await screen.findByText('all unread');
  act(() => screen.getByRole('button').click());
  await screen.findByText('all read');
  expect(new Set(shown)).toEqual(new Set(['unread unread', 'read read']));
});

it('useQuery keeps the last result during a reload and after its failure', async () => {
  const backend = createBreakableFetch(supabase);
  const clients = createClients({ fetch: backend.fetch });
  await clients.auth.start();
  await clients.auth.signInWithPassword({ email: ada.email, password: seedPassword });
  const states: string[] = [];
  function Watch() {
    const { rest } = useSupabase<Database>();
    const query = useQuery(rest.from('notifications').select('recipient_id').limit(1));
    states.push(`${query.status} ${query.data?.length ?? 'none'} ${query.error?.code ?? 'fine'}`);
    return <button onClick={query.refetch}>Again</button>;
  }
  renderWith(clients, <Watch />);
  await waitFor(() => expect(states.at(-1)).toBe('success 1 fine'));
  backend.break(to('/rest/'), () => refusal(403, '42501'));
  act(() => screen.getByRole('button').click());
  await waitFor(() => expect(states.at(-1)).toBe('error 1 denied'));
  expect(new Set(states)).toContain('stale 1 fine');
});

it('useQuery aborts a read without listeners', async () => {
  const signals: AbortSignal[] = [];
  const { fetch } = supabase();
  const clients = createClients({
    fetch(input, init) {
      const request = new Request(input, init);
      if (!request.url.includes('/rest/')) return fetch(request);
      signals.push(request.signal);
      return new Promise(() => {});
    },
  });
  await clients.auth.start();
  await clients.auth.signInWithPassword({ email: ada.email, password: seedPassword });
  const { unmount } = renderWith(clients, <Unread />);
  await waitFor(() => expect(signals.length).toBeGreaterThan(0));
  unmount();
  await waitFor(() => expect(signals.every((signal) => signal.aborted)).toBe(true));
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

  await screen.findByText(/^current.*"n":1/, {}, { timeout: 5_000 });
  unmount();
  await waitFor(() => expect(channel.getSnapshot().status).toBe('closed'), { timeout: 5_000 });
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
  await screen.findByText('Ada,Grace', {}, { timeout: 10_000 });
  unmount();
  const names = () => [...grace.presence.getSnapshot().entries.keys()];
  await waitFor(() => expect(names()).toEqual(['grace']), { timeout: 10_000 });
  ada.leave();
  grace.leave();
});

/** Silences the console, to which React reports what a component throws. */
function createSilence() {
  const { error } = console;
  console.error = () => {};
  return { end: () => void (console.error = error) };
}
