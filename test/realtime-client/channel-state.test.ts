import { describe, expect, it } from 'vitest';
import {
  initialChannel,
  stepChannel,
  type ChannelEvent,
  type ChannelState,
} from '../../src/realtime-client/channel/channel-state.ts';
import { defaultSettings } from '../../src/realtime-client/index.ts';

type Kind = ChannelState['type'];
type Input =
  | Exclude<ChannelEvent['type'], 'tokenChange' | 'systemError' | 'refused'>
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
const step = (state: ChannelState, event: ChannelEvent, atMs = wallMs) =>
  stepChannel(state, event, { nowMs, wallMs: atMs, settings: defaultSettings });
const replay = (state: ChannelState, inputs: readonly ChannelEvent[]) =>
  inputs.reduce((current, input) => step(current, input).state, state);
const memory = { ...initialChannel, token: 't1' };
const states: Record<Kind, ChannelState> = {
  idle: { ...memory, type: 'idle' },
  queued: { ...memory, type: 'queued' },
  authorizing: { ...memory, type: 'authorizing' },
  joining: { ...memory, type: 'joining', unconfirmed: ['subscription'] },
  joined: { ...memory, type: 'joined', unconfirmed: ['subscription'] },
  live: { ...memory, type: 'live', wasLive: true, liveAtMs: nowMs - 1_000, liveWallMs: wallMs - 1_000 },
  backoff: { ...memory, type: 'backoff' },
  failed: { ...memory, type: 'failed', code: 'signed-out', message: '' },
};
const events: Record<Input, ChannelEvent> = {
  join: { type: 'join' },
  rejoin: { type: 'rejoin' },
  leave: { type: 'leave' },
  offline: { type: 'offline', lastFrameAtMs: wallMs },
  timer: { type: 'timer' },
  token: { type: 'token', token: 't2', holdMs: 0, confirmations: ['subscription'] },
  tokenError: { type: 'tokenError' },
  newToken: { type: 'tokenChange', token: 't2' },
  newUser: { type: 'tokenChange', token: tokenOf('grace') },
  signOut: { type: 'tokenChange', token: null },
  turn: { type: 'turn' },
  heartbeat: { type: 'heartbeat' },
  unavailable: { type: 'unavailable', code: 'websocket-unavailable', message: 'no websocket' },
  accepted: { type: 'accepted' },
  refusedToken: { type: 'refused', refusal: 'token', reason: 'InvalidJWTToken: Token has expired' },
  refusedForGood: { type: 'refused', refusal: 'unauthorized', reason: 'Unauthorized: no permission' },
  confirmed: { type: 'confirmed', confirmation: 'subscription' },
  expired: { type: 'systemError', refusal: 'token', reason: 'Token has expired 0 seconds ago' },
  badBinding: { type: 'systemError', refusal: 'subscription-refused', reason: 'Unable to subscribe' },
  ended: { type: 'ended' },
};

const ask = 'queued:';
const unlistened = {
  token: '-',
  tokenError: '-',
  accepted: '-',
  refusedToken: '-',
  refusedForGood: '-',
  confirmed: '-',
  expired: '-',
  badBinding: '-',
  ended: '-',
  rejoin: '-',
  turn: '-',
  heartbeat: '-',
  unavailable: 'failed:',
  newUser: '-',
} as const;
const onTopic = {
  join: '-',
  rejoin: 'queued: leave',
  leave: 'idle: leave',
  offline: 'queued:',
  token: '-',
  tokenError: '-',
  expired: 'queued: leave, rejectToken',
  turn: '-',
  heartbeat: '-',
  unavailable: 'failed:',
  newUser: 'queued: leave',
  badBinding: 'failed: leave',
  ended: 'backoff: wait 1000',
} as const;

