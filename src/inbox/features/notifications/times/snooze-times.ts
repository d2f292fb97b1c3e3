/** The hour at which a day begins for snoozes and mutes that last until tomorrow or later. */
const morningHour = 9;
/** "Later today" is this many hours from now, at the full hour. */
const laterHours = 3;
const lastHour = 23;
const shortestMs = 1_800_000;

/** The suggested times, in the time zone of the device. "Later today" ends at 11 p.m. */
export function snoozeChoices(nowMs: number) {
  const now = new Date(nowMs);
  const at = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour).getTime();
  const laterMs = at(0, Math.min(lastHour, now.getHours() + laterHours + (now.getMinutes() > 0 ? 1 : 0)));
  const daysToMonday = 7 - ((now.getDay() + 6) % 7);
  return [
    ...(laterMs - nowMs >= shortestMs ? [{ name: 'laterToday', atMs: laterMs } as const] : []),
    { name: 'tomorrow', atMs: at(1, morningHour) },
    // On Sunday, the next Monday is tomorrow.
    { name: 'nextWeek', atMs: at(daysToMonday > 1 ? daysToMonday : daysToMonday + 7, morningHour) },
  ] as const;
}

/** The value of a `datetime-local` field for a time, in the time zone of the device. */
export function toLocalInput(atMs: number): string {
  const date = new Date(atMs);
  const pad = (value: number, length = 2) => String(value).padStart(length, '0');
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** The `max` of a `datetime-local` field. Without it Chromium waits for six digits of a year: those of the hour go there, too. */
export const lastInput = '9999-12-31T23:59';

/** The time that a `datetime-local` field holds; null where it is empty or not a time. */
export function parseLocalInput(value: string): number | null {
  const atMs = new Date(value).getTime();
  return Number.isNaN(atMs) ? null : atMs;
}

/** The suggested ends, in the time zone of the device; null: the mute has no end. */
export function muteChoices(nowMs: number) {
  const now = new Date(nowMs);
  const year = now.getFullYear();
  const month = now.getMonth();
  const day = now.getDate();
  return [
    { name: 'hour', untilMs: nowMs + 3_600_000 },
    { name: 'tomorrow', untilMs: new Date(year, month, day + 1, morningHour).getTime() },
    // A week by the calendar and not 168 hours, so that a change of the clocks keeps the time of day.
    { name: 'week', untilMs: new Date(year, month, day + 7, now.getHours(), now.getMinutes()).getTime() },
    { name: 'forever', untilMs: null },
  ] as const;
}
