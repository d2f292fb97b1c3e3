import * as z from 'zod/mini';
import { leasedItemSchema, queuedItemSchema } from '../mail/queued-mail.ts';

export const queuedPushMessageSchema = z.readonly(
  z.object({
    id: z.string(),
    lease: z.string(),
    endpoint: z.string(),
    p256dh: z.string(),
    auth: z.string(),
    /** BCP 47. */
    language: z.string(),
    newest: queuedItemSchema,
    /** All notifications that the message is about. */
    item_count: z.number(),
    /** All unread notifications, for the badge of the application. */
    unread_count: z.number(),
  }),
);

export const claimedPushMessagesSchema = z.readonly(
  z.object({
    /** The number of claimed items, including skipped ones: fewer than the batch means that nothing else is due. */
    claimed: z.number(),
    messages: z.readonly(z.array(leasedItemSchema)),
  }),
);

/** A push message that `claim_push_messages` leased to this worker. */
export type QueuedPushMessage = z.infer<typeof queuedPushMessageSchema>;
