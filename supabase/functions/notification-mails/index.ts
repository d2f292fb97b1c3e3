/**
 * Sends the notification mails that are due. Called each minute by `private.call_mail_worker()`, with the service key.
 *
 * POST, body optional: `{"due_before": "<ISO 8601>"}` also sends what is due until then. Answers
 * `{"sent", "failed", "skipped"}`.
 *
 * Environment: APP_URL, MAIL_FROM; SMTP_HOST (see smtp-transport.ts) or RESEND_API_KEY. The platform sets SUPABASE_URL and SUPABASE_SERVICE_ROLE_KEY.
 */
import { setTimeout } from 'node:timers/promises';
import { createResendTransport } from '../_shared/mail/resend-transport.ts';
import type { MailSettings } from '../_shared/mail/render-mail.ts';
import { sendDueMails } from '../_shared/mail/send-due-mails.ts';
import { createSmtpTransport } from '../_shared/mail/smtp-transport.ts';
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { MissingSettingError, requireSetting, serveFunction } from '../_shared/runtime/runtime.ts';
import type { Environment, Runtime } from '../_shared/runtime/runtime.ts';
import { hasServiceKey } from '../_shared/runtime/service-key.ts';

/** A run ends before the platform ends it. */
const runMs = 50_000;

export default serveFunction(async (request, runtime) => {
  if (request.method !== 'POST') return answer(405, { message: 'Only POST is allowed' });
  try {
    if (!hasServiceKey(request, runtime.env)) return answer(403, { message: 'The service key is needed' });
    const dueBeforeMs = await readDueBefore(request);
    if (Number.isNaN(dueBeforeMs)) return answer(400, { message: 'due_before is not a time' });
    const callDatabase = createDatabaseCaller(runtime);
    const settings = readSettings(runtime.env);
    const transport = createTransport(runtime);
    try {
      const stopAtMs = performance.now() + runMs;
      const { now } = runtime;
      const wait = (durationMs: number) => setTimeout(durationMs);
      return answer(
        200,
        await sendDueMails({ callDatabase, transport, settings, now, dueBeforeMs, stopAtMs, wait }),
      );
    } finally {
      transport.close();
    }
  } catch (problem) {
    if (problem instanceof MissingSettingError) return answer(500, { message: problem.message });
    throw problem;
  }
});

function createTransport(runtime: Runtime) {
  return runtime.env['RESEND_API_KEY'] ? createResendTransport(runtime) : createSmtpTransport(runtime.env);
}

function readSettings(env: Environment): MailSettings {
  const from = requireSetting(env, 'MAIL_FROM');
  const [, domain = 'localhost'] = /@([\w.-]+)/.exec(from) ?? [];
  return {
    appUrl: requireSetting(env, 'APP_URL').replace(/\/+$/, ''),
    unsubscribeUrl: `${requireSetting(env, 'SUPABASE_URL')}/functions/v1/unsubscribe`,
    from,
    domain,
  };
}

/** undefined: not given; NaN: no time. */
async function readDueBefore(request: Request): Promise<number | undefined> {
  const text = await request.text();
  if (text === '') return undefined;
  const { due_before: dueBefore } = JSON.parse(text) as { due_before?: unknown };
  if (dueBefore === undefined) return undefined;
  return typeof dueBefore === 'string' ? Date.parse(dueBefore) : Number.NaN;
}

function answer(status: number, body: object): Response {
  return Response.json(body, { status });
}
