/**
 * Sends the webhooks that are due. Called every ten seconds by `private.call_webhook_worker()`, with the worker's secret.
 *
 * POST; with `{"worker": 1}` the run starts its next one if more is due when it has to end. Returns `{"sent", "failed",
 * "skipped"}`.
 *
 * Environment: WORKER_SECRET; WEBHOOK_ORIGINS where endpoints of a developer's machine are allowed. The platform sets SUPABASE_URL and
 * SUPABASE_SECRET_KEYS.
 */
import { serveWorker, workerCallSchema } from '../_shared/runtime/serve-worker.ts';
import { sendDueWebhooks } from '../_shared/webhooks/send-due-webhooks.ts';
import { createWebhookTransport } from '../_shared/webhooks/webhook-transport.ts';

export default serveWorker('notification-webhooks', workerCallSchema, (options, runtime) =>
  sendDueWebhooks({ ...options, transport: createWebhookTransport({ runtime }) }),
);
