import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { SMTPServer } from 'smtp-server';
import type { ScaleDatabase } from './scale-database.ts';

/** The moment at which all digests are due. */
const dueAt = '2027-01-15T08:00:00Z';
const itemsPerDigest = 3;

export interface DigestRun {
  readonly mails: number;
  readonly workers: number;
  readonly seconds: number;
}

/**
 * Queues a digest of three notifications for each of `mails` users, due at 08:00, and measures how long `workers`
 * processes take to claim, render and hand them to an SMTP server on this machine, and to acknowledge them.
 *
 * @throws {Error} unless the server took each mail once and each is acknowledged.
 */
export async function sendDigests(
  database: ScaleDatabase,
  connect: () => Promise<Client>,
  mails: number,
  workers: number,
): Promise<DigestRun> {
  await queueDigests(database, mails);
  const client = await connect();
  const sink = await startSink();
  try {
    const startedMs = performance.now();
    const clockOffsetMs = Date.parse(dueAt) - Date.now();
    const sent = await Promise.all(
      Array.from({ length: workers }, () => runWorker(client, sink.port, clockOffsetMs)),
    );
    const seconds = (performance.now() - startedMs) / 1000;
    const total = sent.reduce((sum, count) => sum + count, 0);
    const [row] = await database.query<{ open: number }>(
      `select count(*)::integer as open from private.notification_mails where state <> 'sent'`,
    );
    if (total !== mails || sink.recipients.size !== mails || sink.count() !== mails || row?.open !== 0)
      throw new Error(
        `${mails} mails were due, ${total} sent, ${sink.count()} arrived at ${sink.recipients.size} addresses, ${row?.open} are open`,
      );
    return { mails, workers, seconds };
  } finally {
    await client.end();
    await sink.close();
  }
}

const userId = (number: string) => `('00000000-0000-4000-9000-' || lpad((${number})::text, 12, '0'))::uuid`;
const mailId = (number: string) => `('00000000-0000-4000-a000-' || lpad((${number})::text, 12, '0'))::uuid`;

async function queueDigests(database: ScaleDatabase, mails: number): Promise<void> {
  await database.exec(`
    set session_replication_role = replica;
    truncate private.notification_mails, private.notification_mail_items;
    delete from public.notifications where recipient_id >= ${userId('0')};
    insert into auth.users (instance_id, id, email, email_confirmed_at, aud, role, created_at)
      select '00000000-0000-0000-0000-000000000000', ${userId('n')}, 'digest' || n || '@example.com', now(),
        'authenticated', 'authenticated', now()
      from generate_series(1, ${mails}) n on conflict do nothing;
    insert into public.notification_preferences (user_id)
      select ${userId('n')} from generate_series(1, ${mails}) n on conflict do nothing;
    insert into private.notification_mails (id, recipient_id, topic, due_at, item_count)
      select ${mailId('n')}, ${userId('n')}, 'digest', '${dueAt}', ${itemsPerDigest} from generate_series(1, ${mails}) n;
    with created as (
      insert into public.notifications (id, recipient_id, kind, content, created_at)
      select gen_random_uuid(), ${userId('1 + n % ' + String(mails))}, kind, jsonb_build_object(
          'type', kind, 'metadata', jsonb_build_object('actor_name', 'Grace Hopper'),
          'entity_type', 'document', 'entity_id', 'notes',
          'data', jsonb_build_object('entity_name', 'Compiler notes', 'text', 'Please read the chapter about linking.')
        )::text, timestamptz '${dueAt}' - interval '5 hours'
      from generate_series(0, ${mails * itemsPerDigest - 1}) n
      cross join lateral (select (array['mention', 'comment', 'invite'])[1 + n / ${mails}] as kind) k
      returning id, recipient_id
    )
    insert into private.notification_mail_items (notification_id, mail_id)
      select c.id, m.id from created c join private.notification_mails m on m.recipient_id = c.recipient_id;
    set session_replication_role = origin;
    analyze private.notification_mails, private.notification_mail_items, public.notifications, auth.users,
      public.notification_preferences;
  `);
}

interface Sink {
  readonly port: number;
  readonly recipients: ReadonlySet<string>;
  count(): number;
  close(): Promise<void>;
}

/** Takes every mail and keeps its recipient only. */
async function startSink(): Promise<Sink> {
  const recipients = new Set<string>();
  let count = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(stream, session, done) {
      stream.once('end', () => {
        count += 1;
        for (const { address } of session.envelope.rcptTo) recipients.add(address);
        done();
      });
      stream.resume();
    },
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port));
  });
  return {
    port,
    recipients,
    count: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** @returns how many mails the worker sent. */
async function runWorker(
  { host, port, user, database }: Client,
  smtpPort: number,
  clockOffsetMs: number,
): Promise<number> {
  const worker = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('mail-worker.ts', import.meta.url))],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        PGHOST: host,
        PGPORT: String(port),
        PGUSER: user,
        PGDATABASE: database,
        CLOCK_OFFSET_MS: String(clockOffsetMs),
        SUPABASE_URL: 'http://localhost',
        SUPABASE_SERVICE_ROLE_KEY: 'service',
        APP_URL: 'http://localhost:5173',
        MAIL_FROM: 'Tidings <notifications@example.com>',
        SMTP_HOST: '127.0.0.1',
        SMTP_PORT: String(smtpPort),
      },
    },
  );
  const ended = new Promise<number | null>((resolve) => {
    worker.once('exit', resolve);
  });
  const printed = await text(worker.stdout);
  if ((await ended) !== 0) throw new Error('A mail worker failed');
  return Number(printed);
}
