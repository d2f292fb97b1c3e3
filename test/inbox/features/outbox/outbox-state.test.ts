import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { initialState, nextCommand, step } from '../../../../src/inbox/features/outbox/outbox-state.ts';
import type {
  OutboxEntry,
  OutboxEvent,
  OutboxState,
} from '../../../../src/inbox/features/outbox/outbox-state.ts';

const entry = (sequence: number, details: Partial<OutboxEntry> = {}): OutboxEntry => ({
  id: `change-${sequence}`,
  sequence,
  userId: 'ada',
  topic: 'notifications',
  payload: null,
  heldUntilMs: 0,
  isClaimed: false,
  ...details,
});

const sequence = fc.integer({ min: 1, max: 6 });
const id = sequence.map((number) => `change-${number}`);
const timeMs = fc.integer({ min: 0, max: 100 });
const anyEntry = fc.tuple(sequence, timeMs).map(([number, heldUntilMs]) => entry(number, { heldUntilMs }));
const event: fc.Arbitrary<OutboxEvent> = fc.oneof(
  fc
    .uniqueArray(anyEntry, { selector: ({ id: own }) => own })
    .map((entries) => ({ type: 'loaded', entries }) as const),
  anyEntry.map((added) => ({ type: 'added', entry: added }) as const),
  id.map((own) => ({ type: 'released', id: own }) as const),
  id.map((own) => ({ type: 'removed', id: own }) as const),
  fc.boolean().map((isOnline) => ({ type: 'connection', isOnline }) as const),
  fc.boolean().map((isSender) => ({ type: 'lock', isSender }) as const),
  id.map((own) => ({ type: 'sending', id: own }) as const),
  fc.tuple(id, timeMs).map(([own, retryAtMs]) => ({ type: 'failed', id: own, retryAtMs }) as const),
);
const run = (events: readonly OutboxEvent[]): OutboxState => events.reduce(step, initialState(false));

describe('the machine of the outbox', () => {
  test('keeps the entries ordered and unique after any events', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const sequences = run(events).entries.map((own) => own.sequence);
        expect(sequences).toEqual([...new Set(sequences)].toSorted((one, other) => one - other));
      }),
    );
  });

  test('sends only the oldest entry that is not held, online, under the lock, one at a time', () => {
    fc.assert(
      fc.property(fc.array(event), timeMs, (events, nowMs) => {
        const state = run(events);
        const isAllowed = state.isOnline && state.isSender && state.sendingId === null;
        const oldest = state.entries.find(({ heldUntilMs }) => heldUntilMs <= nowMs);
        const expected =
          !isAllowed || state.entries.length === 0
            ? { type: 'idle' }
            : !oldest
              ? { type: 'wait', untilMs: Math.min(...state.entries.map(({ heldUntilMs }) => heldUntilMs)) }
              : state.retryAtMs > nowMs
                ? { type: 'wait', untilMs: state.retryAtMs }
                : { type: 'send', entry: oldest };
        expect(nextCommand(state, nowMs)).toEqual(expected);
      }),
    );
  });

  test('ignores a repeated event', () => {
    fc.assert(
      fc.property(fc.array(event), event, (events, last) => {
        fc.pre(last.type !== 'failed');
        const once = step(run(events), last);
        expect(step(once, last)).toEqual(once);
      }),
    );
  });

  test('terminates: with a connection every entry is sent once, and those that are not held in order', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        let state = step(step(run(events), { type: 'connection', isOnline: true }), {
          type: 'lock',
          isSender: true,
        });
        const all = state.entries;
        const sent: OutboxEntry[] = [];
        let nowMs = 0;
        for (let turn = 0; turn < 50; turn += 1) {
          const command = nextCommand(state, nowMs);
          if (command.type === 'idle') break;
          if (command.type === 'wait') nowMs = command.untilMs;
          else {
            sent.push(command.entry);
            state = step(step(state, { type: 'sending', id: command.entry.id }), {
              type: 'removed',
              id: command.entry.id,
            });
          }
        }
        expect(sent.toSorted((one, other) => one.sequence - other.sequence)).toEqual(all);
        const isFree = (own: OutboxEntry) => own.heldUntilMs === 0;
        expect(sent.filter(isFree)).toEqual(all.filter(isFree));
        expect(state.entries).toEqual([]);
      }),
    );
  });

  test('retries at once after a reconnect, and drops the failures of a removed entry', () => {
    const failed = run([
      { type: 'loaded', entries: [entry(1), entry(2)] },
      { type: 'connection', isOnline: true },
      { type: 'lock', isSender: true },
      { type: 'sending', id: 'change-1' },
      { type: 'failed', id: 'change-1', retryAtMs: 500 },
    ]);
    expect(nextCommand(failed, 100)).toEqual({ type: 'wait', untilMs: 500 });
    const reconnected = step(failed, { type: 'connection', isOnline: true });
    expect(nextCommand(reconnected, 100)).toMatchObject({ type: 'send', entry: { id: 'change-1' } });
    const removed = step(failed, { type: 'removed', id: 'change-1' });
    expect(nextCommand(removed, 100)).toMatchObject({ type: 'send', entry: { id: 'change-2' } });
  });
});
