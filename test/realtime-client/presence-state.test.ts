import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodePresence,
  initialPresence,
  stepPresence,
  type PresenceEvent,
  type PresenceState,
} from '../../src/realtime-client/presence/presence-state.ts';

const graceMs = 10_000;
const metas = (...refs: readonly string[]) => ({ metas: refs.map((ref) => ({ phx_ref: ref, n: ref })) });
const diff = (joins: object, leaves: object = {}): PresenceEvent => ({
  type: 'presence_diff',
  payload: { joins, leaves },
});
const full = (payload: object): PresenceEvent => ({ type: 'presence_state', payload });

/** Runs events, each with its time, and collects what was announced. */
function run(events: readonly (readonly [PresenceEvent, number?])[]) {
  const announced: string[] = [];
  const state = events.reduce<PresenceState>((before, [event, nowMs = 0]) => {
    const step = stepPresence(before, event, nowMs, graceMs);
    announced.push(...step.joined.map((key) => `+${key}`), ...step.left.map((key) => `-${key}`));
    return step.state;
  }, initialPresence);
  return { state, announced, keys: [...state.keys.keys()] };
}

describe('the presence of a channel', () => {
  it('announces keys once, also with several entries', () => {
    const { announced, state } = run([
      [full({ a: metas('1') })],
      [diff({ a: metas('2') })],
      [diff({}, { a: metas('1') })],
    ]);
    expect(announced).toEqual(['+a']);
    expect(encodePresence(state)).toEqual({ a: metas('2') });
  });

  it('keeps a key whose entry is updated, in any order of the refs', () => {
    const { announced } = run([[full({ a: metas('1') })], [diff({ a: metas('2') }, { a: metas('1') })]]);
    expect(announced).toEqual(['+a']);
  });

  it('applies diffs that arrive before the full state after it', () => {
    const { announced, keys } = run([[diff({ b: metas('2') })], [full({ a: metas('1') })]]);
    expect([announced, keys]).toEqual([
      ['+a', '+b'],
      ['a', 'b'],
    ]);
  });

  it('forgets diffs of a join whose full state never arrived', () => {
    const { announced, keys } = run([
      [diff({ ghost: metas('2') })],
      [{ type: 'interrupted' }],
      [full({ a: metas('1') })],
    ]);
    expect([announced, keys]).toEqual([['+a'], ['a']]);
  });

  it('keeps the last thousand diffs that arrive before the full state, which has the earlier ones', () => {
    const early = Array.from(
      { length: 1_001 },
      (_, index) => [diff({ [`key-${index}`]: metas('1') })] as const,
    );
    const { state, keys } = run([...early, [full({})]]);
    expect([state.pending.length, keys.length, keys[0]]).toEqual([0, 1_000, 'key-1']);
  });

  it('does not flicker over a reconnect: keys return with other refs, or leave after the grace period', () => {
    const { announced, keys } = run([
      [full({ a: metas('1'), b: metas('2'), c: metas('3') })],
      [{ type: 'interrupted' }],
      [full({ a: metas('4') }), 5_000],
      [diff({ b: metas('5') }), 6_000],
      [{ type: 'timer' }, 14_999],
      [{ type: 'timer' }, 15_000],
    ]);
    expect(announced).toEqual(['+a', '+b', '+c', '-c']);
    expect(keys).toEqual(['a', 'b']);
  });

  it('counts the grace period of a missing key from the first rejoin', () => {
    const { announced } = run([
      [full({ a: metas('1') })],
      [{ type: 'interrupted' }],
      [full({}), 1_000],
      [{ type: 'interrupted' }, 6_000],
      [full({}), 7_000],
      [{ type: 'timer' }, 10_999],
      [{ type: 'timer' }, 11_000],
    ]);
    expect(announced).toEqual(['+a', '-a']);
  });

  it('replaces the old entries of a key that returns after a reconnect', () => {
    const { state } = run([
      [full({ a: metas('1') })],
      [{ type: 'interrupted' }],
      [full({})],
      [diff({ a: metas('2') })],
    ]);
    expect(encodePresence(state)).toEqual({ a: metas('2') });
  });

  it('ignores malformed payloads', () => {
    const odd: readonly unknown[] = [null, 'x', { a: null, b: { metas: 'x' } }, []];
    for (const payload of odd)
      expect(() =>
        run([[{ type: 'presence_state', payload }], [{ type: 'presence_diff', payload }]]),
      ).not.toThrow();
  });

  it('equals the state of the server after any interleaving of states and diffs', () => {
    const change = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      isJoin: fc.boolean(),
      isRejoin: fc.boolean(),
      isRepeated: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const server = new Map<string, string[]>();
        const encoded = () => Object.fromEntries(Array.from(server, ([key, refs]) => [key, metas(...refs)]));
        const events: PresenceEvent[] = [full({})];
        changes.forEach(({ key, isJoin, isRejoin, isRepeated }, index) => {
          const refs = server.get(key) ?? [];
          const [first] = refs;
          if (isJoin) server.set(key, [...refs, `${index}`]);
          else if (refs.length > 1) server.set(key, refs.slice(1));
          else server.delete(key);
          const next = isJoin
            ? diff({ [key]: metas(`${index}`) })
            : diff({}, first ? { [key]: metas(first) } : {});
          events.push(next);
          if (isRepeated && isJoin) events.push(next);
          if (isRejoin) events.push({ type: 'interrupted' }, full(encoded()));
        });
        const settled = run([...events.map((event) => [event] as const), [{ type: 'timer' }, graceMs]]);
        expect(encodePresence(settled.state)).toEqual(encoded());
      }),
    );
  });
});
