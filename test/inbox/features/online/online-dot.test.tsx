import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { OnlineChannels } from '../../../../src/inbox/features/online/online-channels.ts';
import { createOnlineDot } from '../../../../src/inbox/features/online/online-dot.tsx';
import { createOnlinePeople } from '../../../../src/inbox/features/online/online-people.ts';
import type { OnlineTopics } from '../../../../src/inbox/features/online/online-state.ts';
import { createFakeWorld } from '../../../support/fake-platform.ts';

/** Channels without a server: the test decides who is present. */
function createChannels() {
  const listeners = new Map<string, (isPresent: boolean) => void>();
  const tracked = new Set<string>();
  const channels: OnlineChannels = {
    track(topic) {
      tracked.add(topic);
      return () => tracked.delete(topic);
    },
    watch(topic, listener) {
      listeners.set(topic, listener);
      return () => listeners.delete(topic);
    },
    onLost: () => () => undefined,
  };
  return {
    channels,
    tracked,
    watched: () => [...listeners.keys()],
    setPresent: (topic: string, isPresent: boolean) => listeners.get(topic)?.(isPresent),
  };
}

function start(initial: OnlineTopics) {
  const { clock, openTab, settle } = createFakeWorld();
  const tab = openTab();
  const server = createChannels();
  let topics = initial;
  let reads = 0;
  const people = createOnlinePeople({
    ...tab,
    channels: server.channels,
    readTopics() {
      reads += 1;
      return Promise.resolve(topics);
    },
  });
  onTestFinished(people.close);
  return {
    ...server,
    tab,
    people,
    OnlineDot: createOnlineDot(people),
    reads: () => reads,
    settle: () => act(settle),
    advance: (ms: number) => act(() => clock.advance(ms)),
    setTopics(next: OnlineTopics) {
      topics = next;
    },
  };
}

afterEach(cleanup);

const topics = (...names: string[]): OnlineTopics => ({
  own: 'online:me',
  contacts: new Map(names.map((name) => [name, `online:${name}`])),
});
const dots = () => screen.queryAllByRole('img', { name: 'Online' });

test('a labeled dot is shown while the contact is present, in each place that shows the contact', async () => {
  const { OnlineDot, advance, setPresent, watched } = start(topics('ada'));
  render(
    <>
      <OnlineDot userId="ada" look="dot" />
      <OnlineDot userId="ada" look="text" />
      <OnlineDot userId="stranger" look="dot" />
    </>,
  );
  await advance(1_000);
  expect(watched()).toEqual(['online:ada']);
  expect(dots()).toHaveLength(0);
  act(() => setPresent('online:ada', true));
  expect(dots()).toHaveLength(1);
  expect(screen.getAllByText('Online')).toHaveLength(1);
  act(() => setPresent('online:ada', false));
  await advance(2_000);
  expect(dots()).toHaveLength(1);
  await advance(1_000);
  expect(dots()).toHaveLength(0);
  expect(screen.queryByText('Online')).toBeNull();
});

test('a contact is watched only while a dot for the contact is on the page', async () => {
  const { OnlineDot, advance, watched } = start(topics('ada', 'grace'));
  const { rerender } = render(<OnlineDot key="ada" userId="ada" look="dot" />);
  await advance(1_000);
  rerender(<OnlineDot key="grace" userId="grace" look="dot" />);
  await advance(1_000);
  expect(watched()).toEqual(['online:grace']);
});

test('rows that are scrolled past join no channel', async () => {
  const { OnlineDot, advance, watched } = start(topics('ada'));
  const { unmount } = render(<OnlineDot userId="ada" look="dot" />);
  await advance(100);
  unmount();
  await advance(1_000);
  expect(watched()).toEqual([]);
});

test('the user is tracked until the switch is off, also in a hidden tab', async () => {
  const { advance, people, setTopics, tab, tracked } = start(topics('ada'));
  await advance(0);
  expect([...tracked]).toEqual(['online:me']);
  tab.setVisible(false);
  await advance(600_000);
  expect([...tracked]).toEqual(['online:me']);
  setTopics({ own: null, contacts: new Map() });
  people.refresh();
  await advance(2_000);
  expect([...tracked]).toEqual([]);
});

test('a user whom no contact could see joins no presence', async () => {
  const { advance, tracked, watched } = start(topics());
  await advance(1_000);
  expect([...tracked, ...watched()]).toEqual([]);
});

test('a contact is followed to a new topic without a gap', async () => {
  const { OnlineDot, advance, setPresent, setTopics, watched } = start(topics('ada'));
  render(<OnlineDot userId="ada" look="dot" />);
  await advance(31_000);
  act(() => setPresent('online:ada', true));
  setTopics({ own: 'online:me', contacts: new Map([['ada', 'online:new']]) });
  act(() => setPresent('online:ada', false));
  await advance(2_000);
  expect(watched()).toEqual(['online:new']);
  expect(dots()).toHaveLength(1);
  act(() => setPresent('online:new', true));
  await advance(5_000);
  expect(dots()).toHaveLength(1);
});

test('the topics are read once for many announcements, and after five minutes only in a visible tab', async () => {
  const { advance, people, reads, tab } = start(topics());
  await advance(0);
  for (let turn = 0; turn < 10; turn += 1) people.refresh();
  await advance(10_000);
  expect(reads()).toBe(2);
  tab.setVisible(false);
  await advance(900_000);
  expect(reads()).toBe(2);
  tab.setVisible(true);
  await advance(0);
  expect(reads()).toBe(3);
});

test('the topics are read again when the network returns after a failure', async () => {
  const { OnlineDot, advance, setTopics, tab, watched } = start(topics());
  render(<OnlineDot userId="ada" look="dot" />);
  await advance(10_000);
  setTopics(topics('ada'));
  tab.signal('online');
  await advance(0);
  expect(watched()).toEqual(['online:ada']);
});
