import { dayNumber, format, relative } from '../../../ui/list/relative-time.ts';
import type { ListEntry } from './list-entries.ts';
import { shownAtMs } from './notification.ts';

/** The rows of a day in the reader's time zone. */
export interface DayGroup {
  /** Calendar days before today; 0 is today, negative the future return of a snoozed notification. */
  readonly daysAgo: number;
  /** The time of its first row, in milliseconds. */
  readonly atMs: number;
  /** The positions of its rows in the list. */
  readonly first: number;
  readonly end: number;
}

/** Splits a list into the reader's calendar days. The rows of an open thread are below it, regardless of their day. */
export function groupByDay(
  entries: readonly Pick<ListEntry, 'notifications' | 'isMember'>[],
  nowMs: number,
): readonly DayGroup[] {
  const today = dayNumber(nowMs);
  const groups: { -readonly [Part in keyof DayGroup]: DayGroup[Part] }[] = [];
  for (const [place, { notifications, isMember }] of entries.entries()) {
    const atMs = shownAtMs(notifications[0]);
    const daysAgo = today - dayNumber(atMs);
    const last = groups.at(-1);
    if (last && (isMember || last.daysAgo === daysAgo)) last.end = place + 1;
    else groups.push({ daysAgo, atMs, first: place, end: place + 1 });
  }
  return groups;
}

/** `Today`, `Yesterday`, `Tomorrow`, a weekday within a week, else the date; in the words of `locale`. */
export function dayLabel(daysAgo: number, atMs: number, locale: string): string {
  if (Math.abs(daysAgo) <= 1) {
    const words = relative(locale).format(-daysAgo, 'day');
    return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1);
  }
  return format(locale, Math.abs(daysAgo) < 7 ? { weekday: 'long' } : { dateStyle: 'long' }).format(atMs);
}
