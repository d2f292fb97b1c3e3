/**
 * Sends the push messages that are due. Called every ten seconds by `private.call_push_worker()`, with the worker's secret.
 *
 * POST; with `{"worker": 1}` the run starts its next one if more is due when it has to end. Returns `{"sent", "failed",
 * "skipped"}`.
 *
 * Environment: WORKER_SECRET, VAPID_SUBJECT (a `mailto:` or `https:` address of the operator), VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY;
 * PUSH_HOSTS where other push services than the browsers' own are allowed. The platform sets SUPABASE_URL and
 * SUPABASE_SECRET_KEYS.
 */
import { createPushTransport } from '../_shared/push/push-transport.ts';
import { sendDuePushMessages } from '../_shared/push/send-due-push-messages.ts';
import { serveWorker, workerCallSchema } from '../_shared/runtime/serve-worker.ts';

export default serveWorker('notification-push', workerCallSchema, (options, runtime) =>
  sendDuePushMessages({ ...options, transport: createPushTransport(runtime) }),
);
