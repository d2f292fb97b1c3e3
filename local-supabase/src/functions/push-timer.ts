import type { Database } from '../database/database.ts';
import type { Service } from '../gateway/gateway.ts';

export interface PushTimerOptions {
  readonly database: Database;
  readonly functions: Service;
  readonly serviceKey: () => string;
  readonly url: () => string;
  readonly now: () => number;
}

/** How a run of the worker ended. */
export interface PushRun {
  readonly sent: number;
  readonly failed: number;
  readonly skipped: number;
}

const idle: PushRun = { sent: 0, failed: 0, skipped: 0 };

/**
 * Calls the function `notification-push` while messages are due, as `pg_cron` does on a hosted project. A project without
 * the queue is left alone.
 *
 * @throws {Error} with the function's answer, if it fails.
 */
export async function sendDuePushMessages(options: PushTimerOptions): Promise<PushRun> {
  const { database, functions, serviceKey, url, now } = options;
  const [queue] = await database.query<{ exists: boolean }>(
    `select to_regproc('private.has_due_push_messages') is not null as exists`,
  );
  if (!queue?.exists) return idle;
  const [due] = await database.query<{ exists: boolean }>(
    'select private.has_due_push_messages($1) as exists',
    [new Date(now()).toISOString()],
  );
  if (!due?.exists) return idle;
  const request = new Request(`${url()}/functions/v1/notification-push`, {
    method: 'POST',
    headers: { apikey: serviceKey(), authorization: `Bearer ${serviceKey()}` },
  });
  const response = await functions.handle(request);
  if (!response.ok)
    throw new Error(`notification-push answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as PushRun;
}
