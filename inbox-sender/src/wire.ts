import type { Delivery, Message, MessageStatus } from './message.ts';

/**
 * A message in the form of public.send_notifications(). Unknown fields are kept, so that the database's error names them.
 */
export function encodeMessage({
  sendAt,
  expiresAt,
  idempotencyKey,
  sender,
  ...message
}: Message): Record<string, unknown> {
  return {
    ...message,
    ...(sender && { sender: encodeSender(sender) }),
    ...(sendAt && { send_at: sendAt instanceof Date ? sendAt.toISOString() : encodeLocalTime(sendAt) }),
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
    idempotency_key: idempotencyKey ?? crypto.randomUUID(),
  };
}

function encodeLocalTime({ localTime, ...unknown }: { readonly localTime: string }) {
  return { ...unknown, local_time: localTime };
}

function encodeSender({ userId, ...sender }: { readonly userId?: string; readonly name?: string }) {
  return userId === undefined ? sender : { ...sender, user_id: userId };
}

/** What public.message_status() returns. */
interface WireStatus {
  readonly id: string;
  readonly idempotency_key: string | null;
  readonly state: MessageStatus['state'];
  readonly send_at: string;
  readonly local_time: string | null;
  readonly expires_at: string | null;
  readonly counts: MessageStatus['counts'];
  readonly deliveries: readonly WireDelivery[];
}

interface WireDelivery {
  readonly recipient_id: string;
  readonly outcome: Delivery['outcome'];
  readonly reason?: string;
  readonly notification_id?: string;
  readonly channels?: Delivery['channels'];
  readonly quiet_until?: string;
  readonly mail_state?: string;
}

/** What public.send_notifications() returns for a dry run. */
interface WireDryRun {
  readonly recipient_count: number | null;
  readonly deliveries: readonly WireDelivery[];
  readonly content: unknown;
  readonly words: unknown;
}

export function decodeStatus(response: unknown): MessageStatus {
  const wire = response as WireStatus;
  return {
    id: wire.id,
    idempotencyKey: wire.idempotency_key,
    state: wire.state,
    sendAt: new Date(wire.send_at),
    localTime: wire.local_time,
    expiresAt: wire.expires_at === null ? null : new Date(wire.expires_at),
    counts: wire.counts,
    deliveries: wire.deliveries.map(decodeDelivery),
  };
}

export function decodeDryRun(response: unknown) {
  const [{ recipient_count: recipientCount, deliveries, content, words }] = response as readonly [WireDryRun];
  return { recipientCount, deliveries: deliveries.map(decodeDelivery), preview: { content, words } };
}

function decodeDelivery(delivery: WireDelivery): Delivery {
  return {
    recipientId: delivery.recipient_id,
    outcome: delivery.outcome,
    ...(delivery.reason !== undefined && { reason: delivery.reason }),
    ...(delivery.notification_id !== undefined && { notificationId: delivery.notification_id }),
    ...(delivery.channels && { channels: delivery.channels }),
    ...(delivery.quiet_until !== undefined && { quietUntil: new Date(delivery.quiet_until) }),
    ...(delivery.mail_state !== undefined && { mailState: delivery.mail_state }),
  };
}
