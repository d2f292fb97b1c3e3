import * as z from 'zod/mini';
import { createAcknowledgments } from '../runtime/acknowledge.ts';
import { drainQueue } from '../runtime/drain-queue.ts';
import type { SendingReport } from '../runtime/drain-queue.ts';
import type { WorkerOptions } from '../runtime/serve-worker.ts';
import type { WebhookTransport } from './webhook-transport.ts';

export interface SendDueWebhooksOptions extends WorkerOptions {
  readonly transport: WebhookTransport;
}

const claimedSchema = z.object({
  /** The number of claimed items, including skipped ones: fewer than the batch means that nothing else is due. */
  claimed: z.number(),
  webhooks: z.array(
    z.object({ id: z.string(), lease: z.string(), url: z.string(), secret: z.string(), body: z.string() }),
  ),
});

const batchSize = 50;
/** The longest time that the platform lets a run last: afterwards another run may send what this one has not acknowledged. */
const leaseSeconds = 150;
const sentAtOnce = 10;
const maxWebhooks = 500;

/** Claims, signs, sends and acknowledges until nothing is due. Several workers may run at once. */
export function sendDueWebhooks(options: SendDueWebhooksOptions): Promise<SendingReport> {
  const { callDatabase, now, stopAtMs, log, transport, startNext } = options;
  const { acknowledge, hasFailed } = createAcknowledgments(options);
  const calledAt = () => new Date(now()).toISOString();
  return drainQueue({
    batchSize,
    sentAtOnce,
    maxItems: maxWebhooks,
    mayClaim: () => performance.now() < stopAtMs && !hasFailed(),
    isClosed: hasFailed,
    startNext,
    async claim() {
      const { claimed, webhooks } = await callDatabase(
        'claim_webhooks',
        { batch_size: batchSize, lease_seconds: leaseSeconds, called_at: calledAt() },
        claimedSchema,
      );
      return { claimed, items: webhooks };
    },
    async send(webhook) {
      const result = await transport.send(webhook);
      const failure = result.outcome === 'sent' ? null : result;
      if (failure) log.report('webhook_failed', { webhook_id: webhook.id, reason: failure.reason });
      const isAcknowledged = await acknowledge('finish_webhook', {
        webhook_id: webhook.id,
        lease: webhook.lease,
        outcome: result.outcome,
        reason: failure?.reason ?? null,
        retry_seconds: failure?.retrySeconds ?? null,
        called_at: calledAt(),
      });
      return isAcknowledged && failure === null;
    },
  });
}
