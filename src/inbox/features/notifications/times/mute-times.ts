import { morningHour } from './snooze-times.ts';

/** A suggested end of a mute. */
export interface MuteChoice {
  readonly name: 'hour' | 'tomorrow' | 'week' | 'forever';
  /** Milliseconds since the epoch; null: the mute has no end. */
  readonly untilMs: number | null;
}

/** The suggested ends, in the time zone of the device. */
export function muteChoices(nowMs: number): readonly MuteChoice[] {
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
  ];
}
