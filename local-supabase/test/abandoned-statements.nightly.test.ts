import { connect as openSocket, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalSupabase, type LocalSupabase } from '../src/entries/index.ts';
import { requestApi } from '../../test/support/local-supabase.ts';

const ENDLESS = 'do $$ begin loop end loop; end $$';

let supabase: LocalSupabase;
beforeAll(async () => {
  supabase = await createLocalSupabase({
    config: false,
    project: new URL('./rest/', import.meta.url),
    seed: false,
    databasePort: 0,
    databaseThread: true,
    auth: { bcryptCost: 4 },
  });
  await supabase.database.exec(`
    create table public.left_behind (id int, text text);
    grant all on public.left_behind to service_role;
    create function public.never_end() returns trigger language plpgsql as $$ begin loop end loop; end $$;
    create table public.slow (id int);
    create trigger slow before insert on public.slow for each row execute function public.never_end();
    grant all on public.slow to postgres;`);
});
afterAll(() => supabase.close());

const frame = (type: string, ...parts: readonly (string | number | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map(encodePart));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
/** A text ends with a zero, a number is 32 bits wide. */
function encodePart(part: string | number | Buffer): Buffer {
  if (typeof part === 'string') return Buffer.from(`${part}\0`);
  if (typeof part !== 'number') return part;
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(part);
  return bytes;
}
const query = (text: string) => frame('Q', text);
const none16 = Buffer.alloc(2);
const parse = (text: string) => frame('P', '', text, none16);
const bind = frame('B', '', '', none16, none16, none16);
const execute = (rows = 0) => frame('E', '', rows);
const [sync, flush] = [frame('S'), frame('H')];
const startup = frame('', 196_608, 'user', 'postgres', 'database', 'postgres', Buffer.alloc(1));
const password = frame('p', 'postgres');

/** A socket on which these frames were sent, each after a response to the one before. */
async function send(frames: readonly Buffer[]): Promise<Socket> {
  const socket = openSocket(Number(new URL(supabase.databaseUrl ?? '').port), '127.0.0.1');
  socket.on('error', () => undefined);
  for (const [index, one] of frames.entries()) {
    const response = new Promise((resolve) => socket.once('data', resolve));
    socket.write(one);
    // The last frame may have no response, such as that of an endless statement.
    await Promise.race([response, setTimeout(index === frames.length - 1 ? 300 : 5000)]);
  }
  return socket.pause();
}

const session = (...frames: readonly Buffer[]) => [startup, password, ...frames];
const rows = 'generate_series(1, 100000000)';

it.each<[string, readonly Buffer[]]>([
  ['a handshake without a password', [startup]],
  ['half a message', session(query(ENDLESS).subarray(0, 9))],
  ['an endless statement', session(query(ENDLESS))],
  ['an endless statement after another in one message', session(query(`select 1; ${ENDLESS}`))],
  ['an endless statement in a transaction', session(query('begin'), query(ENDLESS))],
  [
    'an endless statement of another role',
    session(query(`set role anon; set search_path = nowhere; ${ENDLESS}`)),
  ],
  ['an endless statement that listens', session(query('listen news'), query(ENDLESS))],
  ['an endless trigger', session(query('insert into slow values (1)'))],
  [
    'an endless recursion',
    session(query('with recursive r as (select 1 union all select 1 from r) select count(*) from r')),
  ],
  [
    'an endless prepared statement',
    session(query('prepare p as insert into slow values (1)'), query('execute p')),
  ],
  [
    'an endless statement of the extended protocol',
    session(Buffer.concat([parse(ENDLESS), bind, execute(), sync])),
  ],
  ['an endless statement without Sync', session(Buffer.concat([parse(ENDLESS), bind, execute(), flush]))],
  [
    'an endless statement that waits behind another',
    session(Buffer.concat([query(ENDLESS), query(ENDLESS)])),
  ],
  ['a wait', session(query('select pg_sleep(1000)'))],
  ['a result that is not read', session(query(`select repeat('x', 1000), ${rows}`))],
  ['an open transaction with a locked table', session(query('begin; lock table left_behind'))],
  [
    'an open transaction with rows',
    session(query('begin'), query(`insert into left_behind values (1, 'a')`)),
  ],
  ['a failed transaction', session(query('begin; select 1 / 0'))],
  ['a cursor', session(query(`begin; declare c cursor for select ${rows}; fetch 10 from c`))],
  ['a portal with further rows', session(Buffer.concat([parse(`select ${rows}`), bind, execute(1), flush]))],
  ['an advisory lock', session(query('select pg_advisory_lock(1)'))],
  ['a COPY without data', session(query('copy left_behind from stdin'))],
  ['a COPY with half a row', session(query('copy left_behind from stdin'), frame('d', Buffer.from('1')))],
  ['a COPY to the client', session(query(`copy (select ${rows}) to stdout`))],
])('a client that leaves %s behind does not block the others', { timeout: 60_000 }, async (_, frames) => {
  for (const leave of [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.resetAndDestroy()]) {
    leave(await send(frames));
    const response = requestApi(supabase, '/rest/v1/left_behind', { apiKey: supabase.serviceRoleKey });
    expect(await Promise.race([response.then(({ status }) => status), setTimeout(15_000)])).toBe(200);
    expect(await (await response).json()).toEqual([]);
    const client = new Client(supabase.databaseUrl ?? '');
    await client.connect();
    const { rows: state } = await client.query(
      `select current_user as role, pg_try_advisory_lock(1) as free, current_setting('search_path') as path`,
    );
    await client.query('select pg_advisory_unlock_all(); lock table left_behind');
    await client.end();
    expect(state).toEqual([
      { role: 'postgres', free: true, path: expect.stringContaining('public') as string },
    ]);
  }
});
