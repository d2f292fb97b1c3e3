import * as z from 'zod/mini';
import type { CallDatabase } from '../runtime/database-functions.ts';
import { MailTransportError } from './mail-transport.ts';
import type { MailRefusal, MailTransport } from './mail-transport.ts';
import { claimedMailsSchema } from './queued-mail.ts';
import type { QueuedMail } from './queued-mail.ts';
import { createRateGate } from './rate-gate.ts';
import type { RateGate } from './rate-gate.ts';
import { renderMail } from './render-mail.ts';
import type { MailSettings } from './render-mail.ts';

export interface SendDueMailsOptions {
  readonly callDatabase: CallDatabase;
  readonly transport: MailTransport;
  readonly settings: MailSettings;
  readonly now: () => number;
  /** Also sends mails that are due until then. Default: only what is due now. */
  readonly dueBeforeMs?: number | undefined;
  /** No batch is claimed after this time of `performance.now()`: functions have a time limit. */
  readonly stopAtMs: number;
  /** Waits so many milliseconds. */
  readonly wait: (durationMs: number) => Promise<void>;
}

export interface SendingReport {
  readonly sent: number;
  /** Not accepted: due again later, or dead. */
  readonly failed: number;
  /** Claimed, and not sent: nothing is unread, the address gets no mail, or quiet hours delay it. */
  readonly skipped: number;
}

const batchSize = 50;
const leaseSeconds = 120;
const sentAtOnce = 5;
/** A mail is not sent this close to the end of its lease: another worker would send it too. */
const leaseMarginMs = 30_000;

type Outcome = 'sent' | 'failed' | 'delayed' | 'refused' | 'rejected';
const outcomes: Readonly<Record<Exclude<MailRefusal, 'rate-limited'>, Outcome>> = {
  temporary: 'failed',
  refused: 'refused',
  'unknown-address': 'rejected',
};

/** Claims, renders, sends and acknowledges until nothing is due. Several workers may run at once. */
export async function sendDueMails(options: SendDueMailsOptions): Promise<SendingReport> {
  const { callDatabase, now, dueBeforeMs, stopAtMs } = options;
  let report: SendingReport = { sent: 0, failed: 0, skipped: 0 };
  let claimed = batchSize;
  const gate = createRateGate(options);
  while (claimed >= batchSize && performance.now() < stopAtMs && gate.closedForMs() === null) {
    const batch = await callDatabase(
      'claim_notification_mails',
      {
        batch_size: batchSize,
        lease_seconds: leaseSeconds,
        called_at: toTimestamp(now()),
        due_before: dueBeforeMs === undefined ? null : toTimestamp(dueBeforeMs),
      },
      claimedMailsSchema,
    );
    claimed = batch.claimed;
    const sent = await sendAll(batch.mails, gate, options);
    report = {
      sent: report.sent + sent,
      failed: report.failed + batch.mails.length - sent,
      skipped: report.skipped + claimed - batch.mails.length,
    };
  }
  return report;
}

/** Returns how many were sent. */
async function sendAll(
  mails: readonly QueuedMail[],
  gate: RateGate,
  options: SendDueMailsOptions,
): Promise<number> {
  const waiting = [...mails];
  let sent = 0;
  const work = async () => {
    for (let mail = waiting.shift(); mail; mail = waiting.shift()) {
      if (await sendOne(mail, gate, options)) sent += 1;
    }
  };
  await Promise.all(Array.from({ length: sentAtOnce }, work));
  return sent;
}

/** Sends and acknowledges a mail. Returns whether it was sent. */
async function sendOne(mail: QueuedMail, gate: RateGate, options: SendDueMailsOptions): Promise<boolean> {
  const { callDatabase, now } = options;
  const acknowledge = async (outcome: Outcome, reason: string | null, retryAfterMs = 0) => {
    await callDatabase(
      'finish_notification_mail',
      {
        mail_id: mail.id,
        lease: mail.lease,
        outcome,
        reason,
        called_at: toTimestamp(now()),
        retry_after_seconds: retryAfterMs / 1000,
      },
      z.boolean(),
    );
    return outcome === 'sent';
  };
  for (;;) {
    const closedForMs = await gate.pass();
    if (closedForMs !== null) return acknowledge('delayed', 'The provider limits the rate.', closedForMs);
    if (now() > Date.parse(mail.lease_until) - leaseMarginMs)
      return acknowledge('delayed', 'The lease was about to end.');
    const problem = await trySending(mail, options);
    if (problem === null) return acknowledge('sent', null);
    if (problem.refusal !== 'rate-limited')
      return acknowledge(outcomes[problem.refusal], problem.message, problem.retryAfterMs);
    gate.limit(problem.retryAfterMs);
  }
}

async function trySending(
  mail: QueuedMail,
  { transport, settings }: SendDueMailsOptions,
): Promise<MailTransportError | null> {
  try {
    await transport.send(renderMail(mail, settings));
    return null;
  } catch (problem) {
    if (problem instanceof MailTransportError) return problem;
    const message = problem instanceof Error ? problem.message : String(problem);
    return new MailTransportError(message, 'temporary', { cause: problem });
  }
}

function toTimestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
