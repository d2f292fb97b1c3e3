import { describe, expect, it } from 'vitest';
import {
  ReadTriggers,
  type ReadTriggersOptions,
} from '../../src/realtime-client/live-query/read-triggers.ts';
import { createScriptedScene } from '../support/wire/scripted-realtime.ts';

async function openScene(options: Partial<ReadTriggersOptions> = {}) {
  const scene = createScriptedScene({ settings: { heartbeatMs: 3_600_000 } });
  const { channel } = await scene.openLiveChannel();
  const causes: string[] = [];
  const triggers = new ReadTriggers({
    channel,
    platform: scene.tab,
    onRead: (cause) => causes.push(cause),
    ...options,
  });
  return { ...scene, channel, causes, triggers, advance: (ms: number) => scene.world.clock.advance(ms) };
}

describe('the reads of a channel', () => {
  it('are due when it is live, at once if it is live already, and after an interruption', async () => {
    const scene = createScriptedScene();
    const channel = scene.client.channel('user:ada');
    const early: string[] = [];
    const late: string[] = [];
    const collect = (causes: string[]) =>
      new ReadTriggers({ channel, platform: scene.tab, onRead: (cause) => causes.push(cause) });
    collect(early);
    await scene.openLiveChannel();
    await scene.world.settle();
    collect(late);
    expect([early, late]).toEqual([['live'], ['live']]);
    scene.server.confirm();
    await scene.world.settle();
    expect([early, late]).toEqual([
      ['live', 'gap'],
      ['live', 'gap'],
    ]);
  });

  it('are due every 25 s, counted from the last read for another reason', async () => {
    const { causes, advance, triggers, server, world } = await openScene();
    await advance(25_000);
    expect(causes).toEqual(['live', 'interval']);
    await advance(20_000);
    server.confirm();
    await world.settle();
    await advance(24_000);
    expect(causes).toEqual(['live', 'interval', 'gap']);
    triggers.restart();
    await advance(24_000);
    expect(causes).toHaveLength(3);
    await advance(1_000);
    expect(causes).toEqual(['live', 'interval', 'gap', 'interval']);
  });

  it('are due every 25 s also while the channel is not live', async () => {
    const { causes, advance, server } = await openScene();
    server.socket().fail();
    await advance(75_000);
    expect(causes).toEqual(['live', 'interval', 'interval', 'interval']);
  });

  it('are due also in an offline page while the channel is live', async () => {
    const { causes, advance, tab } = await openScene();
    tab.setOnline(false);
    await advance(25_000);
    expect(causes).toEqual(['live', 'interval']);
  });

  it('are due once a hidden page whose channel is live is shown again', async () => {
    const { causes, advance, tab } = await openScene();
    tab.setVisible(false);
    await advance(120_000);
    expect(causes).toEqual(['live']);
    tab.setVisible(true);
    expect(causes).toEqual(['live', 'interval']);
  });

  it.each([
    ['hidden', 'setVisible'],
    ['offline', 'setOnline'],
  ] as const)('are due once a page is no longer %s', async (_state, set) => {
    const { causes, advance, tab, server } = await openScene();
    tab[set](false);
    server.socket().fail();
    await advance(120_000);
    expect(causes).toEqual(['live']);
    tab.signal('pageshow');
    expect(causes).toEqual(['live']);
    tab[set](true);
    tab[set](true);
    expect(causes.filter((cause) => cause === 'interval')).toHaveLength(1);
  });

  it('are not due while no user is signed in, or the channel is left', async () => {
    const { causes, advance, setToken, channel, world, client } = await openScene();
    setToken(null);
    await advance(60_000);
    expect(causes).toEqual(['live']);
    channel.leave();
    client.close();
    await advance(60_000);
    expect([causes, world.clock.pendingTimers]).toEqual([['live'], 0]);
  });

  it('are never due by time where the interval is 0', async () => {
    const { causes, advance, triggers } = await openScene({ intervalMs: 0 });
    triggers.noteChanges(100);
    await advance(120_000);
    expect(causes).toEqual(['live']);
  });

  it('are due two seconds after changes near the rate limit, once for a longer burst', async () => {
    const { causes, advance, triggers } = await openScene({ maxEventsPerSecond: 10 });
    triggers.noteChanges(7);
    await advance(3_000);
    expect(causes).toEqual(['live']);
    for (let step = 0; step < 10; step += 1) {
      triggers.noteChanges(4);
      await advance(190);
    }
    expect(causes).toEqual(['live']);
    await advance(600);
    expect(causes).toEqual(['live', 'rate']);
  });

  it('are due again after losses near the rate limit, and after no other losses', async () => {
    const { causes, advance, triggers } = await openScene();
    triggers.noteLosses('interval');
    await advance(3_000);
    expect(causes).toEqual(['live']);
    triggers.noteLosses('rate');
    await advance(3_000);
    expect(causes).toEqual(['live', 'rate']);
  });

  it('are never due after the stop', async () => {
    const { causes, advance, triggers, tab, channel } = await openScene();
    triggers.noteLosses('rate');
    triggers.stop();
    channel.leave();
    await advance(2_000);
    tab.setVisible(false);
    tab.setVisible(true);
    await advance(120_000);
    expect(causes).toEqual(['live']);
  });
});
