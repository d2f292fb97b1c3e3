import { backoffDelayMs } from '../../platform/backoff.ts';
import type { Platform, Timer } from '../../platform/platform.ts';

/** The result of a step function: the next state, and the effects to run. */
export interface Step<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export function next<State, Effect>(state: State, ...effects: readonly Effect[]): Step<State, Effect> {
  return { state, effects };
}

/** Sets the machine's only timer. A change of the state's `type` cancels it; another `wait` replaces it. */
export interface Wait {
  readonly type: 'wait';
  readonly delayMs: number;
  /** Whether random jitter is added to the delay. Default false. */
  readonly jitter?: boolean;
}

export interface Machine<State, Event> {
  readonly state: State;
  send(event: Event): void;
}

interface MachineOptions<State, Event, Effect> {
  readonly initial: State;
  readonly step: (
    state: State,
    event: Event | { type: 'timer' },
    nowMs: number,
  ) => Step<State, Effect | Wait>;
  readonly run: (effect: Effect) => void;
  /** `report` receives what an effect or `onStep` threw; the remaining effects still run. */
  readonly platform: Pick<Platform, 'clock' | 'random' | 'report'>;
  /** Upper bound of the jitter, as a fraction of the delay. Default 0. */
  readonly jitter?: number;
  readonly onStep?: (state: State, before: State) => void;
}

/**
 * Runs a pure step function: one event at a time, its effects in order. Events sent by effects are queued. The
 * machine's timer sends `{ type: 'timer' }`.
 */
export function createMachine<
  State extends { readonly type: string },
  Event,
  Effect extends { readonly type: string },
>(options: MachineOptions<State, Event, Effect>): Machine<State, Event> {
  const { initial, step, run, jitter = 0, onStep } = options;
  const { clock, random, report } = options.platform;
  let state = initial;
  let timer: Timer | undefined;
  let running = false;
  const queue: (Event | { type: 'timer' })[] = [];
  const isWait = (effect: Effect | Wait): effect is Wait => effect.type === 'wait';
  const runOne = (effect: Effect | Wait) => {
    if (!isWait(effect)) return run(effect);
    timer?.cancel();
    const backoff = { delaysMs: [effect.delayMs], jitter: effect.jitter ? jitter : 0 };
    timer = clock.setTimer(() => send({ type: 'timer' }), backoffDelayMs(1, backoff, random.number()));
  };
  const guard = (task: () => void) => {
    try {
      task();
    } catch (problem) {
      report(problem);
    }
  };
  const send = (event: Event | { type: 'timer' }) => {
    queue.push(event);
    if (running) return;
    running = true;
    for (let next = queue.shift(); next; next = queue.shift()) {
      const before = state;
      const result = step(before, next, clock.monotonicMs());
      state = result.state;
      if (state.type !== before.type) timer?.cancel();
      for (const effect of result.effects) guard(() => runOne(effect));
      if (state !== before) guard(() => onStep?.(state, before));
    }
    running = false;
  };
  return {
    get state() {
      return state;
    },
    send,
  };
}
