import { createAcknowledgments } from '../runtime/acknowledge.ts';
import { drainQueue } from '../runtime/drain-queue.ts';
import type { SendingReport } from '../runtime/drain-queue.ts';
import { messageOf } from '../runtime/failure-log.ts';
import type { WorkerOptions } from '../runtime/serve-worker.ts';
import { parseResponse } from '../runtime/parse.ts';
import type { LeasedItem } from '../mail/queued-mail.ts';
import type { PushOutcome, PushTransport } from './push-transport.ts';
import { claimedPushMessagesSchema, queuedPushMessageSchema } from './queued-push-message.ts';
import { renderPush } from './render-push.ts';

export interface SendDuePushMessagesOptions extends WorkerOptions {
  readonly transport: PushTransport;
}

const batchSize = 100;
/** The longest time that the platform lets a run last: afterwards another run may send what this one has not acknowledged. */
const leaseSeconds = 150;
const sentAtOnce = 10;
const maxMessages = 500;

/** Claims, encrypts, sends and acknowledges until nothing is due. Several workers may run at once. */
export function sendDuePushMessages(options: SendDuePushMessagesOptions): Promise<SendingReport> {
  const { callDatabase, now, stopAtMs, log, startNext } = options;
  const { acknowledge, hasFailed } = createAcknowledgments(options);
  const calledAt = () => new Date(now()).toISOString();
  return drainQueue({
    batchSize,
    sentAtOnce,
    maxItems: maxMessages,
    mayClaim: () => performance.now() < stopAtMs && !hasFailed(),
    isClosed: hasFailed,
    startNext,
    async claim() {
      const { claimed, messages } = await callDatabase(
        'claim_push_messages',
        { batch_size: batchSize, lease_seconds: leaseSeconds, called_at: calledAt() },
        claimedPushMessagesSchema,
      );
      return { claimed, items: messages };
    },
    async send(message) {
      const result = await trySending(message, options);
      const reason = 'reason' in result ? result.reason : null;
      if (reason !== null)
        log.report('push_failed', { message_id: message.id, outcome: result.outcome, reason });
      const isAcknowledged = await acknowledge('finish_push_message', {
        message_id: message.id,
        lease: message.lease,
        outcome: result.outcome,
        reason,
        retry_seconds: 'retrySeconds' in result ? result.retrySeconds : null,
        called_at: calledAt(),
      });
      return isAcknowledged && result.outcome === 'sent';
    },
  });
}

/** A message that cannot be read or rendered fails by itself, as one that the push service does not accept. */
async function trySending(
  message: LeasedItem,
  { transport }: SendDuePushMessagesOptions,
): Promise<PushOutcome> {
  try {
    const queued = parseResponse(queuedPushMessageSchema, 'claim_push_messages', message);
    return await transport.send(queued, JSON.stringify(renderPush(queued)));
  } catch (problem) {
    const reason = messageOf(problem);
    return { outcome: 'failed', reason, retrySeconds: null };
  }
}
