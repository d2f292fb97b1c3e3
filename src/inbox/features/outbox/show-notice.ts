import type { OutboxNotice } from '../../shared/outbox/outbox-topic.ts';
import { toasts } from '../../ui/state/toasts.ts';
import { outboxTexts } from './outbox-texts.ts';

const toastMs = 30_000;

/** Reports stored changes that were deleted unsent. */
export interface DroppedNotice {
  readonly type: 'dropped';
  readonly count: number;
}

type Problem = Exclude<OutboxNotice, { type: 'too-late' }>;

/** The shown toast of each type of problem, with the problems that it counts. */
const shown = new Map<Problem['type'], { readonly id: number; readonly problems: readonly Problem[] }>();

/** Shows that changes were not applied, or cannot be undone. Changes that end in the same way share one toast. */
export async function showNotice(notice: OutboxNotice | DroppedNotice): Promise<void> {
  const texts = await outboxTexts.load();
  if (notice.type === 'too-late' || notice.type === 'dropped') {
    const text = notice.type === 'dropped' ? texts.dropped(notice.count) : texts.tooLate;
    toasts.show(text, { tone: 'error', durationMs: toastMs });
    return;
  }
  const { type } = notice;
  const earlier = shown.get(type);
  const problems = [...(earlier?.problems ?? []), notice];
  if (earlier) toasts.dismiss(earlier.id);
  const id = toasts.show(texts[type](problems.length), {
    tone: 'error',
    durationMs: toastMs,
    action: {
      label: texts.retry,
      run() {
        for (const { repeat } of problems) repeat();
      },
    },
    onGone: () => void (shown.get(type)?.id === id && shown.delete(type)),
  });
  shown.set(type, { id, problems });
}
