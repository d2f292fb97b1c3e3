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
  readonly visible: boolean;
  readonly online: boolean;
  /** Null until the current attempt succeeds. */
  readonly openedAtMs: number | null;
}

export type SocketEvent =
  /** `unavailable`: the runtime cannot open a websocket, or the server refuses the public key. */
  | { readonly kind: 'want' | 'release' | 'opened' | 'lost' | 'frame' | 'timer' | 'close' | 'unavailable' }
  /** A channel waits for a late answer. */
  | { readonly kind: 'probe' }
  /**
   * The page's visibility or the network changed; `awake` when the page may have been suspended until now, `blocked` when
   * the server may be silent because it refuses a join.
   */
  | {
      readonly kind: 'page';
      readonly visible: boolean;
      readonly online: boolean;
      readonly awake: boolean;
      readonly blocked: boolean;
    };

/** `checkKey`: find out by HTTP whether the public key was refused, because a websocket does not tell why it failed. */
export type SocketEffect = Wait | { readonly do: 'open' | 'drop' | 'heartbeat' | 'checkKey' };

type SocketStep = Step<SocketState, SocketEffect>;

/** @param nowMs monotonic time in milliseconds. */
export function stepSocket(
  state: SocketState,
  event: SocketEvent,
  nowMs: number,
  settings: RealtimeSettings,
): SocketStep {
  const stay: SocketStep = next(state);
  const { kind } = state;
  if (kind === 'closed') return stay;
  switch (event.kind) {
    case 'want':
      return kind === 'idle' ? connect(state, settings) : stay;
    case 'release':
    case 'close': {
      const after = event.kind === 'close' ? 'closed' : 'idle';
      return kind === after ? stay : next({ ...state, kind: after }, { do: 'drop' });
    }
    case 'unavailable':
      return kind === 'connecting' || kind === 'waiting' ? next({ ...state, kind: 'idle' }) : stay;
    case 'opened':
      return kind === 'connecting' ? stayOpen({ ...state, openedAtMs: nowMs }, settings) : stay;
    case 'lost':
      return kind === 'open' || kind === 'probing' || kind === 'connecting'
        ? retry(state, nowMs, settings)
        : stay;
    case 'frame':
      return kind === 'probing' ? stayOpen(state, settings) : stay;
    case 'timer':
      if (kind === 'open') return probe(state, settings.timeoutMs, nowMs);
      if (kind === 'waiting') return connect(state, settings);
      if (kind === 'probing') return replace(state, nowMs, settings);
      return kind === 'connecting' ? retry(state, nowMs, settings) : stay;
    case 'probe':
      if (kind === 'open') return probe(state, settings.timeoutMs, nowMs);
      return kind === 'probing' ? next(state, { do: 'heartbeat' }) : stay;
    case 'page': {
      const { visible, online, awake, blocked } = event;
      const probeMs = blocked ? settings.timeoutMs : settings.probeMs;
      const after = { ...state, visible, online };
      if (kind === 'waiting' || kind === 'parked') {
        if (!online) return next({ ...after, kind: 'parked' });
        if (awake) return connect(after, settings);
      }
      const isDueSooner = kind === 'probing' && state.deadlineMs <= nowMs + probeMs;
      return awake && (kind === 'open' || (kind === 'probing' && !isDueSooner))
        ? probe(after, probeMs, nowMs)
        : next(after);
    }
  }
}

function connect(state: SocketMemory, { timeoutMs }: RealtimeSettings): SocketStep {
  if (!state.online) return next({ ...state, kind: 'parked' });
  return next(
    { ...state, kind: 'connecting', openedAtMs: null },
    { do: 'open' },
    { do: 'wait', delayMs: timeoutMs },
  );
}

function stayOpen(state: SocketMemory, { heartbeatMs }: RealtimeSettings): SocketStep {
  return next({ ...state, kind: 'open' }, { do: 'wait', delayMs: heartbeatMs });
}

function probe(state: SocketMemory, delayMs: number, nowMs: number): SocketStep {
  return next(
    { ...state, kind: 'probing', deadlineMs: nowMs + delayMs },
    { do: 'heartbeat' },
    { do: 'wait', delayMs },
  );
}

function isStable({ openedAtMs }: SocketMemory, nowMs: number, { stableAfterMs }: RealtimeSettings): boolean {
  return openedAtMs !== null && nowMs - openedAtMs >= stableAfterMs;
}

/** Schedules the next attempt; the backoff is reset only if the connection had been stable. */
function retry(state: SocketMemory, nowMs: number, settings: RealtimeSettings): SocketStep {
  const attempt = isStable(state, nowMs, settings) ? 0 : state.attempt;
  const after = { ...state, attempt: attempt + 1 };
  if (!state.online) return next({ ...after, kind: 'parked' }, { do: 'drop' });
  const delayMs = Math.max(
    backoffDelayMs(attempt + 1, { delaysMs: settings.reconnectDelaysMs }, 0),
    state.visible ? 0 : settings.hiddenDelayMs,
  );
  const effects: SocketEffect[] = [{ do: 'drop' }, { do: 'wait', delayMs, jitter: true }];
  if (state.openedAtMs === null && attempt > 0) effects.push({ do: 'checkKey' });
  return { state: { ...after, kind: 'waiting' }, effects };
}

/** Replaces a silent socket at once if it had been stable, because then the network failed and not the server. */
function replace(state: SocketMemory, nowMs: number, settings: RealtimeSettings): SocketStep {
  if (state.attempt > 0 && !isStable(state, nowMs, settings)) return retry(state, nowMs, settings);
  const after = connect({ ...state, attempt: 1 }, settings);
  return next(after.state, { do: 'drop' }, ...after.effects);
}
