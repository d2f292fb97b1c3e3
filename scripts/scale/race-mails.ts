import type { Client } from 'pg';

const workerCount = 50;
const mailCount = 10_000;
const batchSize = 20;

interface Claimed {
  readonly claimed: number;
  readonly mails: readonly { readonly id: string; readonly lease: string }[];
}

export interface MailRace {
  /** Descriptions of the faults; empty without any. */
  readonly problems: readonly string[];
  readonly mailsPerSecond: number;
}

/** 50 sessions claim and acknowledge 10,000 due mails at the same time; each mail must be handed out once. */
export async function raceMailWorkers(connect: () => Promise<Client>): Promise<MailRace> {
  const workers = await Promise.all(Array.from({ length: workerCount }, connect));
  try {
    const [first] = workers;
    if (!first) throw new Error('no worker');
    await addDueMails(first);
    const startedMs = performance.now();
    const handedOut = (await Promise.all(workers.map(work))).flat();
    const seconds = (performance.now() - startedMs) / 1000;
    const problems: string[] = [];
    if (new Set(handedOut).size !== mailCount)
      problems.push(`${new Set(handedOut).size} of ${mailCount} mails were claimed.`);
    if (handedOut.length !== new Set(handedOut).size)
      problems.push(`${handedOut.length - new Set(handedOut).size} mails were claimed twice.`);
    const { rows } = await first.query<{ count: number }>(
      `select count(*)::integer as count from private.notification_mails where state <> 'sent' and topic = 'test'`,
    );
    if (rows[0]?.count !== 0) problems.push(`${rows[0]?.count} mails are not acknowledged.`);
    return { problems, mailsPerSecond: mailCount / seconds };
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
}

async function addDueMails(client: Client): Promise<void> {
  await client.query('delete from private.notification_mails');
  await client.query(
    `update auth.users set email = coalesce(email, id || '@example.com'), email_confirmed_at = coalesce(email_confirmed_at, now())`,
  );
  await client.query(
    `insert into private.notification_mails (recipient_id, topic, due_at, state)
     select u.id, 'test', now(), 'retrying'
     from (select id from auth.users order by id limit 100) u, generate_series(1, $1) limit $2`,
    [mailCount, mailCount],
  );
}

/** @returns the ids of the mails that this worker claimed. */
async function work(client: Client): Promise<string[]> {
  const handedOut: string[] = [];
  for (;;) {
    const { rows } = await client.query<{ result: Claimed }>(
      'select public.claim_notification_mails($1) as result',
      [batchSize],
    );
    const result = rows[0]?.result;
    if (!result || result.claimed === 0) return handedOut;
    for (const { id, lease } of result.mails) {
      handedOut.push(id);
      await client.query(`select public.finish_notification_mail($1, $2, 'sent')`, [id, lease]);
    }
  }
}
