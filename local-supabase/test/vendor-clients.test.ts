import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ada, grace, seedPassword, useLocalSupabase } from '../../test/support/local-supabase.ts';

/**
 * The vendor's client as in an application: one `createClient`, over a port. Its parts are tested in
 * auth/vendor-client.nightly.test.ts, test/integration/realtime-scenarios.test.ts and storage.test.ts.
 */
const supabase = useLocalSupabase({
  port: 0,
  functions: { greet: async (request) => Response.json({ hello: await request.json() }) },
});
const connect = (key = supabase().anonKey) =>
  createClient(supabase().url, key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    realtime: { transport: WebSocket as never },
  });
type Client = ReturnType<typeof connect>;

let client: Client;
let other: Client;

const letter = (index: number, recipient_id = ada.id) => ({
  recipient_id,
  content: JSON.stringify({ type: 'comment', entity_id: `e-${index}`, data: { text: `a,b(${index})"` } }),
});

async function signIn(each: Client, email: string): Promise<void> {
  const { error } = await each.auth.signInWithPassword({ email, password: seedPassword });
  if (error) throw error;
}

beforeAll(async () => {
  client = connect();
  other = connect();
  await signIn(client, ada.email);
  await signIn(other, grace.email);
  await client.from('notifications').delete().eq('recipient_id', ada.id);
  for (const index of [0, 1, 2]) await other.from('notifications').insert(letter(index)).throwOnError();
});
afterAll(async () => {
  for (const each of [client, other]) await each.removeAllChannels();
});

describe('the data client', () => {
  it('reads rows in order, by page, with their number', async () => {
    const { data, count, error } = await client
      .from('notifications')
      .select('id, created_at', { count: 'exact' })
      .order('created_at', { ascending: false })
      .range(0, 1);
    expect(error).toBeNull();
    expect([data?.length, count]).toEqual([2, 3]);
  });

  it('inserts, upserts, updates and deletes, and returns the written rows', async () => {
    const table = () => client.from('notification_preferences');
    const made = await table().insert({ user_id: ada.id }).select().single();
    expect(made.data).toMatchObject({ user_id: ada.id, email_edits: false });
    const merged = await table()
      .upsert({ user_id: ada.id, email_edits: true }, { onConflict: 'user_id' })
      .select();
    expect(merged.data).toMatchObject([{ email_edits: true }]);
    const changed = await table().update({ email_digest_frequency: 'never' }).eq('user_id', ada.id).select();
    expect(changed.data).toMatchObject([{ email_digest_frequency: 'never' }]);
    expect((await table().delete().eq('user_id', ada.id)).status).toBe(204);
  });

  it('calls functions, and receives the errors that they raise', async () => {
    const made = await client
      .rpc('create_invitation', { invitee_email: grace.email })
      .single<{ token: string }>();
    const token = made.data?.token;
    const read = await other.rpc('get_invitation', { token }, { get: true }).select('status').single();
    expect(read.data).toEqual({ status: 'pending' });
    expect((await client.rpc('accept_invitation', { token })).error).toMatchObject({ code: 'PT403' });
    expect((await other.rpc('decline_invitation', { token })).error).toBeNull();
  });
});

describe('the whole client', () => {
  it("receives the data client's changes to published tables", async () => {
    const changes: string[] = [];
    const systems: unknown[] = [];
    const filter = `recipient_id=eq.${ada.id}`;
    client
      .channel('inbox')
      .on(
        'postgres_changes',
        { event: '*', schema: 'public', table: 'notifications', filter },
        ({ eventType }) => changes.push(eventType),
      )
      .on('system', {}, (message) => systems.push(message))
      .subscribe();
    await expect.poll(() => systems.length).toBe(1);
    const { data } = await client.from('notifications').select('id').limit(1).single();
    await client.from('notifications').update({ status: 'read' }).eq('id', data?.id);
    await other.from('notifications').insert(letter(9));
    await client.from('notifications').delete().eq('id', data?.id);
    await other.from('notifications').insert(letter(10));
    await expect.poll(() => changes).toEqual(['UPDATE', 'INSERT', 'INSERT']);
  });

  it('calls edge functions with JSON', async () => {
    const { data, error } = await client.functions.invoke('greet', { body: { name: 'Ada' } });
    expect(error).toBeNull();
    expect(data).toEqual({ hello: { name: 'Ada' } });
    expect((await client.functions.invoke('nothing')).error).not.toBeNull();
  });

  it('stores, signs and removes files with the secret key', async () => {
    const { storage } = connect(supabase().secretKey);
    expect((await storage.createBucket('papers')).error).toBeNull();
    const papers = storage.from('papers');
    expect((await papers.upload('a.txt', 'Hello')).error).toBeNull();
    const { data } = await papers.createSignedUrl('a.txt', 60);
    await expect((await fetch(data?.signedUrl ?? '')).text()).resolves.toBe('Hello');
    expect((await papers.remove(['a.txt'])).data).toMatchObject([{ name: 'a.txt' }]);
  });

  it('works with the publishable key as with the older one', async () => {
    const newer = connect(supabase().publishableKey);
    const { error } = await newer.auth.signInWithPassword({ email: grace.email, password: seedPassword });
    expect(error).toBeNull();
    expect((await newer.from('notifications').select('id')).error).toBeNull();
    await newer.auth.signOut();
    expect((await newer.auth.getSession()).data.session).toBeNull();
  });
});
