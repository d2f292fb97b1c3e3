import { listedAtMs } from './notification.ts';
import type { Notification } from './notification.ts';

export interface DayGroup<Item = unknown> {
  /** The day in the reader's time zone, as `YYYY-MM-DD`; or `liftedDay`. */
  readonly day: string;
  /** How many days ago, by the calendar; 0 is today. Negative for the future return of a snoozed notification. */
  readonly daysAgo: number;
  /** The time of its first item, in milliseconds. */
  readonly atMs: number;
  readonly items: readonly Item[];
}

/** Above the days: what needs the user. */
export const liftedDay = 'needs-you';

/** The time with which a notification is listed: a snoozed one with that of its return. */
export function shownAtMs(notification: Notification): number {
  const { isSnoozed, snoozedUntilMs } = notification;
  return isSnoozed && snoozedUntilMs !== null ? snoozedUntilMs : listedAtMs(notification);
}

/** Cuts a list into the reader's calendar days. */
export function groupByDay<Item>(
  items: readonly Item[],
  nowMs: number,
  atMsOf: (item: Item) => number,
): readonly DayGroup<Item>[] {
  const today = dayNumber(nowMs);
  const groups: { day: string; daysAgo: number; atMs: number; items: Item[] }[] = [];
  let [fromMs, toMs] = [Infinity, -Infinity];
  for (const item of items) {
    const atMs = atMsOf(item);
    const last = groups.at(-1);
    if (last && atMs >= fromMs && atMs < toMs) {
      last.items.push(item);
      continue;
    }
    [fromMs, toMs] = dayBounds(atMs);
    groups.push({ day: dayName(atMs), daysAgo: today - dayNumber(atMs), atMs, items: [item] });
  }
  return groups;
}

/** `Today`, `Yesterday`, `Tomorrow`, a weekday within a week, else the date; in the words of `locale`. */
export function dayLabel({ daysAgo, atMs }: DayGroup, locale: string): string {
  if (Math.abs(daysAgo) <= 1) {
    const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-daysAgo, 'day');
    return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1);
  }
  return new Intl.DateTimeFormat(
    locale,
    Math.abs(daysAgo) < 7 ? { weekday: 'long' } : { dateStyle: 'long' },
  ).format(atMs);
}

/** The day in the reader's time zone, as `YYYY-MM-DD`. */
function dayName(atMs: number): string {
  const date = new Date(atMs);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** The beginning of the reader's day and of the next one, which are 23 to 25 hours apart. */
function dayBounds(atMs: number): [fromMs: number, toMs: number] {
  const date = new Date(atMs);
  const midnightMs = (days: number) =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
  return [midnightMs(0), midnightMs(1)];
}

function dayNumber(atMs: number): number {
  const date = new Date(atMs);
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000);
}
