import { describe, expect, it } from 'vitest';
import {
  initialChannel,
  stepChannel,
  type ChannelEvent,
  type ChannelState,
} from '../../src/realtime-client/channel/channel-state.ts';
import { defaultSettings } from '../../src/realtime-client/index.ts';

type Kind = ChannelState['kind'];
type Input =
  | Exclude<ChannelEvent['kind'], 'tokenChange' | 'systemError' | 'refused'>
  | 'newToken'
  | 'newUser'
  | 'signOut'
  | 'refusedToken'
  | 'refusedForGood'
  | 'expired'
  | 'badBinding';
type Cell = '-' | `${Kind}${string}`;

const tokenOf = (sub: string) => `.${btoa(JSON.stringify({ sub }))}.`;
const nowMs = 100_000;
const wallMs = 1_000_000;
const memory = { ...initialChannel, online: true, token: 't1' };
const states: Record<Kind, ChannelState> = {
  idle: { ...memory, kind: 'idle' },
  offline: { ...memory, kind: 'offline', online: false },
  queued: { ...memory, kind: 'queued' },
  authorizing: { ...memory, kind: 'authorizing' },
  joining: { ...memory, kind: 'joining' },
  joined: { ...memory, kind: 'joined' },
  live: { ...memory, kind: 'live', wasLive: true, liveAtMs: nowMs - 1_000, liveWallMs: wallMs - 1_000 },
  backoff: { ...memory, kind: 'backoff' },
  failed: { ...memory, kind: 'failed', code: 'signed-out', message: '' },
};
const events: Record<Input, ChannelEvent> = {
  join: { kind: 'join' },
  rejoin: { kind: 'rejoin', wallMs },
  leave: { kind: 'leave', wallMs },
  online: { kind: 'online' },
  offline: { kind: 'offline', wallMs: wallMs },
  timer: { kind: 'timer' },
  token: { kind: 'token', token: 't2', holdMs: 0 },
  tokenError: { kind: 'tokenError' },
  newToken: { kind: 'tokenChange', token: 't2', wallMs },
  newUser: { kind: 'tokenChange', token: tokenOf('grace'), wallMs },
  signOut: { kind: 'tokenChange', token: null, wallMs },
  turn: { kind: 'turn' },
  heartbeat: { kind: 'heartbeat' },
  slot: { kind: 'slot' },
  unavailable: { kind: 'unavailable', code: 'websocket-unavailable', message: 'no websocket' },
  accepted: { kind: 'accepted', confirms: false, wallMs },
  refusedToken: { kind: 'refused', reason: 'InvalidJWTToken: Token has expired' },
  refusedForGood: { kind: 'refused', reason: 'Unauthorized: no permission' },
  subscribed: { kind: 'subscribed', wallMs },
  expired: { kind: 'systemError', reason: 'Token has expired 0 seconds ago', ofSubscription: false, wallMs },
  badBinding: { kind: 'systemError', reason: 'Unable to subscribe', ofSubscription: true, wallMs },
  ended: { kind: 'ended', wallMs },
};

const ask = 'queued: enqueue';
const unheard = {
  token: '-',
  tokenError: '-',
  accepted: '-',
  refusedToken: '-',
  refusedForGood: '-',
  subscribed: '-',
  expired: '-',
  badBinding: '-',
  ended: '-',
  rejoin: '-',
  turn: '-',
  heartbeat: '-',
  slot: '-',
  unavailable: 'failed:',
  newUser: '-',
} as const;
const onTopic = {
  join: '-',
  rejoin: 'queued: leave, enqueue',
  leave: 'idle: leave',
  online: '-',
  offline: 'offline:',
  token: '-',
  tokenError: '-',
  expired: 'queued: leave, rejectToken, enqueue',
  turn: '-',
  heartbeat: '-',
  slot: '-',
  unavailable: 'failed:',
  newUser: 'queued: leave, discard, enqueue',
  badBinding: 'failed: leave',
  ended: 'backoff: wait 1000',
} as const;

