import { backoffDelayMs } from '../../platform/backoff.ts';
import { next, type Step, type Wait } from '../machine/machine.ts';
import type { RealtimeSettings } from '../settings.ts';

/**
 * The states of the socket. `idle`: no channel needs it; `probing`: a heartbeat has no reply yet; `waiting`: backoff
 * before the next attempt; `parked`: the host is offline; `closed`: permanently closed.
 */
export type SocketState = SocketMemory &
  (
    | { readonly type: 'idle' | 'open' | 'waiting' | 'parked' | 'closed' }
    | { readonly type: 'connecting'; readonly startedAtMs: number }
    | { readonly type: 'probing'; readonly deadlineMs: number }
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
      readonly type:
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
  | { readonly type: 'wake'; readonly isBlocked: boolean };

/** `checkKey`: find out by HTTP whether the public key was refused, because a websocket does not reveal why it failed. */
export type SocketEffect = Wait | { readonly type: 'open' | 'drop' | 'heartbeat' | 'checkKey' };

type SocketStep = Step<SocketState, SocketEffect>;

/** What a step depends on besides the state and the event. */
interface SocketContext {
  /** Monotonic time in milliseconds. */
  readonly nowMs: number;
  readonly isVisible: boolean;
  readonly isOnline: boolean;
  readonly settings: RealtimeSettings;
}

export function isOpen({ type }: SocketState): boolean {
  return type === 'open' || type === 'probing';
}

export function stepSocket(state: SocketState, event: SocketEvent, context: SocketContext): SocketStep {
  const stay: SocketStep = next(state);
  const { type } = state;
  const { timeoutMs, probeMs } = context.settings;
  if (type === 'closed') return stay;
  switch (event.type) {
    case 'want':
      return type === 'idle' ? connect(state, context) : stay;
    case 'release':
    case 'close': {
      const after = event.type === 'close' ? 'closed' : 'idle';
      return type === after ? stay : next({ ...state, type: after }, { type: 'drop' });
    }
    case 'unavailable':
      return type === 'connecting' || type === 'waiting' ? next({ ...state, type: 'idle' }) : stay;
    case 'opened':
      return type === 'connecting' ? stayOpen({ ...state, openedAtMs: context.nowMs }, context) : stay;
    case 'lost':
      return isOpen(state) || type === 'connecting' ? retry(state, context) : stay;
    case 'frame':
      return type === 'probing' ? stayOpen(state, context) : stay;
    case 'timer':
      if (type === 'open') return probe(state, timeoutMs, context);
      if (type === 'waiting') return connect(state, context);
      if (type === 'probing') return replace(state, context);
      return type === 'connecting' ? retry(state, context) : stay;
    case 'probe':
      if (type === 'open') return probe(state, timeoutMs, context);
      return type === 'probing' ? next(state, { type: 'heartbeat' }) : stay;
    case 'offline':
      return type === 'waiting' ? next({ ...state, type: 'parked' }) : stay;
    case 'wake': {
      if (type === 'waiting' || type === 'parked') return connect(state, context);
      if (type === 'connecting') return isStalled(state, context) ? reconnect(state, context) : stay;
      const delayMs = event.isBlocked ? timeoutMs : probeMs;
      const isDueSooner = type === 'probing' && state.deadlineMs <= context.nowMs + delayMs;
      return isOpen(state) && !isDueSooner ? probe(state, delayMs, context) : stay;
    }
  }
}

function connect(state: SocketMemory, { nowMs, isOnline, settings }: SocketContext): SocketStep {
  if (!isOnline) return next({ ...state, type: 'parked' });
  return next(
    { ...state, type: 'connecting', openedAtMs: null, startedAtMs: nowMs },
    { type: 'open' },
    { type: 'wait', delayMs: settings.timeoutMs },
  );
}

function stayOpen(state: SocketMemory, { settings }: SocketContext): SocketStep {
  return next({ ...state, type: 'open' }, { type: 'wait', delayMs: settings.heartbeatMs });
}

function probe(state: SocketMemory, delayMs: number, { nowMs }: SocketContext): SocketStep {
  return next(
    { ...state, type: 'probing', deadlineMs: nowMs + delayMs },
    { type: 'heartbeat' },
    { type: 'wait', delayMs },
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
  if (!isOnline) return next({ ...after, type: 'parked' }, { type: 'drop' });
  const delayMs = Math.max(
    backoffDelayMs(attempt, { delaysMs: settings.reconnectDelaysMs }, 0),
    isVisible ? 0 : settings.hiddenDelayMs,
  );
  const effects: SocketEffect[] = [{ type: 'drop' }, { type: 'wait', delayMs, jitter: true }];
  if (state.openedAtMs === null && attempt > 1) effects.push({ type: 'checkKey' });
  return { state: { ...after, type: 'waiting' }, effects };
}

/** An attempt that a hidden or suspended page began may stay without a response after the page wakes up. */
function isStalled(
  { startedAtMs }: { readonly startedAtMs: number },
  { nowMs, settings }: SocketContext,
): boolean {
  return nowMs - startedAtMs >= settings.probeMs;
}

function reconnect(state: SocketMemory, context: SocketContext): SocketStep {
  const { state: after, effects } = connect(state, context);
  return next(after, { type: 'drop' }, ...effects);
}

/** Replaces a silent socket at once if it had been stable, because then the network failed and not the server. */
function replace(state: SocketMemory, context: SocketContext): SocketStep {
  if (state.attempt > 0 && !isStable(state, context)) return retry(state, context);
  return reconnect({ ...state, attempt: 1 }, context);
}
