import * as z from 'zod/mini';

/** How a notification of a registered kind is worded; the templates' title and text are null without one. */
export const itemWordsSchema = z.object({
  label: z.string(),
  title: z.nullable(z.string()),
  text: z.nullable(z.string()),
});

export const queuedItemSchema = z.readonly(
  z.object({
    id: z.string(),
    kind: z.string(),
    /** The decoded content; null where it is not JSON. */
    content: z.unknown(),
    /** ISO 8601. */
    created_at: z.string(),
    /** How many events of its thread the item represents: itself, the newest, and earlier ones. Default 1. */
    count: z.optional(z.number()),
    /** Whether the inbox lists it. A kind that is off in the app is mailed only. */
    is_in_inbox: z.boolean(),
    /** The words of a kind that the team registered, in the recipient's language. */
    words: z.optional(z.nullable(itemWordsSchema)),
  }),
);

const securityEventSchema = z.readonly(
  z.object({
    kind: z.enum([
      'new_device',
      'recovery_code_used',
      'recovery_codes_created',
      'passkey_added',
      'passkey_removed',
    ]),
    detail: z.object({
      user_agent: z.optional(z.string()),
      ip: z.optional(z.string()),
      name: z.nullish(z.string()),
    }),
    /** ISO 8601. */
    created_at: z.string(),
  }),
);

export const queuedMailSchema = z.readonly(
  z.object({
    id: z.string(),
    lease: z.string(),
    /** `digest`, `test`, `security:<event>`, `invitation:<id>`, or the thread of an instant mail. */
    topic: z.string(),
    /** The same for every mail to this recipient about this topic. */
    thread_id: z.string(),
    due_at: z.string(),
    address: z.string(),
    name: z.string(),
    /** BCP 47. */
    language: z.string(),
    /** IANA name, known to the database. */
    time_zone: z.string(),
    frequency: z.string(),
    /** Newest first, at most 50; in a digest one for each thread. */
    items: z.readonly(z.array(queuedItemSchema)),
    /** All events that the mail is about, also those beyond `items`. */
    item_count: z.number(),
    /** Null: the mail is about notifications, or a test. */
    security_event: z.nullable(securityEventSchema),
    unsubscribe_token: z.string(),
  }),
);

/**
 * What a worker needs to acknowledge an item. The rest is read with each item: one that cannot be read does not stop the
 * others.
 */
export const leasedItemSchema = z.readonly(z.looseObject({ id: z.string(), lease: z.string() }));

export const claimedMailsSchema = z.readonly(
  z.object({
    /** Leased mails, with those that were skipped: fewer than the batch means that nothing else is due. */
    claimed: z.number(),
    mails: z.readonly(z.array(leasedItemSchema)),
  }),
);

export type QueuedItem = z.infer<typeof queuedItemSchema>;
/** What a mail about the safety of an account reports. */
export type SecurityEvent = z.infer<typeof securityEventSchema>;
/** A mail or push message that is leased to this worker, before it is read. */
export type LeasedItem = z.infer<typeof leasedItemSchema>;
/** A mail that `claim_notification_mails` leased to this worker. */
export type QueuedMail = z.infer<typeof queuedMailSchema>;
