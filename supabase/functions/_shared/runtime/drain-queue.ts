/** The result of a worker's run. */
export interface SendingReport {
  readonly sent: number;
  /** Items that were not accepted or not acknowledged: due again later, or dead. */
  readonly failed: number;
  /** Claimed, and not sent, because nothing is unread, the recipient gets none, or quiet hours delay it. */
  readonly skipped: number;
}

export interface Queue<Item> {
  readonly batchSize: number;
  /** How many items of a batch are sent at the same time. */
  readonly sentAtOnce: number;
  /** No batch is claimed after this number of items: a function has two seconds of processor time. */
  readonly maxItems: number;
  /** Leases at most `batchSize` due items. Fewer than that in `claimed` means that nothing else is due. */
  claim(): Promise<{ readonly claimed: number; readonly items: readonly Item[] }>;
  /** Sends and acknowledges one item. Returns whether both succeeded. Never rejects. */
  send(item: Item): Promise<boolean>;
  /** Whether the run has time for another batch. */
  mayClaim(): boolean;
  /** Whether the next run could not do more than this one, because the service takes nothing or the database does not respond. */
  isClosed(): boolean;
  /** Starts the next run where this one ends with more that is due. */
  startNext(): Promise<void>;
}

/** Claims and sends until nothing is due, or the run has to end. Several workers may run at once. */
export async function drainQueue<Item>(queue: Queue<Item>): Promise<SendingReport> {
  let report: SendingReport = { sent: 0, failed: 0, skipped: 0 };
  let claimed = queue.batchSize;
  let total = 0;
  while (claimed >= queue.batchSize && total < queue.maxItems && queue.mayClaim()) {
    const batch = await queue.claim();
    claimed = batch.claimed;
    total += claimed;
    const sent = await sendAll(batch.items, queue);
    report = {
      sent: report.sent + sent,
      failed: report.failed + batch.items.length - sent,
      skipped: report.skipped + claimed - batch.items.length,
    };
  }
  if (claimed >= queue.batchSize && !queue.isClosed()) await queue.startNext();
  return report;
}

async function sendAll<Item>(items: readonly Item[], { sentAtOnce, send }: Queue<Item>): Promise<number> {
  const waiting = [...items];
  let sent = 0;
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      if (await send(item)) sent += 1;
    }
  };
  await Promise.all(Array.from({ length: sentAtOnce }, work));
  return sent;
}
