import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/realtime-client/index.ts';
import {
  stepSocket,
  type SocketEvent,
  type SocketState,
} from '../../src/realtime-client/socket/socket-state.ts';

type Kind = SocketState['type'];
/** `awake`: the page woke up; `blocked`: the same during a join. */
type Input = Exclude<SocketEvent['type'], 'wake'> | 'awake' | 'blocked';
/** The next state and its effects; `-` where nothing changes. */
type Cell = '-' | `${Kind}${string}`;

const nowMs = 100_000;
const step = (
  state: SocketState,
  event: SocketEvent,
  page: { isVisible?: boolean; isOnline?: boolean } = {},
) => stepSocket(state, event, { nowMs, isVisible: true, isOnline: true, settings: defaultSettings, ...page });
const memory = { attempt: 0, openedAtMs: null };
const states: Record<Kind, SocketState> = {
  idle: { ...memory, type: 'idle' },
  connecting: { ...memory, type: 'connecting', startedAtMs: nowMs - 2_999 },
  open: { ...memory, type: 'open', openedAtMs: nowMs - 1_000 },
  probing: { ...memory, type: 'probing', openedAtMs: nowMs - 1_000, deadlineMs: nowMs + 8_000 },
  waiting: { ...memory, type: 'waiting' },
  parked: { ...memory, type: 'parked' },
  closed: { ...memory, type: 'closed' },
};
const events: Record<Input, SocketEvent> = {
  want: { type: 'want' },
  release: { type: 'release' },
  opened: { type: 'opened' },
  lost: { type: 'lost' },
  frame: { type: 'frame' },
  timer: { type: 'timer' },
  close: { type: 'close' },
  unavailable: { type: 'unavailable' },
  awake: { type: 'wake', isBlocked: false },
  blocked: { type: 'wake', isBlocked: true },
  probe: { type: 'probe' },
  offline: { type: 'offline' },
};

// prettier-ignore
const table: Record<Kind, Record<Input, Cell>> = {
  idle: {
    unavailable: '-', want: 'connecting: open, wait 10000', release: '-', opened: '-', lost: '-', frame: '-', timer: '-',
    close: 'closed: drop', awake: '-', offline: '-',
    blocked: '-', probe: '-',
  },
  connecting: {
    unavailable: 'idle:', want: '-', release: 'idle: drop', opened: 'open: wait 25000', lost: 'waiting: drop, wait 1000', frame: '-',
    timer: 'waiting: drop, wait 1000', close: 'closed: drop', awake: '-', offline: '-',
    blocked: '-', probe: '-',
  },
  open: {
    unavailable: '-', want: '-', release: 'idle: drop', opened: '-', lost: 'waiting: drop, wait 1000', frame: '-',
    timer: 'probing: heartbeat, wait 10000', close: 'closed: drop', awake: 'probing: heartbeat, wait 3000',
    offline: '-',
    blocked: 'probing: heartbeat, wait 10000', probe: 'probing: heartbeat, wait 10000',
  },
  probing: {
    unavailable: '-', want: '-', release: 'idle: drop', opened: '-', lost: 'waiting: drop, wait 1000', frame: 'open: wait 25000',
    timer: 'connecting: drop, open, wait 10000', close: 'closed: drop', awake: 'probing: heartbeat, wait 3000',
    offline: '-',
    blocked: '-', probe: 'probing: heartbeat',
  },
  waiting: {
    unavailable: 'idle:', want: '-', release: 'idle: drop', opened: '-', lost: '-', frame: '-', timer: 'connecting: open, wait 10000',
    close: 'closed: drop', awake: 'connecting: open, wait 10000', offline: 'parked:',
    blocked: 'connecting: open, wait 10000', probe: '-',
  },
  parked: {
    unavailable: '-', want: '-', release: 'idle: drop', opened: '-', lost: '-', frame: '-', timer: '-', close: 'closed: drop',
    awake: 'connecting: open, wait 10000', offline: '-',
    blocked: 'connecting: open, wait 10000', probe: '-',
  },
  closed: {
    unavailable: '-', want: '-', release: '-', opened: '-', lost: '-', frame: '-', timer: '-', close: '-', awake: '-',
    offline: '-',
    blocked: '-', probe: '-',
  },
};

const cells = Object.entries(table).flatMap(([kind, row]) =>
  Object.entries(row).map(([input, cell]) => [kind as Kind, input as Input, cell] as const),
);

describe('the states of the socket', () => {
  it.each(cells)('%s on %s: %s', (kind, input, cell) => {
    const { state, effects } = step(states[kind], events[input]);
    const done = effects.map((effect) => (effect.type === 'wait' ? `wait ${effect.delayMs}` : effect.type));
    const isSame = state.type === kind && effects.length === 0;
    expect(isSame ? '-' : `${state.type}: ${done.join(', ')}`.trim()).toBe(cell);
  });

  it('back off when a socket falls silent again before it was stable', () => {
    const silent: SocketState = { ...states.probing, attempt: 1 };
    const { state, effects } = step(silent, events.timer);
    expect([state.type, state.attempt]).toEqual(['waiting', 2]);
    expect(effects).toEqual([{ type: 'drop' }, { type: 'wait', delayMs: 2_000, jitter: true }]);
    const stable: SocketState = { ...silent, openedAtMs: nowMs - defaultSettings.stableAfterMs };
    expect(step(stable, events.timer).state.type).toBe('connecting');
  });

  it('begin another attempt where one has not connected for 3 s when the page wakes up', () => {
    const connecting: SocketState = { ...memory, attempt: 2, type: 'connecting', startedAtMs: nowMs - 3_000 };
    expect(step(connecting, events.awake)).toEqual({
      state: { ...connecting, startedAtMs: nowMs },
      effects: [{ type: 'drop' }, { type: 'open' }, { type: 'wait', delayMs: 10_000 }],
    });
    expect(step(connecting, events.awake, { isOnline: false }).effects).toEqual([{ type: 'drop' }]);
  });

  it('keep an earlier deadline when the page wakes up again', () => {
    const probing: SocketState = { ...memory, type: 'probing', openedAtMs: 0, deadlineMs: nowMs + 1_000 };
    expect(step(probing, events.awake).effects).toEqual([]);
  });

  it('wait a minute in a hidden page and until it is online in an offline one', () => {
    const open: SocketState = { ...states.open, openedAtMs: 0 };
    expect(step(open, events.lost, { isVisible: false }).effects).toContainEqual({
      type: 'wait',
      delayMs: 60_000,
      jitter: true,
    });
    expect(step(open, events.lost, { isOnline: false }).state.type).toBe('parked');
    for (const state of [states.idle, states.waiting, states.parked])
      expect(step(state, state.type === 'idle' ? events.want : events.awake, { isOnline: false })).toEqual({
        state: { ...state, type: 'parked' },
        effects: [],
      });
  });
});
