/**
 * Sends the notification mails that are due. Called each minute by `private.call_mail_worker()`, with the worker's secret.
 *
 * POST, body optional: `{"due_before": "<ISO 8601>"}` also sends what is due until then; with `{"worker": 1}` the run starts
 * its next one if more is due when it has to end. Returns `{"sent", "failed", "skipped"}`. `{"preview": {content, words}}`,
 * of a dry run of `send_notifications`, sends nothing, and returns how the message reads: `{<language>: {row, mail, push}}`.
 *
 * Environment: WORKER_SECRET, APP_URL, MAIL_FROM; SMTP_HOST (see smtp-transport.ts) or RESEND_API_KEY. The platform sets SUPABASE_URL and
 * SUPABASE_SECRET_KEYS.
 */
import * as z from 'zod/mini';
import { previewSchema, renderPreview } from '../_shared/mail/render-preview.ts';
import { createResendTransport } from '../_shared/mail/resend-transport.ts';
import type { MailSettings } from '../_shared/mail/render-mail.ts';
import { sendDueMails } from '../_shared/mail/send-due-mails.ts';
import { createSmtpTransport } from '../_shared/mail/smtp-transport.ts';
import { InvalidSettingError, requireSetting } from '../_shared/runtime/runtime.ts';
import type { Environment, Runtime } from '../_shared/runtime/runtime.ts';
import { serveWorker, workerCallSchema } from '../_shared/runtime/serve-worker.ts';

const requestSchema = z.extend(workerCallSchema, {
  due_before: z.optional(z.iso.datetime({ offset: true })),
  preview: z.optional(previewSchema),
});

export default serveWorker('notification-mails', requestSchema, async (options, runtime, call) => {
  const settings = readSettings(runtime.env);
  if (call.preview) return renderPreview(call.preview, settings, runtime.now());
  const transport = createTransport(runtime);
  const dueBeforeMs = call.due_before === undefined ? undefined : Date.parse(call.due_before);
  try {
    return await sendDueMails({ ...options, transport, settings, dueBeforeMs });
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