const table: Record<Kind, Record<Input, Cell>> = {
  idle: {
    ...unheard,
    unavailable: '-',
    join: ask,
    leave: '-',
    online: '-',
    offline: '-',
    timer: '-',
    newToken: '-',
    signOut: '-',
  },
  offline: {
    ...unheard,
    newUser: 'offline: discard',
    join: '-',
    leave: 'idle:',
    online: ask,
    offline: '-',
    timer: '-',
    newToken: '-',
    signOut: 'failed:',
  },
  queued: {
    ...unheard,
    newUser: 'queued: discard',
    turn: 'authorizing: authorize, wait 10000',
    join: '-',
    leave: 'idle:',
    online: '-',
    offline: 'offline:',
    timer: '-',
    newToken: '-',
    signOut: 'failed:',
  },
  authorizing: {
    ...unheard,
    join: '-',
    leave: 'idle:',
    online: '-',
    offline: 'offline:',
    timer: 'backoff: wait 1000',
    newToken: '-',
    signOut: 'failed:',
    token: 'joining: join, wait 10000',
    tokenError: 'backoff: wait 1000',
    refusedToken: 'queued: rejectToken, enqueue',
    refusedForGood: 'failed:',
  },
  joining: {
    ...onTopic,
    timer: 'joining: probe',
    newToken: '-',
    signOut: 'failed: leave, discard',
    accepted: 'joined: wait 60000',
    refusedToken: 'queued: rejectToken, enqueue',
    refusedForGood: 'failed:',
    subscribed: '-',
    newUser: '-',
  },
  joined: {
    ...onTopic,
    timer: 'joined: probe',
    newToken: 'joined: pushToken',
    signOut: 'failed: leave, discard',
    accepted: '-',
    refusedToken: '-',
    refusedForGood: '-',
    subscribed: 'live:',
  },
  live: {
    ...onTopic,
    timer: '-',
    newToken: 'live: pushToken',
    signOut: 'failed: leave, discard',
    accepted: '-',
    refusedToken: '-',
    refusedForGood: '-',
    subscribed: 'live: gap',
  },
  backoff: {
    ...unheard,
    newUser: 'backoff: discard',
    refusedToken: 'queued: rejectToken, enqueue',
    refusedForGood: 'failed:',
    join: '-',
    leave: 'idle:',
    online: '-',
    offline: 'offline:',
    timer: ask,
    newToken: '-',
    signOut: 'failed:',
  },
  failed: {
    ...unheard,
    unavailable: '-',
    newUser: ask,
    join: ask,
    leave: 'idle:',
    online: '-',
    offline: '-',
    timer: '-',
    newToken: ask,
    signOut: '-',
  },
};

const cells = Object.entries(table).flatMap(([kind, row]) =>
  Object.entries(row).map(([input, cell]) => [kind as Kind, input as Input, cell] as const),
);

