import type { RealtimeSettings } from '../settings.ts';
import { isRecord } from '../subscription/term.ts';
import { exceedsPayloadLimit } from './payload-size.ts';

export type PresenceDecision =
  | { readonly type: 'track'; readonly payload: Record<string, unknown> }
  | { readonly type: 'untrack' }
  | { readonly type: 'nothing' }
  | { readonly type: 'refuse'; readonly reason?: string }
  | { readonly type: 'shutDown'; readonly message: string }
  | { readonly type: 'crash' };

export interface PresenceFacts {
  readonly settings: RealtimeSettings;
  readonly mayWrite: () => Promise<boolean>;
  readonly isRateExceeded: () => boolean;
  /** The tracked payload; null without one. */
  readonly tracked: Record<string, unknown> | null;
  /** Counts a call; false if the channel's window is full. */
  readonly takeCall: () => boolean;
}

/** Checks in the order of the real server. */
export async function decidePresence(payload: unknown, facts: PresenceFacts): Promise<PresenceDecision> {
  const { settings, mayWrite, isRateExceeded, tracked, takeCall } = facts;
  if (!isRecord(payload) || !('event' in payload)) return { type: 'nothing' };
  const event = payload['event'];
  if (typeof event !== 'string') return { type: 'crash' };
  if (!takeCall()) return { type: 'shutDown', message: 'Client presence rate limit exceeded' };
  switch (event.toLowerCase()) {
    case 'untrack':
      return { type: 'untrack' };
    case 'track':
      break;
    default:
      return { type: 'refuse' };
  }
  if (!(await mayWrite())) return { type: 'refuse' };
  const presence = 'payload' in payload ? payload['payload'] : {};
  if (!isRecord(presence)) return { type: 'refuse', reason: 'Presence track payload must be a map' };
  if (tracked !== null && JSON.stringify(tracked) === JSON.stringify(presence)) return { type: 'nothing' };
  if (exceedsPayloadLimit(presence, settings.maxPayloadKb)) {
    return { type: 'shutDown', message: 'Track message size exceeded' };
  }
  if (isRateExceeded()) return { type: 'shutDown', message: 'Too many presence messages per second' };
  return { type: 'track', payload: presence };
}

/** Limits the presence calls of a channel in a window that begins with its first call. */
export function createPresenceLimit(now: () => number, settings: () => RealtimeSettings): () => boolean {
  let count = 0;
  let endsAtMs = -Infinity;
  return () => {
    const { maxPresenceCalls, presenceWindowMs } = settings();
    if (now() > endsAtMs) {
      count = 0;
      endsAtMs = now() + presenceWindowMs;
    }
    if (count >= maxPresenceCalls) return false;
    count += 1;
    return true;
  };
}
