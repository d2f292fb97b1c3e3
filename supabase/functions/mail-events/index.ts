/**
 * The webhook of the mail provider (Resend): hard bounces and complaints suppress their addresses.
 *
 * Environment: MAIL_WEBHOOK_SECRET, the signing secret that the provider shows (`whsec_…`).
 */
import * as z from 'zod/mini';
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { parseRequestJson } from '../_shared/runtime/parse.ts';
import { answerError, requireSetting, serveFunction } from '../_shared/runtime/runtime.ts';
import { isSignedWebhook } from '../_shared/runtime/webhook-signature.ts';

/** Events of other types are answered and change nothing. */
const eventSchema = z.object({ type: z.string() });
const addresses = z.array(z.string());
const suppressionSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('email.complained'), data: z.object({ to: addresses }) }),
  z.object({
    type: z.literal('email.bounced'),
    data: z.object({
      to: addresses,
      bounce: z.optional(z.object({ type: z.optional(z.string()), message: z.optional(z.string()) })),
    }),
  }),
]);
const suppressingTypes: ReadonlySet<string> = new Set(['email.complained', 'email.bounced']);

interface Suppression {
  readonly reason: 'bounce' | 'complaint';
  readonly addresses: readonly string[];
  readonly detail: string | null;
}

export default serveFunction({ methods: ['POST'] }, async (request, runtime) => {
  const secret = requireSetting(runtime.env, 'MAIL_WEBHOOK_SECRET');
  const body = await request.text();
  if (!isSignedWebhook(request.headers, body, secret, runtime.now()))
    return answerError(401, 'signature_invalid', 'The signature is not valid');
  const suppression = readSuppression(body);
  if (suppression === null) return Response.json({ suppressed: 0 });
  const callDatabase = createDatabaseCaller(runtime);
  for (const address of suppression.addresses)
    await callDatabase(
      'suppress_mail_address',
      { address, reason: suppression.reason, detail: suppression.detail },
      z.null(),
    );
  return Response.json({ suppressed: suppression.addresses.length });
});

/** Null: the event suppresses nothing. A transient bounce, of a full mailbox, is such an event. */
function readSuppression(body: string): Suppression | null {
  if (!suppressingTypes.has(parseRequestJson(eventSchema, body).type)) return null;
  const { type, data } = parseRequestJson(suppressionSchema, body);
  if (type === 'email.complained') return { reason: 'complaint', addresses: data.to, detail: null };
  if (data.bounce?.type === 'Transient') return null;
  return { reason: 'bounce', addresses: data.to, detail: data.bounce?.message ?? null };
}
