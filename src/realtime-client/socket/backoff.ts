import { backoffDelayMs } from '../../platform/backoff.ts';
import type { RealtimeSettings } from '../settings.ts';

/** Delay in milliseconds before attempt `attempt` (0 = the first), without jitter. */
export function backoffMs(
  attempt: number,
  { reconnectDelaysMs }: Pick<RealtimeSettings, 'reconnectDelaysMs'>,
): number {
  return backoffDelayMs(attempt + 1, { delaysMs: reconnectDelaysMs }, 0);
}

/**
 * Adds up to the fraction `jitter` to a delay, so that the clients of a restarted server reconnect at different times.
 *
 * @param random a number in [0, 1).
 */
export function withJitter(delayMs: number, { jitter }: RealtimeSettings, random: number): number {
  return backoffDelayMs(1, { delaysMs: [delayMs], jitter }, random);
}