const table: Record<Kind, Record<Input, Cell>> = {
  idle: {
    ...unlistened,
    unavailable: '-',
    join: ask,
    leave: '-',
    offline: '-',
    timer: '-',
    newToken: '-',
    signOut: '-',
  },
  queued: {
    ...unlistened,
    turn: 'authorizing: authorize, wait 10000',
    join: '-',
    leave: 'idle:',
    offline: '-',
    timer: '-',
    newToken: '-',
    signOut: 'failed:',
  },
  authorizing: {
    ...unlistened,
    join: '-',
    leave: 'idle:',
    offline: 'queued:',
    timer: 'backoff: wait 1000',
    newToken: '-',
    signOut: 'failed:',
    token: 'joining: join, wait 10000',
    tokenError: 'backoff: wait 1000',
    refusedToken: 'queued: rejectToken',
    refusedForGood: 'failed:',
  },
  joining: {
    ...onTopic,
    timer: 'joining: probe',
    newToken: '-',
    signOut: 'failed: leave',
    accepted: 'joined: wait 60000',
    refusedToken: 'queued: rejectToken',
    refusedForGood: 'failed:',
    confirmed: '-',
    newUser: '-',
  },
  joined: {
    ...onTopic,
    timer: 'joined: probe',
    newToken: 'joined: pushToken',
    signOut: 'failed: leave',
    accepted: '-',
    refusedToken: '-',
    refusedForGood: '-',
    confirmed: 'live:',
  },
  live: {
    ...onTopic,
    timer: '-',
    newToken: 'live: pushToken',
    signOut: 'failed: leave',
    accepted: '-',
    refusedToken: '-',
    refusedForGood: '-',
    confirmed: 'live: gap',
  },
  backoff: {
    ...unlistened,
    refusedToken: 'queued: rejectToken',
    refusedForGood: 'failed:',
    join: '-',
    leave: 'idle:',
    offline: 'queued:',
    timer: ask,
    newToken: '-',
    signOut: 'failed:',
  },
  failed: {
    ...unlistened,
    unavailable: '-',
    newUser: ask,
    join: ask,
    leave: 'idle:',
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
    const { state, effects } = step(states[kind], events[input]);
    const done = effects.map((effect) => (effect.type === 'wait' ? `wait ${effect.delayMs}` : effect.type));
    const isSame = state.type === kind && effects.length === 0;
    expect(isSame ? '-' : `${state.type}: ${done.join(', ')}`.trim()).toBe(cell);
  });

  it.each([states.joining, states.joined])(
    'of $kind waits for a heartbeat after the deadline, and is left only if the reply to that arrives first',
    (waiting) => {
      const { state: overdue } = step(waiting, events.timer);
      const late = step(overdue, events.heartbeat);
      expect([late.state.type, ...late.effects.map((effect) => effect.type)]).toEqual([
        'backoff',
        'leave',
        'wait',
      ]);
      expect(step(late.state, events.heartbeat).state).toBe(late.state);
      const confirmed = replay(overdue, [
        events.confirmed,
        events.accepted,
        events.confirmed,
        events.heartbeat,
      ]);
      expect(confirmed.type).toBe('live');
    },
  );

  it('become live on the reply when the confirmation arrived before it, or is not needed', () => {
    expect(replay(states.joining, [events.confirmed, events.accepted]).type).toBe('live');
    const token: ChannelEvent = { type: 'token', token: 't2', holdMs: 0, confirmations: [] };
    expect(replay(states.authorizing, [token, events.accepted]).type).toBe('live');
  });

  describe('that wait for the replication', () => {
    const token: ChannelEvent = {
      type: 'token',
      token: 't2',
      holdMs: 0,
      confirmations: ['subscription', 'replication'],
    };
    const replicated: ChannelEvent = { type: 'confirmed', confirmation: 'replication' };
    const joining = step(states.authorizing, token).state;

    it('treat an older server, which never confirms it, as ready once it has replied to a heartbeat', () => {
      const accepted = step(joining, events.accepted);
      expect(accepted.effects).toEqual([{ type: 'wait', delayMs: 10_000 }]);
      const overdue = replay(accepted.state, [events.timer]);
      const responded = step(overdue, events.heartbeat);
      expect([responded.state.type, responded.effects]).toEqual([
        'joined',
        [{ type: 'wait', delayMs: 60_000 }],
      ]);
      expect(step(responded.state, events.confirmed).state.type).toBe('live');
      // The wait for the replication continues after the confirmation of the subscription.
      const confirmed = step(accepted.state, events.confirmed);
      expect([confirmed.state.type, confirmed.effects]).toEqual(['joined', []]);
      expect(replay(confirmed.state, [events.timer, events.heartbeat]).type).toBe('live');
    });

    it('wait longer for a server that has confirmed it before, also after a leave', () => {
      const live = replay(joining, [events.accepted, replicated, events.confirmed]);
      expect(live.type).toBe('live');
      const again = replay(live, [events.leave, events.join, events.turn, token]);
      const accepted = step(again, events.accepted);
      expect(accepted.effects).toEqual([{ type: 'wait', delayMs: 60_000 }]);
      expect(replay(accepted.state, [events.confirmed, events.timer, events.heartbeat]).type).toBe('backoff');
    });
  });

  describe('that have pushed a token less than ten seconds ago', () => {
    const tokenWith = (claims: object) => `.${btoa(JSON.stringify({ sub: 'ada', ...claims }))}.`;
    const change = (claims: object): ChannelEvent => ({ type: 'tokenChange', token: tokenWith(claims) });
    const at = (state: ChannelState, event: ChannelEvent, atMs: number) =>
      stepChannel(state, event, { nowMs: atMs, wallMs, settings: defaultSettings });
    const live: ChannelState = { ...states.live, token: tokenWith({ aal: 'aal1', exp: 1 }) };
    const effectsOf = ({ effects }: ReturnType<typeof step>) => effects.map((effect) => effect.type);

    it('push another token with the same rights, and join again with a token of other rights, which the server would not verify yet', () => {
      const first = at(live, change({ aal: 'aal1', exp: 2 }), nowMs);
      expect(effectsOf(first)).toEqual(['pushToken']);
      const second = at(first.state, change({ aal: 'aal1', exp: 3 }), nowMs + 5_000);
      expect(effectsOf(second)).toEqual(['pushToken']);
      const third = at(second.state, change({ aal: 'aal2' }), nowMs + 9_999);
      expect([third.state.type, effectsOf(third), third.state.lostAtMs]).toEqual([
        'queued',
        ['leave'],
        wallMs,
      ]);
    });

    it('count the ten seconds from the moment at which the server verifies its held token', () => {
      const first = at(live, change({ aal: 'aal1', exp: 2 }), nowMs);
      const held = at(first.state, change({ aal: 'aal1', exp: 3 }), nowMs + 5_000);
      const other = change({ aal: 'aal2' });
      expect(effectsOf(at(first.state, other, nowMs + 10_000))).toEqual(['pushToken']);
      expect(effectsOf(at(held.state, other, nowMs + 19_999))).toEqual(['leave']);
      expect(effectsOf(at(held.state, other, nowMs + 20_000))).toEqual(['pushToken']);
    });

    it.each([{ role: 'other' }, { app_metadata: { tenant: 2 } }])(
      'join again for any other claim of a held token: %o',
      (claims) => {
        const first = at(live, change({ aal: 'aal1', exp: 2 }), nowMs);
        expect(effectsOf(at(first.state, change({ aal: 'aal1', ...claims }), nowMs + 1))).toEqual(['leave']);
      },
    );

    it('push at once after another join', () => {
      const pushed = at(live, change({ aal: 'aal1', exp: 2 }), nowMs).state;
      const token: ChannelEvent = { type: 'token', token: tokenWith({}), holdMs: 0, confirmations: [] };
      const again = replay(pushed, [events.rejoin, events.turn, token, events.accepted]);
      expect(effectsOf(at(again, change({ role: 'other' }), nowMs + 1))).toEqual(['pushToken']);
    });

    it('count a token that is pushed right after the reply to the join', () => {
      const joining: ChannelState = { ...states.joining, token: tokenWith({ aal: 'aal1' }) };
      const accepted = replay(joining, [change({ aal: 'aal1', exp: 2 }), events.accepted]);
      expect(effectsOf(at(accepted, change({ aal: 'aal2' }), nowMs + 1))).toEqual(['leave']);
    });
  });

  it('keep the start of the gap across several interruptions', () => {
    const rejoin = [events.turn, events.token];
    const joined = replay(states.live, [
      { type: 'offline', lastFrameAtMs: 5 },
      ...rejoin,
      { type: 'offline', lastFrameAtMs: 9 },
      ...rejoin,
      events.accepted,
    ]);
    expect(step(joined, events.confirmed).effects).toEqual([{ type: 'gap', sinceMs: 5, reason: 'rejoined' }]);
  });

  it('begin a second gap at the second interruption', () => {
    const rejoin = [events.turn, events.token, events.accepted, events.confirmed];
    const gapsOf = (inputs: readonly (readonly [ChannelEvent, number?])[]) => {
      let state = states.live;
      return inputs.flatMap(([input, atMs]) => {
        const after = step(state, input, atMs);
        ({ state } = after);
        return after.effects.flatMap((effect) => (effect.type === 'gap' ? [effect.sinceMs] : []));
      });
    };
    const interruptions: ChannelEvent[] = [
      { type: 'offline', lastFrameAtMs: 5 },
      ...rejoin,
      { type: 'offline', lastFrameAtMs: 9 },
      ...rejoin,
    ];
    expect(gapsOf(interruptions.map((input) => [input]))).toEqual([5, 9]);
    expect(gapsOf([11, 12, 13].map((atMs) => [events.confirmed, atMs])).slice(1)).toEqual([11, 12]);
  });

  it('keep the start of the gap across a leave', () => {
    const left = step(step(states.live, events.leave, 5).state, events.leave, 9).state;
    const joined = replay(left, [events.join, events.turn, events.token, events.accepted]);
    expect(step(joined, events.confirmed).effects).toEqual([{ type: 'gap', sinceMs: 5, reason: 'rejoined' }]);
    expect(step(states.joined, events.leave).state.lostAtMs).toBeNull();
  });

  it('back off with each failure, and reset only after a stable period', () => {
    const delays = [1_000, 2_000, 5_000, 10_000, 10_000];
    let state: ChannelState = states.joined;
    for (const delayMs of delays) {
      const after = step({ ...state, type: 'joined' }, events.ended);
      expect(after.effects).toEqual([{ type: 'wait', delayMs, jitter: true }]);
      ({ state } = after);
    }
    const stable: ChannelState = { ...state, type: 'live', liveAtMs: nowMs - 30_000, liveWallMs: 0 };
    expect(step(stable, events.ended).effects).toContainEqual({ type: 'wait', delayMs: 1_000, jitter: true });
  });
});
