/**
 * The webhook of the mail provider (Resend): hard bounces and complaints suppress their addresses.
 *
 * Environment: MAIL_WEBHOOK_SECRET, the signing secret that the provider shows (`whsec_…`).
 */
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { MissingSettingError, requireSetting, serveFunction } from '../_shared/runtime/runtime.ts';
import { isSignedWebhook } from '../_shared/runtime/webhook-signature.ts';

interface MailEvent {
  readonly type?: string;
  readonly data?: {
    readonly to?: readonly string[];
    readonly bounce?: { readonly type?: string; readonly message?: string };
  };
}

export default serveFunction(async (request, runtime) => {
  if (request.method !== 'POST') return Response.json({ message: 'Only POST is allowed' }, { status: 405 });
  try {
    const secret = requireSetting(runtime.env, 'MAIL_WEBHOOK_SECRET');
    const body = await request.text();
    if (!isSignedWebhook(request.headers, body, secret, runtime.now()))
      return Response.json({ message: 'The signature is not valid' }, { status: 401 });
    const event = JSON.parse(body) as MailEvent;
    const reason = suppressionReason(event);
    const addresses = reason === null ? [] : (event.data?.to ?? []);
    const callDatabase = createDatabaseCaller(runtime);
    for (const address of addresses)
      await callDatabase('suppress_mail_address', {
        address,
        reason,
        detail: event.data?.bounce?.message ?? null,
      });
    return Response.json({ suppressed: addresses.length });
  } catch (problem) {
    if (problem instanceof MissingSettingError)
      return Response.json({ message: problem.message }, { status: 500 });
    throw problem;
  }
});

/** A transient bounce (a full mailbox) suppresses nothing. */
function suppressionReason({ type, data }: MailEvent): 'bounce' | 'complaint' | null {
  if (type === 'email.complained') return 'complaint';
  return type === 'email.bounced' && data?.bounce?.type !== 'Transient' ? 'bounce' : null;
}
