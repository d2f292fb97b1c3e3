import type { Clock, Timer, Unsubscribe } from 'supabase-protocol-clients/platform';
import type { OutboxOutcome } from '../../shared/outbox/outbox.ts';
import { toasts } from '../../ui/overlay/toasts.ts';
import type { Outbox } from './outbox.ts';
import { outboxTexts } from './outbox-texts.ts';

/** Changes that fail within this time share one toast. */
const collectMs = 1_000;
const toastMs = 30_000;

/** Shows that a change can no longer be undone. */
export async function showTooLate(): Promise<void> {
  const { tooLate } = await outboxTexts.load();
  toasts.show(tooLate, { tone: 'error', durationMs: toastMs });
}

/** Shows in every tab which waiting changes were not applied. */
export function showOutcomes(outbox: Pick<Outbox, 'onSettled'>, clock: Clock): Unsubscribe {
  const counts = new Map<Exclude<OutboxOutcome, 'sent'>, number>();
  let timer: Timer | null = null;
  const show = async () => {
    timer = null;
    const collected = [...counts];
    counts.clear();
    const texts = await outboxTexts.load();
    for (const [outcome, count] of collected)
      toasts.show(texts[outcome](count), { tone: 'error', durationMs: toastMs });
  };
  const stop = outbox.onSettled((_entry, outcome) => {
    if (outcome === 'sent') return;
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    timer ??= clock.setTimer(() => void show(), collectMs);
  });
  return () => {
    stop();
    timer?.cancel();
  };
}
