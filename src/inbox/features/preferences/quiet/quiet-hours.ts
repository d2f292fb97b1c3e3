import type { Preferences } from '../preferences.ts';

/** Days as ISO 8601 counts them: 1 is Monday. */
export const weekdays: readonly number[] = [1, 2, 3, 4, 5, 6, 7];

export const defaultQuietHours = { quiet_hours_start: '22:00:00', quiet_hours_end: '07:00:00' } as const;

/**
 * Whether the quiet hours are in force. An end that is not after the start is on the next day; the days are those of the
 * start.
 */
export function isQuiet(preferences: Partial<Preferences> | null | undefined, nowMs: number): boolean {
  const {
    quiet_hours_start: start,
    quiet_hours_end: end,
    quiet_weekdays: days = weekdays,
  } = preferences ?? {};
  if (!start || !end) return false;
  const { weekday, time } = localTime(nowMs, preferences?.time_zone ?? 'UTC');
  const [from, to] = [start.slice(0, 5), end.slice(0, 5)];
  const isDay = days.includes(weekday);
  if (to > from) return isDay && time >= from && time < to;
  const dayBefore = weekday === 1 ? 7 : weekday - 1;
  return (isDay && time >= from) || (days.includes(dayBefore) && time < to);
}

/** The weekday and the time, as `HH:MM`, in a time zone; in UTC where this browser does not know the zone. */
function localTime(atMs: number, timeZone: string): { readonly weekday: number; readonly time: string } {
  const parts = new Map(
    formatIn(timeZone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  const day = Date.UTC(Number(parts.get('year')), Number(parts.get('month')) - 1, Number(parts.get('day')));
  return {
    weekday: new Date(day).getUTCDay() || 7,
    time: `${parts.get('hour') ?? ''}:${parts.get('minute') ?? ''}`,
  };
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const options = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
  }
}
