import { backoffDelayMs } from '../../platform/backoff.ts';
import { next, type Step, type Wait } from '../machine/machine.ts';
import type { RealtimeSettings } from '../settings.ts';

/**
 * The states of the socket. `idle`: no channel needs it; `probing`: a heartbeat is unanswered; `waiting`: backoff
 * before the next attempt; `parked`: the host is offline; `closed`: permanently closed.
 */
export type SocketState = SocketMemory &
  (
    | { readonly kind: 'idle' | 'connecting' | 'open' | 'waiting' | 'parked' | 'closed' }
    | { readonly kind: 'probing'; readonly deadlineMs: number }
  );

interface SocketMemory {
  /** Failed attempts since the connection was last stable. */
  readonly attempt: number;
  /** Null until the current attempt succeeds. */
  readonly openedAtMs: number | null;
}

export type SocketEvent =
  /**
   * `unavailable`: the runtime cannot open a websocket, or the server refuses the public key; `probe`: a channel waits for a
   * late reply; `offline`: the host lost its network.
   */
  | {
      readonly kind:
        | 'want'
        | 'release'
        | 'opened'
        | 'lost'
        | 'frame'
        | 'timer'
        | 'close'
        | 'unavailable'
        | 'probe'
        | 'offline';
    }
  /** The page may have been suspended until now; `isBlocked` when the server may be silent because it refuses a join. */
  | { readonly kind: 'wake'; readonly isBlocked: boolean };

/** `checkKey`: find out by HTTP whether the public key was refused, because a websocket does not reveal why it failed. */
export type SocketEffect = Wait | { readonly do: 'open' | 'drop' | 'heartbeat' | 'checkKey' };

type SocketStep = Step<SocketState, SocketEffect>;

/** What a step depends on besides the state and the event. */
interface SocketContext {
  /** Monotonic time in milliseconds. */
  readonly nowMs: number;
  readonly isVisible: boolean;
  readonly isOnline: boolean;
  readonly settings: RealtimeSettings;
}

export function isOpen({ kind }: SocketState): boolean {
  return kind === 'open' || kind === 'probing';
}

export function stepSocket(state: SocketState, event: SocketEvent, context: SocketContext): SocketStep {
  const stay: SocketStep = next(state);
  const { kind } = state;
  const { timeoutMs, probeMs } = context.settings;
  if (kind === 'closed') return stay;
  switch (event.kind) {
    case 'want':
      return kind === 'idle' ? connect(state, context) : stay;
    case 'release':
    case 'close': {
      const after = event.kind === 'close' ? 'closed' : 'idle';
      return kind === after ? stay : next({ ...state, kind: after }, { do: 'drop' });
    }
    case 'unavailable':
      return kind === 'connecting' || kind === 'waiting' ? next({ ...state, kind: 'idle' }) : stay;
    case 'opened':
      return kind === 'connecting' ? stayOpen({ ...state, openedAtMs: context.nowMs }, context) : stay;
    case 'lost':
      return isOpen(state) || kind === 'connecting' ? retry(state, context) : stay;
    case 'frame':
      return kind === 'probing' ? stayOpen(state, context) : stay;
    case 'timer':
      if (kind === 'open') return probe(state, timeoutMs, context);
      if (kind === 'waiting') return connect(state, context);
      if (kind === 'probing') return replace(state, context);
      return kind === 'connecting' ? retry(state, context) : stay;
    case 'probe':
      if (kind === 'open') return probe(state, timeoutMs, context);
      return kind === 'probing' ? next(state, { do: 'heartbeat' }) : stay;
    case 'offline':
      return kind === 'waiting' ? next({ ...state, kind: 'parked' }) : stay;
    case 'wake': {
      if (kind === 'waiting' || kind === 'parked') return connect(state, context);
      const delayMs = event.isBlocked ? timeoutMs : probeMs;
      const isDueSooner = kind === 'probing' && state.deadlineMs <= context.nowMs + delayMs;
      return isOpen(state) && !isDueSooner ? probe(state, delayMs, context) : stay;
    }
  }
}

function connect(state: SocketMemory, { isOnline, settings }: SocketContext): SocketStep {
  if (!isOnline) return next({ ...state, kind: 'parked' });
  return next(
    { ...state, kind: 'connecting', openedAtMs: null },
    { do: 'open' },
    { do: 'wait', delayMs: settings.timeoutMs },
  );
}

function stayOpen(state: SocketMemory, { settings }: SocketContext): SocketStep {
  return next({ ...state, kind: 'open' }, { do: 'wait', delayMs: settings.heartbeatMs });
}

function probe(state: SocketMemory, delayMs: number, { nowMs }: SocketContext): SocketStep {
  return next(
    { ...state, kind: 'probing', deadlineMs: nowMs + delayMs },
    { do: 'heartbeat' },
    { do: 'wait', delayMs },
  );
}

function isStable({ openedAtMs }: SocketMemory, { nowMs, settings }: SocketContext): boolean {
  return openedAtMs !== null && nowMs - openedAtMs >= settings.stableAfterMs;
}

/** Schedules the next attempt; the backoff is reset only if the connection had been stable. */
function retry(state: SocketMemory, context: SocketContext): SocketStep {
  const { isVisible, isOnline, settings } = context;
  const attempt = isStable(state, context) ? 1 : state.attempt + 1;
  const after = { ...state, attempt };
  if (!isOnline) return next({ ...after, kind: 'parked' }, { do: 'drop' });
  const delayMs = Math.max(
    backoffDelayMs(attempt, { delaysMs: settings.reconnectDelaysMs }, 0),
    isVisible ? 0 : settings.hiddenDelayMs,
  );
  const effects: SocketEffect[] = [{ do: 'drop' }, { do: 'wait', delayMs, jitter: true }];
  if (state.openedAtMs === null && attempt > 1) effects.push({ do: 'checkKey' });
  return { state: { ...after, kind: 'waiting' }, effects };
}

/** Replaces a silent socket at once if it had been stable, because then the network failed and not the server. */
function replace(state: SocketMemory, context: SocketContext): SocketStep {
  if (state.attempt > 0 && !isStable(state, context)) return retry(state, context);
  const after = connect({ ...state, attempt: 1 }, context);
  return next(after.state, { do: 'drop' }, ...after.effects);
}
