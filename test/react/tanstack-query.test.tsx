import {
  QueryClient,
  QueryClientProvider,
  queryOptions as typed,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import type { Database } from '../../src/inbox/database.types.ts';
import { createPlatform } from '../../src/platform/index.ts';
import { queryOptions } from '../../src/rest-client/tanstack-query.ts';
import { createLiveQuery } from '../../src/realtime-client/live-query/live-query.ts';
import { ada, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';
import { openNodeSocket } from '../support/node-socket.ts';
import { refusal } from '../support/wire/replies.ts';

const supabase = useLocalSupabase({ port: 0 });
afterEach(cleanup);

/** @param respondToDelete replaces the service's response to a delete. */
async function signedIn(respondToDelete?: () => Promise<Response>) {
  const { url, anonKey, fetch } = supabase();
  const reads: string[] = [];
  const platform = createPlatform({
    openSocket: openNodeSocket,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.url.includes('/rest/v1/')) reads.push(request.url);
      return respondToDelete && request.method === 'DELETE' ? respondToDelete() : fetch(request);
    },
  });
  const clients = createSupabaseClients<Database>({
    url,
    apiKey: anonKey,
    store: createMemoryStore(),
    platform,
  });
  onTestFinished(() => clients.close());
  await clients.auth.signInWithPassword({ email: ada.email, password: seedPassword });
  return { clients, reads };
}

it('two components share one request, which an invalidation sends again', async () => {
  const { clients, reads } = await signedIn();
  const cache = new QueryClient();
  function Names({ label }: { readonly label: string }) {
    const users = clients.rest.from('notifications').select('recipient_id').limit(1);
    const { data } = useQuery(queryOptions(users, ada.id));
    return <p>{`${label} ${data?.map((row) => row.recipient_id).join() ?? 'loading'}`}</p>;
  }
  render(
    <QueryClientProvider client={cache}>
      <Names label="first" />
      <Names label="second" />
    </QueryClientProvider>,
  );
  await screen.findByText(`first ${ada.id}`);
  await screen.findByText(`second ${ada.id}`);
  expect(reads).toHaveLength(1);
  await cache.invalidateQueries({ queryKey: ['rest', ada.id] });
  await waitFor(() => expect(reads).toHaveLength(2));
});

it('keeps the reads of users apart, does not resend a failed read, and aborts an abandoned one', async () => {
  const { clients, reads } = await signedIn();
  const cache = new QueryClient();
  const rows = () => clients.rest.from('notifications').select('id').limit(1);
  expect(queryOptions(rows(), ada.id).queryKey).toEqual(queryOptions(rows(), ada.id).queryKey);
  expect(queryOptions(rows(), ada.id).queryKey).not.toEqual(queryOptions(rows(), null).queryKey);

  const refused = clients.rest.from('email_queue' as 'notifications').select('id');
  await expect(cache.fetchQuery(queryOptions(refused, ada.id))).rejects.toMatchObject({ name: 'RestError' });
  expect(reads).toHaveLength(1);

  const abandoned = queryOptions(rows(), ada.id);
  const reading = cache.fetchQuery(abandoned);
  await cache.cancelQueries({ queryKey: abandoned.queryKey });
  await expect(reading).rejects.toMatchObject({ revert: true });
});

it.each(['9eace000-0000-4000-8000-000000000002', null])(
  'a read for %s is not sent as another user who is signed in',
  async (userId) => {
    const { clients, reads } = await signedIn();
    const options = queryOptions(clients.rest.from('notifications').select('id').limit(1), userId);
    await expect(new QueryClient().fetchQuery(options)).rejects.toMatchObject({ code: 'user-changed' });
    expect(reads).toEqual([]);
  },
);

it('a write shows at once, and is undone when the service refuses it', async () => {
  let refuse = () => {};
  const { clients } = await signedIn(async () => {
    await new Promise<void>((resolve) => (refuse = resolve));
    return refusal(403, '42501');
  });
  const cache = new QueryClient();
  const shown: string[] = [];
  function Newest() {
    const queryClient = useQueryClient();
    const query = clients.rest.from('notifications').select('id').order('id').limit(2);
    const newest = typed(queryOptions(query, ada.id));
    const { data } = useQuery(newest);
    const remove = useMutation({
      mutationFn: (id: string) => clients.rest.from('notifications').delete().eq('id', id).execute(),
      async onMutate(id) {
        await queryClient.cancelQueries({ queryKey: newest.queryKey });
        const before = queryClient.getQueryData(newest.queryKey);
        queryClient.setQueryData(newest.queryKey, (rows) => rows?.filter((row) => row.id !== id));
        return before;
      },
      onError: (_problem, _id, before) => queryClient.setQueryData(newest.queryKey, before),
    });
    if (data) shown.push(`${data.length} ${remove.status}`);
    return <button onClick={() => remove.mutate(data?.[0]?.id ?? '')}>{data ? 'Remove' : 'Loading'}</button>;
  }
  render(
    <QueryClientProvider client={cache}>
      <Newest />
    </QueryClientProvider>,
  );
  (await screen.findByText('Remove')).click();
  await waitFor(() => expect(shown.at(-1)).toBe('1 pending'));
  await waitFor(() => {
    refuse();
    expect(shown.at(-1)).toBe('2 error');
  });
});

it('a live list feeds the cache of components that only read', async () => {
  const { clients } = await signedIn();
  const { rest, realtime, platform } = clients;
  const query = rest.from('notifications').select('id, content').eq('recipient_id', ada.id);
  const options = { ...queryOptions(query, ada.id), staleTime: Infinity };
  const cache = new QueryClient();
  function Contents() {
    const { data } = useQuery(options);
    useEffect(() => {
      const channel = realtime.channel(`notifications:${ada.id}`);
      const list = createLiveQuery({
        platform,
        channel,
        query,
        key: 'id',
        immutableColumns: ['recipient_id'],
      });
      const stops = [
        list.subscribe(() => {
          const { rows, isCurrent } = list.getSnapshot();
          if (isCurrent) cache.setQueryData(options.queryKey, rows);
        }),
        list.start(),
      ];
      return () => stops.forEach((stop) => stop());
    }, []);
    return <p>{data?.map(({ content }) => content).join()}</p>;
  }
  render(
    <QueryClientProvider client={cache}>
      <Contents />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(realtime.getSnapshot().status).toBe('connected'));
  await supabase().database.query(
    `insert into public.notifications (recipient_id, content) values ($1, '{"type":"system","data":{"n":57}}')`,
    [ada.id],
  );
  await screen.findByText(/"n":57/);
});
