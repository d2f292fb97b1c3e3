/**
 * Sends the notification mails that are due. Called each minute by `private.call_mail_worker()`, with the worker's secret.
 *
 * POST, body optional: `{"due_before": "<ISO 8601>"}` also sends what is due until then; with `{"worker": 1}` the run starts its next
 * one if more is due when it has to end. Answers `{"sent", "failed", "skipped"}`. `{"preview": {content, words}}`, of a dry run of
 * `send_notifications`, sends nothing, and answers how the message reads: `{<language>: {row, mail, push}}`.
 *
 * Environment: WORKER_SECRET, APP_URL, MAIL_FROM; SMTP_HOST (see smtp-transport.ts) or RESEND_API_KEY. The platform sets SUPABASE_URL and
 * SUPABASE_SECRET_KEYS.
 */
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { previewSchema, renderPreview } from '../_shared/mail/render-preview.ts';
import { createResendTransport } from '../_shared/mail/resend-transport.ts';
import type { MailSettings } from '../_shared/mail/render-mail.ts';
import { sendDueMails } from '../_shared/mail/send-due-mails.ts';
import { createSmtpTransport } from '../_shared/mail/smtp-transport.ts';
import { continueWorker, workerCallSchema } from '../_shared/runtime/continue-worker.ts';
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { createFailureLog } from '../_shared/runtime/failure-log.ts';
import { parseRequestJson } from '../_shared/runtime/parse.ts';
import {
  InvalidSettingError,
  answerError,
  requireSetting,
  serveFunction,
} from '../_shared/runtime/runtime.ts';
import type { Environment, Runtime } from '../_shared/runtime/runtime.ts';
import { isWorkerCall } from '../_shared/runtime/service-keys.ts';

/** The platform ends a run after 150 s; the last mail may wait for three timeouts of 20 s. */
const runMs = 50_000;

const requestSchema = z.extend(workerCallSchema, {
  due_before: z.optional(z.iso.datetime({ offset: true })),
  preview: z.optional(previewSchema),
});

export default serveFunction({ methods: ['POST'] }, async (request, runtime) => {
  if (!isWorkerCall(request, runtime.env))
    return answerError(403, 'worker_secret_needed', 'The worker secret or a service key is needed');
  const {
    due_before: dueBefore,
    worker,
    preview,
  } = parseRequestJson(requestSchema, (await request.text()) || '{}');
  if (preview) return Response.json(renderPreview(preview, readSettings(runtime.env), runtime.now()));
  const log = createFailureLog(request, 'notification-mails', console.error);
  const callDatabase = createDatabaseCaller(runtime, log.traceparent);
  const settings = readSettings(runtime.env);
  const transport = createTransport(runtime);
  try {
    const report = await sendDueMails({
      callDatabase,
      log,
      transport,
      settings,
      now: runtime.now,
      dueBeforeMs: dueBefore === undefined ? undefined : Date.parse(dueBefore),
      stopAtMs: performance.now() + runMs,
      startNext: () => continueWorker('notification-mails', worker, callDatabase, log),
      wait: (durationMs) => setTimeout(durationMs),
    });
    return Response.json(report);
  } finally {
    transport.close();
  }
});

function createTransport(runtime: Runtime) {
  return runtime.env['RESEND_API_KEY'] ? createResendTransport(runtime) : createSmtpTransport(runtime.env);
}

function readSettings(env: Environment): MailSettings {
  const from = requireSetting(env, 'MAIL_FROM');
  const [, domain] = /^(?:[^<>\r\n]*<)?[^\s<>@]+@([\w.-]+)>?$/.exec(from) ?? [];
  if (domain === undefined)
    throw new InvalidSettingError('MAIL_FROM', 'an address such as Tidings <notifications@example.com>');
  return {
    appUrl: requireSetting(env, 'APP_URL').replace(/\/+$/, ''),
    unsubscribeUrl: `${requireSetting(env, 'SUPABASE_URL')}/functions/v1/unsubscribe`,
    from,
    domain,
  };
}
