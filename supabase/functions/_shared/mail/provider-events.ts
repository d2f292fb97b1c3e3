import * as z from 'zod/mini';
import { parseRequestJson } from '../runtime/parse.ts';

/** What a provider's event means: addresses that get no more mail. */
export interface Suppression {
  readonly reason: 'bounce' | 'complaint';
  readonly addresses: readonly string[];
  readonly detail: string | null;
}

/** What an event asks for; null: nothing, as a delivery, or the transient bounce of a full mailbox. */
export type ProviderEvent = Suppression | { readonly confirmUrl: string } | null;

const texts = z.array(z.string());

/** @see https://resend.com/docs/webhooks/emails/bounced */
const resendSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('email.complained'), data: z.object({ to: texts }) }),
  z.object({
    type: z.literal('email.bounced'),
    data: z.object({
      to: texts,
      bounce: z.optional(z.object({ type: z.optional(z.string()), message: z.optional(z.string()) })),
    }),
  }),
]);

/** @see https://postmarkapp.com/developer/webhooks/bounce-webhook */
const postmarkSchema = z.object({
  RecordType: z.string(),
  Email: z.string(),
  /** Whether Postmark itself sends no more to the address, after a hard bounce. */
  Inactive: z.optional(z.boolean()),
  Description: z.optional(z.string()),
});

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html */
const snsSchema = z.object({
  Type: z.string(),
  Message: z.string(),
  SubscribeURL: z.optional(z.string()),
});

const recipients = z.array(z.object({ emailAddress: z.string(), diagnosticCode: z.optional(z.string()) }));

/** @see https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html */
const sesSchema = z.object({
  /** `eventType` where a configuration set publishes the events. */
  notificationType: z.optional(z.string()),
  eventType: z.optional(z.string()),
  bounce: z.optional(z.object({ bounceType: z.string(), bouncedRecipients: recipients })),
  complaint: z.optional(z.object({ complainedRecipients: recipients })),
});

/** Where a topic of SNS is confirmed: at the service itself, or a forged message would make the function call any address. */
const snsUrl = /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?\//;

const shapeSchema = z.object({
  type: z.optional(z.string()),
  RecordType: z.optional(z.string()),
  Type: z.optional(z.string()),
});

/** Reads an event of Resend, Postmark, or SES by way of SNS. @throws {RequestError} where it has another shape. */
export function parseProviderEvent(body: string): ProviderEvent {
  const { type, RecordType: recordType, Type: snsType } = parseRequestJson(shapeSchema, body);
  if (recordType !== undefined) return readPostmark(body);
  if (snsType !== undefined) return readSns(body);
  return type === 'email.bounced' || type === 'email.complained' ? readResend(body) : null;
}

function readResend(body: string): ProviderEvent {
  const { type, data } = parseRequestJson(resendSchema, body);
  if (type === 'email.complained') return { reason: 'complaint', addresses: data.to, detail: null };
  if (data.bounce?.type === 'Transient') return null;
  return { reason: 'bounce', addresses: data.to, detail: data.bounce?.message ?? null };
}

function readPostmark(body: string): ProviderEvent {
  const {
    RecordType: type,
    Email: address,
    Inactive,
    Description = null,
  } = parseRequestJson(postmarkSchema, body);
  if (type === 'SpamComplaint') return { reason: 'complaint', addresses: [address], detail: Description };
  if (type !== 'Bounce' || Inactive !== true) return null;
  return { reason: 'bounce', addresses: [address], detail: Description };
}

function readSns(body: string): ProviderEvent {
  const { Type: type, Message: message, SubscribeURL: confirmUrl = '' } = parseRequestJson(snsSchema, body);
  if (type === 'SubscriptionConfirmation') return snsUrl.test(confirmUrl) ? { confirmUrl } : null;
  if (type !== 'Notification') return null;
  const { notificationType, eventType, bounce, complaint } = parseRequestJson(sesSchema, message);
  const of = (list: z.infer<typeof recipients>) => list.map(({ emailAddress }) => emailAddress);
  const kind = notificationType ?? eventType;
  if (kind === 'Complaint' && complaint)
    return { reason: 'complaint', addresses: of(complaint.complainedRecipients), detail: null };
  if (kind !== 'Bounce' || bounce?.bounceType !== 'Permanent') return null;
  const [first] = bounce.bouncedRecipients;
  return { reason: 'bounce', addresses: of(bounce.bouncedRecipients), detail: first?.diagnosticCode ?? null };
}
