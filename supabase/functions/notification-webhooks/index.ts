/**
 * Sends the webhooks that are due. Called every ten seconds by `private.call_webhook_worker()`, with the worker's secret.
 *
 * POST; with `{"worker": 1}` the run starts its next one if more is due when it has to end. Answers `{"sent", "failed", "skipped"}`.
 *
 * Environment: WORKER_SECRET; WEBHOOK_ORIGINS where endpoints of a developer's machine are allowed. The platform sets SUPABASE_URL and
 * SUPABASE_SECRET_KEYS.
 */
import { setTimeout } from 'node:timers/promises';
import { continueWorker, workerCallSchema } from '../_shared/runtime/continue-worker.ts';
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { createFailureLog } from '../_shared/runtime/failure-log.ts';
import { parseRequestJson } from '../_shared/runtime/parse.ts';
import { answerError, serveFunction } from '../_shared/runtime/runtime.ts';
import { isWorkerCall } from '../_shared/runtime/service-keys.ts';
import { sendDueWebhooks } from '../_shared/webhooks/send-due-webhooks.ts';
import { createWebhookTransport } from '../_shared/webhooks/webhook-transport.ts';

/** The platform ends a run after 150 s. */
const runMs = 50_000;

export default serveFunction({ methods: ['POST'] }, async (request, runtime) => {
  if (!isWorkerCall(request, runtime.env))
    return answerError(403, 'worker_secret_needed', 'The worker secret or a service key is needed');
  const log = createFailureLog(request, 'notification-webhooks', console.error);
  const { worker } = parseRequestJson(workerCallSchema, (await request.text()) || '{}');
  const callDatabase = createDatabaseCaller(runtime, log.traceparent);
  const report = await sendDueWebhooks({
    callDatabase,
    log,
    wait: (durationMs) => setTimeout(durationMs),
    transport: createWebhookTransport({ runtime }),
    now: runtime.now,
    stopAtMs: performance.now() + runMs,
    startNext: () => continueWorker('notification-webhooks', worker, callDatabase, log),
  });
  return Response.json(report);
});
