import type { Database } from '../../database/database.ts';
import type { Service } from '../../http/in-process.ts';

export interface PushTimerOptions {
  readonly database: Database;
  readonly functions: Service;
  readonly serviceKey: () => string;
  readonly url: () => string;
  readonly now: () => number;
}

/** The result of a run of the worker. */
export interface PushRun {
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
}

const idle: PushRun = { sent: 0, failed: 0, skipped: 0 };

/** Calls the function `notification-push` while messages are due, as `pg_cron` does on a hosted project. */
export const sendDuePushMessages = (options: PushTimerOptions): Promise<PushRun> =>
  callWorker(options, 'notification-push', 'private.has_due_push_messages');

/** Calls the function `notification-webhooks` while webhooks are due. */
export const sendDueWebhooks = (options: PushTimerOptions): Promise<PushRun> =>
  callWorker(options, 'notification-webhooks', 'private.has_due_webhooks');

/**
 * Skips projects without the queue.
 *
 * @throws {Error} with the function's response, if it fails.
 */
async function callWorker(
  { database, functions, serviceKey, url, now }: PushTimerOptions,
  name: string,
  hasDue: 'private.has_due_push_messages' | 'private.has_due_webhooks',
): Promise<PushRun> {
  const [queue] = await database.query<{ exists: boolean }>(`select to_regproc($1) is not null as exists`, [
    hasDue,
  ]);
  if (!queue?.exists) return idle;
  const [due] = await database.query<{ exists: boolean }>(`select ${hasDue}($1) as exists`, [
    new Date(now()).toISOString(),
  ]);
  if (!due?.exists) return idle;
  const request = new Request(`${url()}/functions/v1/${name}`, {
    method: 'POST',
    headers: { apikey: serviceKey(), authorization: `Bearer ${serviceKey()}` },
  });
  const response = await functions.handle(request);
  if (!response.ok) throw new Error(`${name} responded with ${response.status}: ${await response.text()}`);
  return (await response.json()) as PushRun;
}
