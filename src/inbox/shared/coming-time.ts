/**
 * The options of `Intl.DateTimeFormat` for a time of day, alone or beside a date: 09:00 where the day has 24 hours, 9:00 AM
 * where it has twice twelve. A `numeric` hour alone would be 9:00 or 09:00 in German, depending on the text beside it.
 */
export function timeOfDay(locale: string): Pick<Intl.DateTimeFormatOptions, 'hour' | 'minute'> {
  const { hourCycle } = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions();
  const hasHalfDays = hourCycle === 'h12' || hourCycle === 'h11';
  return { hour: hasHalfDays ? 'numeric' : '2-digit', minute: '2-digit' };
}

const dayMs = 86_400_000;

/**
 * A time of the coming days as text: with the weekday in full, and with the date where the weekday alone could be the nearer
 * one.
 *
 * @param length of the weekday and the month of a date.
 */
export function formatComingTime(
  atMs: number,
  nowMs: number,
  locale: string,
  length: 'short' | 'long' = 'short',
): string {
  const needsDate = atMs - nowMs >= 6 * dayMs;
  return new Intl.DateTimeFormat(locale, {
    ...(needsDate ? { weekday: length, month: length, day: 'numeric' } : { weekday: 'long' }),
    ...timeOfDay(locale),
  }).format(atMs);
}
