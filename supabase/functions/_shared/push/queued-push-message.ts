import type { QueuedItem } from '../mail/queued-mail.ts';
import type { PushSubscription } from './push-transport.ts';

/** A push message that `claim_push_messages` leased to this worker. */
export interface QueuedPushMessage extends PushSubscription {
  readonly id: string;
  readonly lease: string;
  /** ISO 8601. From then on another worker may claim the message. */
  readonly lease_until: string;
  /** BCP 47. */
  readonly language: string;
  readonly newest: QueuedItem;
  /** All notifications that the message is about. */
  readonly item_count: number;
  /** All unread notifications, for the badge of the application. */
  readonly unread_count: number;
}

export interface ClaimedPushMessages {
  /** With those that were skipped: fewer than the batch means that nothing else is due. */
  readonly claimed: number;
  readonly messages: readonly QueuedPushMessage[];
}
