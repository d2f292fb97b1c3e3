import type { Client } from 'pg';
import { startMailSink } from './mail-sink.ts';
import { queueDigests } from './queue-digests.ts';
import type { ScaleDatabase } from './scale-database.ts';
import { startWorker } from './start-worker.ts';

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
  const sink = await startMailSink();
  try {
    const startedMs = performance.now();
    const sent = await Promise.all(
      Array.from({ length: workers }, () => startWorker(client, sink.port).ended),
    );
    const seconds = (performance.now() - startedMs) / 1000;
    const total = sent.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    const [row] = await database.query<{ open: number }>(
      `select count(*)::integer as open from private.notification_mails where state <> 'sent'`,
    );
    const copies = [...sink.copies.values()].reduce((sum, workers) => sum + workers.length, 0);
    if (total !== mails || sink.copies.size !== mails || copies !== mails || row?.open !== 0)
      throw new Error(
        `${mails} mails were due, ${total} sent, ${sink.copies.size} arrived in ${copies} copies, ${row?.open} are open`,
      );
    return { mails, workers, seconds };
  } finally {
    await client.end();
    await sink.close();
  }
}
