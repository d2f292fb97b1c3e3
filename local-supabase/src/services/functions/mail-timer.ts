import type { Database } from '../../database/database.ts';
import type { Service } from '../../http/in-process.ts';

export interface MailTimerOptions {
  readonly database: Database;
  readonly functions: Service;
  readonly serviceKey: () => string;
  readonly url: () => string;
  readonly now: () => number;
}

/** The result of a run of the worker. */
export interface MailRun {
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
}

const idle: MailRun = { sent: 0, failed: 0, skipped: 0 };

/**
 * Calls the function `notification-mails` while mails are due, as `pg_cron` does on a hosted project. Skips projects
 * without the queue.
 *
 * @throws {Error} with the function's response, if it fails.
 */
export async function sendDueMails(options: MailTimerOptions): Promise<MailRun> {
  const { database, functions, serviceKey, url, now } = options;
  const [queue] = await database.query<{ exists: boolean }>(
    `select to_regproc('private.has_due_mails') is not null as exists`,
  );
  if (!queue?.exists) return idle;
  const [due] = await database.query<{ exists: boolean }>('select private.has_due_mails($1) as exists', [
    new Date(now()).toISOString(),
  ]);
  if (!due?.exists) return idle;
  const request = new Request(`${url()}/functions/v1/notification-mails`, {
    method: 'POST',
    headers: { apikey: serviceKey(), authorization: `Bearer ${serviceKey()}` },
  });
  const response = await functions.handle(request);
  if (!response.ok)
    throw new Error(`notification-mails responded with ${response.status}: ${await response.text()}`);
  return (await response.json()) as MailRun;
}
