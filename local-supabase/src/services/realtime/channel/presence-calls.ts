import type { RealtimeSettings } from '../settings.ts';
import { isRecord } from '../subscription/term.ts';
import { exceedsPayloadLimit } from './payload-size.ts';

export type PresenceDecision =
  | { readonly do: 'track'; readonly payload: Record<string, unknown> }
  | { readonly do: 'untrack' }
  | { readonly do: 'nothing' }
  | { readonly do: 'refuse'; readonly reason?: string }
  | { readonly do: 'shutDown'; readonly message: string }
  | { readonly do: 'crash' };

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
  if (!isRecord(payload) || !('event' in payload)) return { do: 'nothing' };
  const event = payload['event'];
  if (typeof event !== 'string') return { do: 'crash' };
  if (!takeCall()) return { do: 'shutDown', message: 'Client presence rate limit exceeded' };
  switch (event.toLowerCase()) {
    case 'untrack':
      return { do: 'untrack' };
    case 'track':
      break;
    default:
      return { do: 'refuse' };
  }
  if (!(await mayWrite())) return { do: 'refuse' };
  const presence = 'payload' in payload ? payload['payload'] : {};
  if (!isRecord(presence)) return { do: 'refuse', reason: 'Presence track payload must be a map' };
  if (tracked !== null && JSON.stringify(tracked) === JSON.stringify(presence)) return { do: 'nothing' };
  if (exceedsPayloadLimit(presence, settings.maxPayloadKb)) {
    return { do: 'shutDown', message: 'Track message size exceeded' };
  }
  if (isRateExceeded()) return { do: 'shutDown', message: 'Too many presence messages per second' };
  return { do: 'track', payload: presence };
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
