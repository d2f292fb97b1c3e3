import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addToOutbox,
  createOutbox,
  drainOutbox,
  type OutboxItem,
  type OutboxState,
} from '../../src/realtime-client/broadcast/outbox.ts';

const limits = { perSecond: 10, maxQueue: 3, latestIntervalMs: 16 };
const item = (id: number, policy: OutboxItem['policy'], event = 'e'): OutboxItem => ({ id, policy, event });
const add = (items: readonly OutboxItem[], state = createOutbox(limits, 0)) =>
  items.reduce<OutboxState>((before, one) => addToOutbox(before, one, limits).state, state);

describe('the outbox of a channel', () => {
  it('sends in order while the channel is joined', () => {
    expect(drainOutbox(add([item(1, 'queue'), item(2, 'queue')]), true, 10, 0, limits).send).toEqual([1, 2]);
  });

  it('keeps queued and latest items while it is not, and drops the others', () => {
    const step = drainOutbox(
      add([item(1, 'queue'), item(2, 'drop'), item(3, 'latest')]),
      false,
      10,
      0,
      limits,
    );
    expect(step.dropped).toEqual([{ id: 2, reason: 'offline' }]);
    expect(step.state.items.map(({ id }) => id)).toEqual([1, 3]);
    expect(step.waitMs).toBeNull();
  });

  it('replaces an earlier latest item of the same event only', () => {
    const state = add([item(1, 'latest', 'a'), item(2, 'latest', 'b')]);
    expect(addToOutbox(state, item(3, 'latest', 'a'), limits).dropped).toEqual([
      { id: 1, reason: 'superseded' },
    ]);
  });

  it('sends a latest event at most once per frame', () => {
    const first = drainOutbox(add([item(1, 'latest')]), true, 10, 100, limits);
    const second = drainOutbox(add([item(2, 'latest')], first.state), true, 10, 110, limits);
    expect([second.send, second.waitMs]).toEqual([[], 6]);
    expect(drainOutbox(second.state, true, 10, 116, limits).send).toEqual([2]);
  });

  it('drops the oldest beyond its size', () => {
    const state = add([item(1, 'queue'), item(2, 'queue'), item(3, 'queue')]);
    expect(addToOutbox(state, item(4, 'queue'), limits).dropped).toEqual([{ id: 1, reason: 'overflow' }]);
  });

  it('never exceeds the rates of the channel and of the client, loses nothing silently and stays bounded', () => {
    const policy = fc.constantFrom('queue' as const, 'latest' as const, 'drop' as const);
    const act = fc.record({ policy, afterMs: fc.nat({ max: 200 }), isJoined: fc.boolean() });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
        let state = createOutbox(limits, 0);
        let nowMs = 0;
        const sentAt: number[] = [];
        const ended = new Set<number>();
        acts.forEach(({ policy: how, afterMs, isJoined }, id) => {
          nowMs += afterMs;
          const added = addToOutbox(state, item(id, how), limits);
          const step = drainOutbox(added.state, isJoined, 100, nowMs, limits);
          ({ state } = step);
          sentAt.push(...step.send.map(() => nowMs));
          for (const one of [...step.send, ...[...added.dropped, ...step.dropped].map((drop) => drop.id)]) {
            expect(ended.has(one)).toBe(false);
            ended.add(one);
          }
          expect(state.items.length).toBeLessThanOrEqual(limits.maxQueue);
        });
        expect(ended.size + state.items.length).toBe(acts.length);
        for (const atMs of sentAt)
          expect(sentAt.filter((one) => one >= atMs && one < atMs + 1_000).length).toBeLessThanOrEqual(
            2 * limits.perSecond,
          );
      }),
    );
  });
});
