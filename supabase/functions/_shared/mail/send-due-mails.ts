import { createAcknowledgments } from '../runtime/acknowledge.ts';
import type { Acknowledgments } from '../runtime/acknowledge.ts';
import { drainQueue } from '../runtime/drain-queue.ts';
import type { SendingReport } from '../runtime/drain-queue.ts';
import { messageOf } from '../runtime/failure-log.ts';
import type { WorkerOptions } from '../runtime/serve-worker.ts';
import { parseResponse } from '../runtime/parse.ts';
import { MailTransportError } from './mail-transport.ts';
import type { MailRefusal, MailTransport } from './mail-transport.ts';
import { claimedMailsSchema, queuedMailSchema } from './queued-mail.ts';
import type { LeasedItem } from './queued-mail.ts';
import { createRateGate } from './rate-gate.ts';
import type { RateGate } from './rate-gate.ts';
import { renderMail } from './render-mail.ts';
import type { MailSettings } from './render-mail.ts';

export interface SendDueMailsOptions extends WorkerOptions {
  readonly transport: MailTransport;
  readonly settings: MailSettings;
  /** Also sends mails that are due until then. Default: only what is due now. */
  readonly dueBeforeMs?: number | undefined;
}

const batchSize = 50;
/** The longest time that the platform lets a run last: afterwards another run may send what this one has not acknowledged. */
const leaseSeconds = 150;
const sentAtOnce = 5;
const maxMails = 500;

type Outcome = 'sent' | 'failed' | 'delayed' | 'held' | 'refused' | 'rejected';
const outcomes: Readonly<Record<Exclude<MailRefusal, 'unavailable'>, Outcome>> = {
  held: 'held',
  temporary: 'failed',
  refused: 'refused',
  'unknown-address': 'rejected',
};

/** Claims, renders, sends and acknowledges until nothing is due. Several workers may run at once. */
export function sendDueMails(options: SendDueMailsOptions): Promise<SendingReport> {
  const { callDatabase, now, dueBeforeMs } = options;
  const gate = createRateGate(options);
  const acknowledgments = createAcknowledgments(options);
  return drainQueue({
    batchSize,
    sentAtOnce,
    maxItems: maxMails,
    mayClaim: () => gate.closure() === null && !acknowledgments.hasFailed(),
    isClosed: () => (gate.closure()?.forMs ?? 0) > 0 || acknowledgments.hasFailed(),
    startNext: options.startNext,
    async claim() {
      const { claimed, mails } = await callDatabase(
        'claim_notification_mails',
        {
          batch_size: batchSize,
          lease_seconds: leaseSeconds,
          called_at: toTimestamp(now()),
          due_before: dueBeforeMs === undefined ? null : toTimestamp(dueBeforeMs),
        },
        claimedMailsSchema,
      );
      return { claimed, items: mails };
    },
    send: (mail) => sendOne(mail, gate, acknowledgments, options),
  });
}

/** Sends and acknowledges a mail. Returns whether it was sent and acknowledged. */
async function sendOne(
  mail: LeasedItem,
  gate: RateGate,
  { acknowledge }: Acknowledgments,
  options: SendDueMailsOptions,
): Promise<boolean> {
  const finish = async (outcome: Outcome, reason: string | null, retryAfterMs = 0) => {
    if (outcome !== 'sent' && outcome !== 'delayed')
      options.log.report('mail_failed', { mail_id: mail.id, outcome, reason });
    const isAcknowledged = await acknowledge('finish_notification_mail', {
      mail_id: mail.id,
      lease: mail.lease,
      outcome,
      reason,
      called_at: toTimestamp(options.now()),
      retry_after_seconds: retryAfterMs / 1000,
    });
    return isAcknowledged && outcome === 'sent';
  };
  for (;;) {
    const closure = await gate.pass();
    if (closure !== null) return finish('delayed', closure.reason, closure.forMs);
    const problem = await trySending(mail, options);
    if (problem?.refusal === 'held') gate.hold(problem.retryAfterMs, problem.message);
    else if (problem?.refusal !== 'unavailable') gate.open();
    if (problem === null) return finish('sent', null);
    if (problem.refusal !== 'unavailable')
      return finish(outcomes[problem.refusal], problem.message, problem.retryAfterMs);
    options.log.report('provider_unavailable', { mail_id: mail.id, reason: problem.message });
    gate.limit(problem.retryAfterMs, problem.message);
  }
}

/** A mail that cannot be read or rendered fails by itself, as one that the provider does not accept. */
async function trySending(
  mail: LeasedItem,
  { transport, settings }: SendDueMailsOptions,
): Promise<MailTransportError | null> {
  try {
    await transport.send(
      renderMail(parseResponse(queuedMailSchema, 'claim_notification_mails', mail), settings),
    );
    return null;
  } catch (problem) {
    if (problem instanceof MailTransportError) return problem;
    const message = messageOf(problem);
    return new MailTransportError(message, 'temporary', { cause: problem });
  }
}

function toTimestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
