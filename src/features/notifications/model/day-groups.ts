import type { Notification } from './notification.ts';

export interface DayGroup {
  /** The day in the reader's time zone, as `YYYY-MM-DD`. */
  readonly day: string;
  /** How many days ago, by the calendar; 0 is today. Negative where the reader's clock is behind. */
  readonly daysAgo: number;
  readonly notifications: readonly Notification[];
}

/** Cuts a list, newest first, into the reader's calendar days. */
export function groupByDay(notifications: readonly Notification[], nowMs: number): readonly DayGroup[] {
  const today = dayNumber(nowMs);
  const groups: { day: string; daysAgo: number; notifications: Notification[] }[] = [];
  for (const notification of notifications) {
    const day = dayName(notification.createdAtMs);
    const last = groups.at(-1);
    if (last?.day === day) last.notifications.push(notification);
    else
      groups.push({
        day,
        daysAgo: today - dayNumber(notification.createdAtMs),
        notifications: [notification],
      });
  }
  return groups;
}

/** `Today`, `Yesterday`, a weekday within the last week, else the date; in the words of `locale`. */
export function dayLabel({ daysAgo, notifications }: DayGroup, locale: string): string {
  const atMs = notifications[0]?.createdAtMs ?? 0;
  if (daysAgo === 0 || daysAgo === 1) {
    const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-daysAgo, 'day');
    return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1);
  }
  return new Intl.DateTimeFormat(
    locale,
    daysAgo > 1 && daysAgo < 7 ? { weekday: 'long' } : { dateStyle: 'long' },
  ).format(atMs);
}

function dayName(atMs: number): string {
  const date = new Date(atMs);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

function dayNumber(atMs: number): number {
  const date = new Date(atMs);
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000);
}
