import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalSupabase, type LocalSupabase } from '../src/entries/index.ts';
import { requestApi } from '../../test/support/local-supabase.ts';

const ENDLESS = 'do $$ begin loop end loop; end $$';
const project = new URL('./rest/', import.meta.url);
const start = () =>
  createLocalSupabase({
    config: false,
    project,
    seed: false,
    databasePort: 0,
    databaseThread: true,
    auth: { bcryptCost: 4 },
  });

let supabase: LocalSupabase;
const clients = new Set<Client>();
beforeAll(async () => {
  supabase = await start();
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await supabase.close();
});

async function connect(): Promise<Client> {
  const client = new Client(supabase.databaseUrl ?? '');
  client.on('error', () => undefined);
  await client.connect();
  clients.add(client);
  return client;
}
/** Cancels a client's statement, as psql does on Ctrl-C. */
async function cancel(client: Client): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const { connect: open } = await import('node:net');
  const request = Buffer.alloc(16);
  [16, 80_877_102, processID, secretKey].forEach((value, index) => request.writeInt32BE(value, index * 4));
  const { port } = new URL(supabase.databaseUrl ?? '');
  await new Promise((resolve) => {
    const socket = open(Number(port), '127.0.0.1', () => socket.end(request));
    socket.once('close', resolve);
  });
}
/** Repeats the cancellation, because one that arrives before the statement runs has no effect. */
async function canceled(client: Client, statement: Promise<unknown>): Promise<unknown> {
  const ended = statement.catch((problem: unknown) => ({ problem }));
  for (;;) {
    await cancel(client);
    const outcome = await Promise.race([ended, setTimeout(20)]);
    if (outcome !== undefined) return (outcome as { problem: unknown }).problem;
  }
}

describe('PostgreSQL in a worker thread', () => {
  it("cancels a client's statement without ending others, and keeps the client's settings", async () => {
    const client = await connect();
    await client.query(`set application_name = 'mine'; set statement_timeout = '1h'`);
    await client.query({ name: 'sum', text: 'select 1 + $1::int as sum', values: [1] });
    const request = requestApi(supabase, '/rest/v1/', { apiKey: supabase.serviceRoleKey });
    expect(await canceled(client, client.query(ENDLESS))).toMatchObject({
      code: '57014',
      message: 'canceling statement due to user request',
    });
    expect((await request).status).toBe(200);
    expect((await client.query('show application_name')).rows).toEqual([{ application_name: 'mine' }]);
    expect((await client.query({ name: 'sum', text: '', values: [2] })).rows).toEqual([{ sum: 3 }]);
  });

  it('ends the statement of a client that has disconnected, so that others continue', async () => {
    const client = await connect();
    const endless = client.query(ENDLESS).catch(() => undefined);
    await setTimeout(200);
    (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    clients.delete(client);
    expect((await requestApi(supabase, '/rest/v1/', { apiKey: supabase.serviceRoleKey })).status).toBe(200);
    await endless;
  });

  it('reopens after a crash with committed rows, listeners and prepared statements', async () => {
    const client = await connect();
    await client.query('create table public.kept (id int); insert into public.kept values (7)');
    const named = { name: 'kept', text: 'select id from public.kept', values: [] };
    await client.query(named);
    await client.query('listen kept_news');
    const received = new Promise((resolve) => client.once('notification', ({ payload }) => resolve(payload)));
    // PGlite lacks the encoding conversions.
    await expect(
      supabase.database.query(`select convert('a'::bytea, 'UTF8', 'LATIN1')`),
    ).rejects.toMatchObject({ code: '57P02' });
    expect((await client.query(named)).rows).toEqual([{ id: 7 }]);
    await supabase.database.query(`select pg_notify('kept_news', 'after')`);
    expect(await received).toBe('after');
  });

  it('closes despite an endless statement and an idle transaction', async () => {
    const second = await start();
    let stuck: Promise<unknown> = Promise.resolve();
    await new Promise<void>((begin) => {
      stuck = second.database.transaction(() => {
        begin();
        return new Promise(() => undefined);
      });
    });
    const endless = second.database.query(ENDLESS);
    const outcomes = Promise.allSettled([stuck, endless]);
    await second.close();
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { code: '57P01' } },
      { status: 'rejected' },
    ]);
  });
});
