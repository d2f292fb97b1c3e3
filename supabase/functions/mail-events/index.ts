/**
 * The webhook of the mail provider (Resend, Postmark, or SES by way of SNS): hard bounces and complaints suppress their addresses.
 *
 * Environment: MAIL_WEBHOOK_SECRET, the signing secret that Resend shows (`whsec_…`); or MAIL_WEBHOOK_PASSWORD, a random text of your
 * own, where the provider signs nothing and has it in the URL instead: `https://events:<password>@<ref>.supabase.co/functions/v1/mail-events`.
 */
import { Buffer } from 'node:buffer';
import * as z from 'zod/mini';
import { parseProviderEvent } from '../_shared/mail/provider-events.ts';
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { errorResponse, reportToOperator, serveFunction } from '../_shared/runtime/runtime.ts';
import type { Environment } from '../_shared/runtime/runtime.ts';
import { isEqual } from '../_shared/runtime/service-keys.ts';
import { isSignedWebhook } from '../_shared/runtime/webhook-signature.ts';

export default serveFunction({ methods: ['POST'] }, async (request, runtime) => {
  const body = await request.text();
  if (!isOfProvider(request, body, runtime.env, runtime.now()))
    return errorResponse(401, 'signature_invalid', 'The signature or the password is not valid');
  const event = parseProviderEvent(body);
  if (event === null) return Response.json({ suppressed: 0 });
  if ('confirmUrl' in event) {
    const { ok } = await runtime.fetch(event.confirmUrl);
    return ok
      ? Response.json({ suppressed: 0 })
      : errorResponse(502, 'confirmation_failed', 'The topic could not be confirmed');
  }
  const { addresses, reason, detail } = event;
  const callDatabase = createDatabaseCaller(runtime);
  for (const address of addresses)
    await callDatabase('suppress_mail_address', { address, reason, detail }, z.null());
  return Response.json({ suppressed: addresses.length });
});

/** Without a secret and a password no request is accepted. */
function isOfProvider(request: Request, body: string, env: Environment, nowMs: number): boolean {
  const password = env['MAIL_WEBHOOK_PASSWORD'];
  const [, credentials = ''] = /^basic +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  const [, ...given] = Buffer.from(credentials, 'base64').toString().split(':');
  if (password && isEqual(given.join(':'), password)) return true;
  const secret = env['MAIL_WEBHOOK_SECRET'];
  if (!password && !secret)
    reportToOperator('mail-events needs MAIL_WEBHOOK_SECRET or MAIL_WEBHOOK_PASSWORD');
  return secret ? isSignedWebhook(request.headers, body, secret, nowMs) : false;
}
