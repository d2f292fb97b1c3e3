import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import type { Database } from '../../src/inbox/database.types.ts';
import { queryOptions } from '../../src/rest-client/tanstack-query.ts';
import { ada, seedPassword, useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase();
afterEach(cleanup);

async function signedIn() {
  const { url, anonKey, fetch } = supabase();
  const reads: string[] = [];
  const clients = createSupabaseClients<Database>({
    url,
    apiKey: anonKey,
    store: createMemoryStore(),
    fetch: (input, init) => {
      const request = new Request(input, init);
      if (request.url.includes('/rest/v1/')) reads.push(request.url);
      return fetch(request);
    },
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
