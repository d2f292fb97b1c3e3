import { backoffMs } from './backoff.ts';
import { next, type Step, type Wait } from './machine.ts';
import type { RealtimeSettings } from './settings.ts';

/**
 * The life of the socket. `idle`: nobody needs it; `probing`: a heartbeat is unanswered; `waiting`: until the next
 * attempt; `parked`: offline, until the page says otherwise; `closed`: for good.
 */
export type SocketState = SocketMemory &
  (
    | { readonly kind: 'idle' | 'connecting' | 'waiting' | 'parked' | 'closed' }
    | { readonly kind: 'open'; readonly openedAtMs: number }
    | { readonly kind: 'probing'; readonly openedAtMs: number; readonly deadlineMs: number }
  );

interface SocketMemory {
  /** Failed attempts since the connection was last stable. */
  readonly attempt: number;
  readonly visible: boolean;
  readonly online: boolean;
}

export type SocketEvent =
  | { readonly kind: 'want' | 'release' | 'opened' | 'lost' | 'frame' | 'timer' | 'close' }
  /** The page changed; `awake` when it may have slept until now. */
  | { readonly kind: 'page'; readonly visible: boolean; readonly online: boolean; readonly awake: boolean };

export type SocketEffect = Wait | { readonly do: 'open' | 'drop' | 'heartbeat' };

type SocketStep = Step<SocketState, SocketEffect>;

/** @param nowMs monotonic time in milliseconds. */
export function stepSocket(
  state: SocketState,
  event: SocketEvent,
  nowMs: number,
  settings: RealtimeSettings,
): SocketStep {
  const memory: SocketMemory = { attempt: state.attempt, visible: state.visible, online: state.online };
  const isOpen = state.kind === 'open' || state.kind === 'probing';
  const stay: SocketStep = next(state);
  if (state.kind === 'closed') return stay;
  switch (event.kind) {
    case 'want':
      return state.kind === 'idle' ? connect(memory, settings) : stay;
    case 'release':
    case 'close': {
      const kind = event.kind === 'close' ? 'closed' : 'idle';
      if (state.kind === kind) return stay;
      return next({ ...memory, kind }, { do: 'drop' });
    }
    case 'opened':
      if (state.kind !== 'connecting') return stay;
      return next(
        { ...memory, kind: 'open', openedAtMs: nowMs },
        { do: 'wait', delayMs: settings.heartbeatMs },
      );
    case 'lost':
      if (isOpen) return retry(memory, state.openedAtMs, nowMs, settings);
      return state.kind === 'connecting' ? retry(memory, null, nowMs, settings) : stay;
    case 'frame':
      if (state.kind !== 'probing') return stay;
      return next(
        { ...memory, kind: 'open', openedAtMs: state.openedAtMs },
        { do: 'wait', delayMs: settings.heartbeatMs },
      );
    case 'timer':
      if (state.kind === 'open') return probe(memory, state.openedAtMs, nowMs + settings.timeoutMs, nowMs);
      if (state.kind === 'waiting') return connect(memory, settings);
      if (state.kind === 'probing') return replace(memory, state.openedAtMs, nowMs, settings);
      return state.kind === 'connecting' ? retry(memory, null, nowMs, settings) : stay;
    case 'page':
      return stepPage(state, event, nowMs, settings);
  }
}

function stepPage(
  state: SocketState,
  event: Extract<SocketEvent, { kind: 'page' }>,
  nowMs: number,
  settings: RealtimeSettings,
): SocketStep {
  const memory: SocketMemory = { attempt: state.attempt, visible: event.visible, online: event.online };
  if (state.kind === 'open' || state.kind === 'probing') {
    const deadlineMs = nowMs + settings.probeMs;
    if (event.awake && !(state.kind === 'probing' && state.deadlineMs <= deadlineMs))
      return probe(memory, state.openedAtMs, deadlineMs, nowMs);
  } else if (state.kind === 'waiting' || state.kind === 'parked') {
    if (!event.online) return next({ ...memory, kind: 'parked' });
    if (event.awake) return connect(memory, settings);
  }
  return next({ ...state, ...memory });
}

function connect(memory: SocketMemory, { timeoutMs }: RealtimeSettings): SocketStep {
  if (!memory.online) return next({ ...memory, kind: 'parked' });
  return next({ ...memory, kind: 'connecting' }, { do: 'open' }, { do: 'wait', delayMs: timeoutMs });
}

function probe(memory: SocketMemory, openedAtMs: number, deadlineMs: number, nowMs: number): SocketStep {
  return next(
    { ...memory, kind: 'probing', openedAtMs, deadlineMs },
    { do: 'heartbeat' },
    { do: 'wait', delayMs: deadlineMs - nowMs },
  );
}

/** After a loss: the waits begin anew only if the connection had been stable. */
function retry(
  memory: SocketMemory,
  openedAtMs: number | null,
  nowMs: number,
  settings: RealtimeSettings,
): SocketStep {
  const isStable = openedAtMs !== null && nowMs - openedAtMs >= settings.stableAfterMs;
  const attempt = isStable ? 0 : memory.attempt;
  const after = { ...memory, attempt: attempt + 1 };
  if (!memory.online) return next({ ...after, kind: 'parked' }, { do: 'drop' });
  const delayMs = Math.max(backoffMs(attempt, settings), memory.visible ? 0 : settings.hiddenDelayMs);
  return next({ ...after, kind: 'waiting' }, { do: 'drop' }, { do: 'wait', delayMs, jitter: true });
}

/** A silent socket that had been stable is replaced at once: the network failed, not the server. */
function replace(
  memory: SocketMemory,
  openedAtMs: number,
  nowMs: number,
  settings: RealtimeSettings,
): SocketStep {
  if (memory.attempt > 0 && nowMs - openedAtMs < settings.stableAfterMs)
    return retry(memory, openedAtMs, nowMs, settings);
  const { state, effects } = connect({ ...memory, attempt: 1 }, settings);
  return next(state, { do: 'drop' }, ...effects);
}
