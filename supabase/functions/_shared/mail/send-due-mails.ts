import type { CallDatabase } from '../runtime/database-functions.ts';
import { MailTransportError } from './mail-transport.ts';
import type { MailTransport } from './mail-transport.ts';
import type { ClaimedMails, QueuedMail } from './queued-mail.ts';
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
}

export interface SendingReport {
  readonly sent: number;
  readonly failed: number;
  /** Claimed, and not sent: nothing is unread, the address gets no mail, or quiet hours delay it. */
  readonly skipped: number;
}

const batchSize = 50;
const leaseSeconds = 120;
const sentAtOnce = 5;
/** A mail is not sent this close to the end of its lease: another worker would send it too. */
const leaseMarginMs = 30_000;

/** Claims, renders, sends and acknowledges until nothing is due. Several workers may run at once. */
export async function sendDueMails(options: SendDueMailsOptions): Promise<SendingReport> {
  const { callDatabase, now, dueBeforeMs, stopAtMs } = options;
  let report: SendingReport = { sent: 0, failed: 0, skipped: 0 };
  let claimed = batchSize;
  while (claimed >= batchSize && performance.now() < stopAtMs) {
    const batch = (await callDatabase('claim_notification_mails', {
      batch_size: batchSize,
      lease_seconds: leaseSeconds,
      called_at: toTimestamp(now()),
      due_before: dueBeforeMs === undefined ? null : toTimestamp(dueBeforeMs),
    })) as ClaimedMails;
    claimed = batch.claimed;
    const sent = await sendAll(batch.mails, options);
    report = {
      sent: report.sent + sent,
      failed: report.failed + batch.mails.length - sent,
      skipped: report.skipped + claimed - batch.mails.length,
    };
  }
  return report;
}

/** Returns how many were sent. */
async function sendAll(mails: readonly QueuedMail[], options: SendDueMailsOptions): Promise<number> {
  const waiting = [...mails];
  let sent = 0;
  const work = async () => {
    for (let mail = waiting.shift(); mail; mail = waiting.shift()) {
      if (await sendOne(mail, options)) sent += 1;
    }
  };
  await Promise.all(Array.from({ length: sentAtOnce }, work));
  return sent;
}

async function sendOne(mail: QueuedMail, options: SendDueMailsOptions): Promise<boolean> {
  const { callDatabase, transport, settings, now } = options;
  if (now() > Date.parse(mail.lease_until) - leaseMarginMs) return false;
  const acknowledge = (outcome: 'sent' | 'failed' | 'rejected', reason: string | null) =>
    callDatabase('finish_notification_mail', {
      mail_id: mail.id,
      lease: mail.lease,
      outcome,
      reason,
      called_at: toTimestamp(now()),
    });
  try {
    await transport.send(renderMail(mail, settings));
  } catch (problem) {
    const isRejected = problem instanceof MailTransportError && problem.isRejectedAddress;
    const reason = problem instanceof Error ? problem.message : String(problem);
    await acknowledge(isRejected ? 'rejected' : 'failed', reason);
    return false;
  }
  await acknowledge('sent', null);
  return true;
}

function toTimestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
