/** A time of the coming days as text: with the weekday, and with the date where the weekday alone could be the nearer one. */
export function formatComingTime(
  atMs: number,
  nowMs: number,
  locale: string,
  length: 'short' | 'long' = 'short',
): string {
  const needsDate = atMs - nowMs >= 6 * 86_400_000;
  return new Intl.DateTimeFormat(locale, {
    weekday: length,
    ...(needsDate && { month: length, day: 'numeric' }),
    hour: 'numeric',
    minute: '2-digit',
  }).format(atMs);
}
