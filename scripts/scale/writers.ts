import type { Client } from 'pg';

/** Each writer writes notifications of its own recipient. */
export const writerRecipients = [501, 502, 503, 504].map(
  (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
);

export interface Waits {
  /** The number of statements that all writers ran. */
  readonly statements: number;
  /** The longest time that one of them took, in milliseconds. */
  readonly longestMs: number;
  /** The messages of those that failed. */
  readonly failures: readonly string[];
}

/**
 * Four sessions insert, read and mark notifications one after the other while `task` runs: their longest statement shows
 * how long the task's locks keep others out.
 */
export async function writeDuring(connect: () => Promise<Client>, task: () => Promise<void>): Promise<Waits> {
  const writers = await Promise.all(writerRecipients.map(connect));
  const ending = new AbortController();
  const write = async (writer: Client, index: number): Promise<Waits> => {
    const recipient = writerRecipients[index];
    const statements = [
      `insert into public.notifications (recipient_id, content) values ('${recipient}', '{"type":"edit"}')`,
      `select count(*) from (
         select * from public.notifications where recipient_id = '${recipient}' order by created_at desc, id desc limit 50
       ) page`,
      `update public.notifications set status = 'read' where id = (
         select id from public.notifications where recipient_id = '${recipient}' and status = 'unread'
         order by created_at desc, id desc limit 1
       )`,
    ];
    const failures: string[] = [];
    let [count, longestMs] = [0, 0];
    while (!ending.signal.aborted) {
      const startedMs = performance.now();
      try {
        await writer.query(statements[count % statements.length] ?? '');
      } catch (problem) {
        failures.push(String(problem));
      }
      longestMs = Math.max(longestMs, performance.now() - startedMs);
      count += 1;
    }
    return { statements: count, longestMs, failures };
  };
  try {
    const running = writers.map(write);
    try {
      await task();
    } finally {
      ending.abort();
    }
    const waits = await Promise.all(running);
    return {
      statements: waits.reduce((total, { statements }) => total + statements, 0),
      longestMs: Math.max(...waits.map(({ longestMs }) => longestMs)),
      failures: waits.flatMap(({ failures }) => failures),
    };
  } finally {
    await Promise.all(writers.map((writer) => writer.end()));
  }
}
