import { describe, expect, it } from 'vitest';
import { createMachine } from '../../src/realtime-client/machine/machine.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createFakeWorld } from '../support/fake-platform.ts';

describe('a machine', () => {
  it('reports an effect that throws, runs the others and takes further events', () => {
    const ran: string[] = [];
    const reported: unknown[] = [];
    const machine = createMachine<{ type: string }, { type: 'go' }, { type: 'fail' | 'work' }>({
      initial: { type: 'idle' },
      step: () => ({ state: { type: 'busy' }, effects: [{ type: 'fail' }, { type: 'work' }] }),
      run(effect) {
        if (effect.type === 'fail') throw new Error('no');
        ran.push(effect.type);
      },
      platform: { ...createFakeWorld().openTab(), report: (problem) => reported.push(problem) },
    });
    machine.send({ type: 'go' });
    machine.send({ type: 'go' });
    expect(ran).toEqual(['work', 'work']);
    expect(reported).toHaveLength(2);
  });
});

describe('a runtime without WebSocket', () => {
  it('fails the channel with the remedy in the message, and join() tries again', async () => {
    const world = createFakeWorld();
    let attempts = 0;
    const platform = world.openTab({
      openSocket: () => {
        attempts += 1;
        throw new ReferenceError('WebSocket is not defined');
      },
    });
    const client = createRealtimeClient({ url: 'https://project.test', apiKey: 'key', platform });
    const channel = client.channel('a');
    channel.join();
    await world.clock.advance(60_000);
    const { status, error } = channel.getSnapshot();
    expect([status, error?.code, attempts]).toEqual(['failed', 'websocket-unavailable', 1]);
    expect(error?.message).toMatch(/WebSocket is not defined.*openSocket.*"ws"/);
    // The message suffices: a report would print the ReferenceError beside it.
    expect(platform.reported).toEqual([]);
    channel.join();
    expect(attempts).toBe(2);
    client.close();
    expect(world.clock.pendingTimers).toBe(0);
  });
});
