import { describe, expect, test } from 'vitest';
import {
  initialOnlineState,
  leaveDelayMs,
  maxWatchedContacts,
  nextLeaveMs,
  stepOnline,
  watchedContacts,
} from '../../../../src/inbox/features/online/online-state.ts';
import type { OnlineEvent, OnlineState } from '../../../../src/inbox/features/online/online-state.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `user-${index}`);
const topicsOf = (...userIds: string[]): OnlineEvent => ({
  kind: 'topics',
  topics: { own: 'online:own', contacts: new Map(userIds.map((id) => [id, `online:${id}`])) },
});
const shown = (...userIds: string[]): OnlineEvent => ({ kind: 'shown', userIds });
const presence = (userId: string, isPresent: boolean): OnlineEvent => ({
  kind: 'presence',
  userId,
  isPresent,
});
const run = (...events: OnlineEvent[]): OnlineState =>
  events.reduce((state, event) => stepOnline(state, event, 1_000), initialOnlineState);

test('the watched contacts are the people on the page who are contacts', () => {
  const state = run(topicsOf('ada', 'grace'), shown('stranger', 'grace'));
  expect(watchedContacts(state)).toEqual([{ userId: 'grace', topic: 'online:grace' }]);
});

test('a long page watches only its first contacts, up to the limit', () => {
  const state = run(topicsOf(...ids(50)), shown(...ids(50)));
  expect(watchedContacts(state).map(({ userId }) => userId)).toEqual(ids(maxWatchedContacts));
});

describe('a contact', () => {
  const present = run(topicsOf('ada'), shown('ada'), presence('ada', true));

  test('a contact is online while the presence has an entry', () => {
    expect([...present.online]).toEqual(['ada']);
    expect(nextLeaveMs(present)).toBeNull();
  });

  test('a contact counts as offline some seconds after the last entry has left', () => {
    const left = stepOnline(present, presence('ada', false), 1_000);
    expect([...left.online]).toEqual(['ada']);
    expect(nextLeaveMs(left)).toBe(1_000 + leaveDelayMs);
    expect([...stepOnline(left, { kind: 'timer' }, 999 + leaveDelayMs).online]).toEqual(['ada']);
    expect([...stepOnline(left, { kind: 'timer' }, 1_000 + leaveDelayMs).online]).toEqual([]);
  });

  test('a contact stays online when an entry returns in that time', () => {
    const left = stepOnline(present, presence('ada', false), 1_000);
    const back = stepOnline(left, presence('ada', true), 2_000);
    expect(nextLeaveMs(back)).toBeNull();
    expect([...stepOnline(back, { kind: 'timer' }, 60_000).online]).toEqual(['ada']);
  });

  test('a contact does not leave later because empty presence is repeated', () => {
    const left = stepOnline(present, presence('ada', false), 1_000);
    expect(nextLeaveMs(stepOnline(left, presence('ada', false), 3_000))).toBe(1_000 + leaveDelayMs);
  });

  test.each<[string, OnlineEvent]>([
    ['is no longer a contact', topicsOf('grace')],
    ['is not on the page', shown('grace')],
    ['may have left while the connection was lost', { kind: 'lost' }],
  ])('a contact is not shown as online once the contact %s', (_, event) => {
    expect([...stepOnline(present, event, 1_000).online]).toEqual([]);
  });

  test('a contact is ignored while not watched', () => {
    expect([...run(topicsOf('ada'), presence('ada', true)).online]).toEqual([]);
  });
});
