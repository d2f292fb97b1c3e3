import { expect, it } from 'vitest';
import { createBurstFilter } from '../../../src/inbox/app/live/change-burst.ts';
import { createFakeWorld } from '../../support/fake-platform.ts';

function createScene() {
  const world = createFakeWorld();
  const { clock } = world.openTab();
  const passed: number[] = [];
  let dropped = 0;
  const filter = createBurstFilter<number>({
    clock,
    onChanges: (changes) => passed.push(...changes),
    onDropped: () => {
      dropped += 1;
    },
  });
  const receiveEach = (count: number) => {
    for (let change = 0; change < count; change += 1) filter.receive([change]);
  };
  return { world, filter, receiveEach, passed, dropped: () => dropped };
}

it('the change burst filter passes single changes, any number of them', async () => {
  const { world, filter, passed, dropped } = createScene();
  for (let change = 0; change < 1_000; change += 1) {
    filter.receive([change]);
    await world.clock.advance(30);
  }
  expect(passed).toHaveLength(1_000);
  expect(dropped()).toBe(0);
});

it('the change burst filter replaces a short burst by one call', async () => {
  const { world, receiveEach, passed, dropped } = createScene();
  receiveEach(50_000);
  expect(passed).toHaveLength(200);
  await world.clock.advance(199);
  expect(dropped()).toBe(0);
  await world.clock.advance(1);
  expect(dropped()).toBe(1);
  await world.clock.advance(1_800);
  receiveEach(3);
  expect(passed).toHaveLength(203);
  await world.clock.advance(60_000);
  expect(dropped()).toBe(1);
});

it('the change burst filter calls once while a longer burst lasts, and once at its end', async () => {
  const { world, receiveEach, passed, dropped } = createScene();
  for (let step = 0; step < 80; step += 1) {
    receiveEach(500);
    await world.clock.advance(100);
    expect(dropped()).toBe(step > 0 ? 1 : 0);
  }
  await world.clock.advance(1_899);
  expect(dropped()).toBe(1);
  await world.clock.advance(1);
  expect(dropped()).toBe(2);
  expect(passed).toHaveLength(200);
  await world.clock.advance(60_000);
  expect(dropped()).toBe(2);
});

it('the change burst filter counts every change of a message', async () => {
  const { world, filter, passed, dropped } = createScene();
  filter.receive(Array.from({ length: 201 }, (_, index) => index));
  expect(passed).toEqual([]);
  await world.clock.advance(500);
  expect(dropped()).toBe(1);
});

it('the change burst filter calls every ten seconds of a burst that does not end', async () => {
  const { world, receiveEach, dropped } = createScene();
  for (let step = 0; step < 350; step += 1) {
    receiveEach(300);
    await world.clock.advance(100);
  }
  expect(dropped()).toBe(4);
});

it('the change burst filter passes changes again when a burst has become a trickle', async () => {
  const { world, receiveEach, passed, dropped } = createScene();
  receiveEach(300);
  for (let second = 0; second < 20; second += 1) {
    await world.clock.advance(1_000);
    receiveEach(1);
  }
  expect(dropped()).toBe(2);
  expect(passed.length).toBeGreaterThan(205);
});

it('the change burst filter calls nothing after close', async () => {
  const { world, filter, receiveEach, dropped } = createScene();
  receiveEach(300);
  filter.close();
  await world.clock.advance(60_000);
  expect(dropped()).toBe(0);
});
