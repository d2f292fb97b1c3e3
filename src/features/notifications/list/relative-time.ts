const units = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const formats = new Map<string, Intl.RelativeTimeFormat>();

/** `now`, `5 min. ago`, `2 wk. ago`; a moment in the future (a clock that is behind) is `now`. */
export function relativeTime(atMs: number, nowMs: number, locale: string): string {
  let format = formats.get(locale);
  if (!format) {
    format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' });
    formats.set(locale, format);
  }
  const elapsedMs = Math.max(0, nowMs - atMs);
  const [unit, unitMs] = units.find(([, lengthMs]) => elapsedMs >= lengthMs) ?? ['second', Infinity];
  return format.format(-Math.floor(elapsedMs / unitMs), unit);
}

const absolutes = new Map<string, Intl.DateTimeFormat>();

/** Date and time in the reader's zone. */
export function absoluteTime(atMs: number, locale: string): string {
  let format = absolutes.get(locale);
  if (!format) {
    format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' });
    absolutes.set(locale, format);
  }
  return format.format(atMs);
}
