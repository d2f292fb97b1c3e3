import * as z from 'zod/mini';
import { parseRequestJson } from '../runtime/parse.ts';
import { isAboutSomethingElse } from './smtp-responses.ts';

/** The addresses that a provider's event suppresses. */
export interface Suppression {
  readonly reason: 'bounce' | 'complaint';
  readonly addresses: readonly string[];
  readonly detail: string | null;
}

/** The effect of an event; null: none, as for a delivery, or the transient bounce of a full mailbox. */
export type ProviderEvent = Suppression | { readonly confirmUrl: string } | null;

const texts = z.array(z.string());

/** @see https://resend.com/docs/webhooks/emails/bounced */
const resendSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('email.complained'), data: z.object({ to: texts }) }),
  z.object({
    type: z.literal('email.bounced'),
    data: z.object({
      to: texts,
      bounce: z.optional(
        z.object({
          type: z.optional(z.string()),
          message: z.optional(z.string()),
          diagnosticCode: z.optional(texts),
        }),
      ),
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
  /** https://postmarkapp.com/developer/api/bounce-api#bounce-types */
  Type: z.optional(z.string()),
  /** The response of the recipient's server. */
  Details: z.optional(z.string()),
});

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html */
const snsSchema = z.object({
  Type: z.string(),
  Message: z.string(),
  SubscribeURL: z.optional(z.string()),
});

const recipients = z.array(
  z.object({
    emailAddress: z.string(),
    /** The enhanced code of the bounce (RFC 3464), such as `5.1.1`. */
    status: z.optional(z.string()),
    diagnosticCode: z.optional(z.string()),
  }),
);

/** @see https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html */
const sesSchema = z.object({
  /** `eventType` where a configuration set publishes the events. */
  notificationType: z.optional(z.string()),
  eventType: z.optional(z.string()),
  bounce: z.optional(z.object({ bounceType: z.string(), bouncedRecipients: recipients })),
  complaint: z.optional(
    z.object({
      complainedRecipients: recipients,
      /** The type of the report (RFC 5965); missing in reports of the usual type, and without a report. */
      complaintFeedbackType: z.nullish(z.string()),
    }),
  ),
});

/** Reports that complain of nothing: the recipient took the mail out of the spam folder (RFC 6430), or its signature failed (RFC 6591). */
const otherReports: ReadonlySet<string> = new Set(['not-spam', 'auth-failure']);

/** Postmark's bounces that are about the address; others are about spam, policy or the account. */
const addressBounces: ReadonlySet<string> = new Set(['HardBounce', 'BadEmailAddress']);

/** URLs at which SNS topics are confirmed: only the service's own, because a forged message could name any URL. */
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
  const { type: bounceType = 'Permanent', message = null, diagnosticCode = [] } = data.bounce ?? {};
  if (bounceType !== 'Permanent' || isAboutSomethingElse(diagnosticCode.join(' '))) return null;
  return { reason: 'bounce', addresses: data.to, detail: message };
}

function readPostmark(body: string): ProviderEvent {
  const {
    RecordType: type,
    Email: address,
    Inactive,
    Description = null,
    Type: bounceType = 'HardBounce',
    Details = '',
  } = parseRequestJson(postmarkSchema, body);
  if (type === 'SpamComplaint') return { reason: 'complaint', addresses: [address], detail: Description };
  if (type !== 'Bounce' || Inactive !== true || !addressBounces.has(bounceType)) return null;
  if (isAboutSomethingElse(Details)) return null;
  return { reason: 'bounce', addresses: [address], detail: Description };
}

function readSns(body: string): ProviderEvent {
  const { Type: type, Message: message, SubscribeURL: confirmUrl = '' } = parseRequestJson(snsSchema, body);
  if (type === 'SubscriptionConfirmation') return snsUrl.test(confirmUrl) ? { confirmUrl } : null;
  if (type !== 'Notification') return null;
  const { notificationType, eventType, bounce, complaint } = parseRequestJson(sesSchema, message);
  const addressesOf = (list: z.infer<typeof recipients>) => list.map(({ emailAddress }) => emailAddress);
  const kind = notificationType ?? eventType;
  if (kind === 'Complaint' && complaint && !otherReports.has(complaint.complaintFeedbackType ?? 'abuse'))
    return { reason: 'complaint', addresses: addressesOf(complaint.complainedRecipients), detail: null };
  if (kind !== 'Bounce' || bounce?.bounceType !== 'Permanent') return null;
  const bounced = bounce.bouncedRecipients.filter(
    ({ status = '', diagnosticCode = '' }) => !isAboutSomethingElse(`${status} ${diagnosticCode}`),
  );
  const [first] = bounced;
  return first
    ? { reason: 'bounce', addresses: addressesOf(bounced), detail: first.diagnosticCode ?? null }
    : null;
}
