import * as z from 'zod/mini';
import type { CallDatabase } from '../runtime/database-functions.ts';
import type { PushTransport } from './push-transport.ts';
import { claimedPushMessagesSchema } from './queued-push-message.ts';
import type { QueuedPushMessage } from './queued-push-message.ts';
import { renderPush } from './render-push.ts';

export interface SendDuePushMessagesOptions {
  readonly callDatabase: CallDatabase;
  readonly transport: PushTransport;
  readonly now: () => number;
  /** No batch is claimed after this time of `performance.now()`: functions have a time limit. */
  readonly stopAtMs: number;
}

export interface PushReport {
  readonly sent: number;
  readonly failed: number;
  /** Due, and not sent because nothing is unread, the session has ended or the recipient's hours are quiet. */
  readonly skipped: number;
}

const batchSize = 100;
const leaseSeconds = 60;
const sentAtOnce = 10;

/** Claims, encrypts, sends and acknowledges until nothing is due. Several workers may run at once. */
export async function sendDuePushMessages(options: SendDuePushMessagesOptions): Promise<PushReport> {
  const { callDatabase, now, stopAtMs } = options;
  let report: PushReport = { sent: 0, failed: 0, skipped: 0 };
  let claimed = batchSize;
  while (claimed >= batchSize && performance.now() < stopAtMs) {
    const batch = await callDatabase(
      'claim_push_messages',
      {
        batch_size: batchSize,
        lease_seconds: leaseSeconds,
        called_at: new Date(now()).toISOString(),
      },
      claimedPushMessagesSchema,
    );
    claimed = batch.claimed;
    const sent = await sendAll(batch.messages, options);
    report = {
      sent: report.sent + sent,
      failed: report.failed + batch.messages.length - sent,
      skipped: report.skipped + claimed - batch.messages.length,
    };
  }
  return report;
}

/** Returns how many were sent. */
async function sendAll(
  messages: readonly QueuedPushMessage[],
  options: SendDuePushMessagesOptions,
): Promise<number> {
  const waiting = [...messages];
  let sent = 0;
  const work = async () => {
    for (let message = waiting.shift(); message; message = waiting.shift()) {
      if (await sendOne(message, options)) sent += 1;
    }
  };
  await Promise.all(Array.from({ length: sentAtOnce }, work));
  return sent;
}

async function sendOne(
  message: QueuedPushMessage,
  { callDatabase, transport, now }: SendDuePushMessagesOptions,
): Promise<boolean> {
  const result = await transport.send(message, JSON.stringify(renderPush(message)));
  await callDatabase(
    'finish_push_message',
    {
      message_id: message.id,
      lease: message.lease,
      outcome: result.outcome,
      reason: 'reason' in result ? result.reason : null,
      retry_seconds: 'retrySeconds' in result ? result.retrySeconds : null,
      called_at: new Date(now()).toISOString(),
    },
    z.boolean(),
  );
  return result.outcome === 'sent';
}
