const relatives = new Map<string, Intl.RelativeTimeFormat>();
const formats = new Map<string, Intl.DateTimeFormat>();

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const clockDriftMs = 300_000;

/**
 * The time of a row in one style: `now`, `3m`, `2h` within a day, `Tue` within a week, else the date; in German `3 Min.`, `2 Std.`,
 * `Di`. A future time: its clock time today, else the day with it.
 */
export function shortTime(atMs: number, nowMs: number, locale: string): string {
  const elapsedMs = nowMs - atMs;
  const daysAgo = dayNumber(nowMs) - dayNumber(atMs);
  // Clocks differ a little: a time in the next minutes is now.
  if (elapsedMs < -clockDriftMs) {
    if (daysAgo === 0) return clockTime(atMs, locale);
    return format(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit' }).format(atMs);
  }
  if (elapsedMs < minuteMs) return relative(locale).format(0, 'second');
  if (elapsedMs < hourMs) return span(locale, 'minute', elapsedMs / minuteMs);
  if (elapsedMs < dayMs) return span(locale, 'hour', elapsedMs / hourMs);
  if (daysAgo < 7) return format(locale, { weekday: 'short' }).format(atMs);
  const isThisYear = new Date(atMs).getFullYear() === new Date(nowMs).getFullYear();
  const year = isThisYear ? undefined : 'numeric';
  return format(locale, { month: 'short', day: 'numeric', year }).format(atMs);
}

/** The time of day: `14:32`. */
export function clockTime(atMs: number, locale: string): string {
  return format(locale, { timeStyle: 'short' }).format(atMs);
}

const spans = new Map<string, Intl.NumberFormat>();

function span(locale: string, unit: 'minute' | 'hour', count: number): string {
  const key = `${locale} ${unit}`;
  // The narrow forms of German mix styles: `3 Min.`, but `2h`.
  const unitDisplay = locale.startsWith('de') ? 'short' : 'narrow';
  const known = spans.get(key) ?? new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay });
  spans.set(key, known);
  return known.format(Math.floor(count));
}

/** Date and time in the user's time zone. */
export function absoluteTime(atMs: number, locale: string, dateStyle: 'full' | 'medium' = 'full'): string {
  return format(locale, { dateStyle, timeStyle: 'short' }).format(atMs);
}

/** A past moment by day and clock time: `10:45` today, `Tuesday, 10:45` within a week, else with the date. */
export function pastMoment(atMs: number, nowMs: number, locale: string): string {
  const daysAgo = dayNumber(nowMs) - dayNumber(atMs);
  const clock = { hour: 'numeric', minute: '2-digit' } as const;
  if (daysAgo === 0) return clockTime(atMs, locale);
  if (daysAgo < 7) return format(locale, { weekday: 'long', ...clock }).format(atMs);
  return format(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(atMs);
}

/** The formatter of each locale is created once. */
export function relative(locale: string): Intl.RelativeTimeFormat {
  const known =
    relatives.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  relatives.set(locale, known);
  return known;
}

/** The formatter of each locale and options is created once. */
export function format(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, known);
  return known;
}

/** The number of the calendar day in the reader's time zone; consecutive days have consecutive numbers. */
export function dayNumber(atMs: number): number {
  const date = new Date(atMs);
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000);
}

/** Whether both times are on one calendar day of the reader. */
export function isSameDay(oneMs: number, otherMs: number): boolean {
  return dayNumber(oneMs) === dayNumber(otherMs);
}
