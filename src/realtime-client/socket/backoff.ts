import type { RealtimeSettings } from '../settings.ts';

/** Wait in milliseconds before attempt `attempt` (0 = the first), before jitter. */
export function backoffMs(
  attempt: number,
  { reconnectDelaysMs }: Pick<RealtimeSettings, 'reconnectDelaysMs'>,
): number {
  return reconnectDelaysMs[Math.min(attempt, reconnectDelaysMs.length - 1)] ?? 0;
}

/**
 * Adds up to the share `jitter` to a wait, so that clients that lost one server do not return at one moment.
 *
 * @param random a number in [0, 1).
 */
export function withJitter(delayMs: number, { jitter }: RealtimeSettings, random: number): number {
  return Math.round(delayMs * (1 + jitter * random));
}