describe('the states of a channel', () => {
  it.each(cells)('%s on %s: %s', (kind, input, cell) => {
    const { state, effects } = stepChannel(states[kind], events[input], nowMs, defaultSettings);
    const done = effects.map((effect) => (effect.do === 'wait' ? `wait ${effect.delayMs}` : effect.do));
    const isSame = state.kind === kind && effects.length === 0;
    expect(isSame ? '-' : `${state.kind}: ${done.join(', ')}`.trim()).toBe(cell);
  });

  it.each([states.joining, states.joined])(
    'of $kind waits for a heartbeat after the deadline, and is left only if it is answered first',
    (waiting) => {
      const { state: overdue } = stepChannel(waiting, events.timer, nowMs, defaultSettings);
      const late = stepChannel(overdue, events.heartbeat, nowMs, defaultSettings);
      expect([late.state.kind, ...late.effects.map((effect) => effect.do)]).toEqual([
        'backoff',
        'leave',
        'wait',
      ]);
      const confirmed = [events.subscribed, events.accepted, events.subscribed, events.heartbeat].reduce(
        (state, event) => stepChannel(state, event, nowMs, defaultSettings).state,
        overdue,
      );
      expect(confirmed.kind).toBe('live');
    },
  );

  it('become live on the reply when the confirmation arrived before it', () => {
    const { state } = stepChannel(states.joining, events.subscribed, nowMs, defaultSettings);
    expect(stepChannel(state, events.accepted, nowMs, defaultSettings).state.kind).toBe('live');
  });

  it('keep the start of the gap across several interruptions', () => {
    const lost = stepChannel(states.live, { kind: 'offline', wallMs: 5 }, nowMs, defaultSettings).state;
    const inputs: ChannelEvent[] = [
      { kind: 'online' },
      events.turn,
      events.token,
      { kind: 'offline', wallMs: 9 },
      { kind: 'online' },
      events.turn,
      events.token,
      events.accepted,
    ];
    const joined = inputs.reduce(
      (state, input) => stepChannel(state, input, nowMs, defaultSettings).state,
      lost,
    );
    expect(stepChannel(joined, events.subscribed, nowMs, defaultSettings).effects).toEqual([
      { do: 'gap', sinceMs: 5, reason: 'rejoined' },
    ]);
  });

  it('begin a second gap at the second interruption', () => {
    const rejoin: readonly ChannelEvent[] = [
      { kind: 'online' },
      events.turn,
      events.token,
      events.accepted,
      events.subscribed,
    ];
    const gapsOf = (inputs: readonly ChannelEvent[]) => {
      let state = states.live;
      return inputs.flatMap((input) => {
        const step = stepChannel(state, input, nowMs, defaultSettings);
        state = step.state;
        return step.effects.flatMap((effect) => (effect.do === 'gap' ? [effect.sinceMs] : []));
      });
    };
    expect(
      gapsOf([{ kind: 'offline', wallMs: 5 }, ...rejoin, { kind: 'offline', wallMs: 9 }, ...rejoin]),
    ).toEqual([5, 9]);
    const confirmed = (at: number): ChannelEvent => ({ kind: 'subscribed', wallMs: at });
    expect(gapsOf([confirmed(11), confirmed(12), confirmed(13)]).slice(1)).toEqual([11, 12]);
  });

  it('keep the start of the gap across a leave', () => {
    const inputs: ChannelEvent[] = [
      { kind: 'leave', wallMs: 5 },
      { kind: 'leave', wallMs: 9 },
      events.join,
      events.turn,
      events.token,
      events.accepted,
    ];
    const joined = inputs.reduce(
      (state, input) => stepChannel(state, input, nowMs, defaultSettings).state,
      states.live,
    );
    expect(stepChannel(joined, events.subscribed, nowMs, defaultSettings).effects).toEqual([
      { do: 'gap', sinceMs: 5, reason: 'rejoined' },
    ]);
    const left = stepChannel(states.joined, events.leave, nowMs, defaultSettings).state;
    expect(left.lostAtMs).toBeNull();
  });

  it('wait for the socket after a join that follows a leave without one', () => {
    const inputs: ChannelEvent[] = [
      { kind: 'offline', wallMs: 5 },
      { kind: 'leave', wallMs: 9 },
      events.join,
    ];
    for (const before of [states.live, states.joining]) {
      const state = inputs.reduce(
        (current, input) => stepChannel(current, input, nowMs, defaultSettings).state,
        before,
      );
      expect(state.kind).toBe('offline');
    }
  });

  it('back off with each failure, and reset only after a stable period', () => {
    const delays = [1_000, 2_000, 5_000, 10_000, 10_000];
    let state: ChannelState = states.joined;
    for (const delayMs of delays) {
      const step = stepChannel({ ...state, kind: 'joined' }, events.ended, nowMs, defaultSettings);
      expect(step.effects).toEqual([{ do: 'wait', delayMs, jitter: true }]);
      state = step.state;
    }
    const stable: ChannelState = { ...state, kind: 'live', liveAtMs: nowMs - 30_000, liveWallMs: 0 };
    expect(stepChannel(stable, events.ended, nowMs, defaultSettings).effects).toContainEqual({
      do: 'wait',
      delayMs: 1_000,
      jitter: true,
    });
  });
});
