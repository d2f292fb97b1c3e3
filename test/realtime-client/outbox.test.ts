import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addToOutbox,
  drainOutbox,
  emptyOutbox,
  type OutboxItem,
  type OutboxState,
} from '../../src/realtime-client/broadcast/outbox.ts';
import { createChannelLimit } from '../../src/realtime-client/broadcast/rate-limit.ts';
import { createFakeWorld } from '../support/fake-platform.ts';

interface Item extends OutboxItem {
  readonly id: number;
}

const limits = { maxQueue: 3, latestIntervalMs: 16, tokenIntervalMs: 100 };
const item = (id: number, policy: OutboxItem['policy'], event = 'e'): Item => ({ id, policy, event });
const add = (items: readonly Item[], state: OutboxState<Item> = emptyOutbox) =>
  items.reduce<OutboxState<Item>>((before, one) => addToOutbox(before, one, limits).state, state);
const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);

describe('the outbox of a channel', () => {
  it('sends in order while the channel is joined', () => {
    const { send } = drainOutbox(add([item(1, 'queue'), item(2, 'queue')]), true, 10, 0, limits);
    expect(idsOf(send)).toEqual([1, 2]);
  });

  it('sends what the rate limits allow and retries when they allow one more', () => {
    const step = drainOutbox(
      add([item(1, 'queue'), item(2, 'drop'), item(3, 'queue')]),
      true,
      1.9,
      0,
      limits,
    );
    expect([idsOf(step.send), idsOf(step.state.items), step.waitMs]).toEqual([[1], [3], 100]);
    expect(step.dropped).toMatchObject([{ item: { id: 2 }, reason: 'throttled' }]);
  });

  it('keeps queued and latest items while it is not, and drops the others', () => {
    const step = drainOutbox(
      add([item(1, 'queue'), item(2, 'drop'), item(3, 'latest')]),
      false,
      10,
      0,
      limits,
    );
    expect(step.dropped).toMatchObject([{ item: { id: 2 }, reason: 'offline' }]);
    expect(idsOf(step.state.items)).toEqual([1, 3]);
    expect(step.waitMs).toBeNull();
  });

  it('replaces an earlier latest item of the same event only', () => {
    const state = add([item(1, 'latest', 'a'), item(2, 'latest', 'b')]);
    expect(addToOutbox(state, item(3, 'latest', 'a'), limits).dropped).toMatchObject([
      { item: { id: 1 }, reason: 'superseded' },
    ]);
  });

  it('sends a latest event at most once per frame', () => {
    const first = drainOutbox(add([item(1, 'latest')]), true, 10, 100, limits);
    const second = drainOutbox(add([item(2, 'latest')], first.state), true, 10, 110, limits);
    expect([second.send, second.waitMs]).toEqual([[], 6]);
    expect(idsOf(drainOutbox(second.state, true, 10, 116, limits).send)).toEqual([2]);
  });

  it('drops the oldest beyond its size', () => {
    const state = add([item(1, 'queue'), item(2, 'queue'), item(3, 'queue')]);
    expect(addToOutbox(state, item(4, 'queue'), limits).dropped).toMatchObject([
      { item: { id: 1 }, reason: 'overflow' },
    ]);
  });

  it('loses nothing silently and stays bounded', () => {
    const policy = fc.constantFrom('queue' as const, 'latest' as const, 'drop' as const);
    const act = fc.record({
      policy,
      afterMs: fc.nat({ max: 200 }),
      isJoined: fc.boolean(),
      available: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
        let state: OutboxState<Item> = emptyOutbox;
        let nowMs = 0;
        const ended = new Set<number>();
        acts.forEach(({ policy: how, afterMs, isJoined, available }, id) => {
          nowMs += afterMs;
          const added = addToOutbox(state, item(id, how), limits);
          const step = drainOutbox(added.state, isJoined, available, nowMs, limits);
          ({ state } = step);
          expect(step.send.length).toBeLessThanOrEqual(isJoined ? available : 0);
          const dropped = [...added.dropped, ...step.dropped].map((drop) => drop.item);
          for (const { id: one } of [...step.send, ...dropped]) {
            expect(ended.has(one)).toBe(false);
            ended.add(one);
          }
          expect(state.items.length).toBeLessThanOrEqual(limits.maxQueue);
        });
        expect(ended.size + state.items.length).toBe(acts.length);
      }),
    );
  });
});

describe('the rate limit of a channel', () => {
  it('allows a burst and its rate afterwards, within the limit of the client', async () => {
    const world = createFakeWorld({ seed: 1 });
    const { clock } = world.openTab();
    const client = {};
    const one = createChannelLimit(clock, client, 10, 15);
    const two = createChannelLimit(clock, client, 100, 15);
    const sendAll = (limit: typeof one) => {
      let sent = 0;
      while (limit.available() >= 1) {
        limit.take();
        sent += 1;
      }
      return sent;
    };
    expect([sendAll(one), sendAll(two)]).toEqual([10, 5]);
    await world.clock.advance(200);
    expect([sendAll(one), sendAll(two)]).toEqual([2, 1]);
    await world.clock.advance(60_000);
    expect([sendAll(two), sendAll(one)]).toEqual([15, 0]);
  });
});
