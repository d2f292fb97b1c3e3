import { describe, expect, it } from 'vitest';
import {
  stepLeader,
  type LeaderEvent,
  type LeaderState,
} from '../../src/realtime-client/tabs/leader-state.ts';

type Kind = LeaderState['type'];
type Input =
  | Exclude<LeaderEvent['type'], 'message' | 'query'>
  | 'messageSame'
  | 'messageOther'
  | 'messageEarlier'
  | 'messageLater'
  | 'querySame'
  | 'queryLater';
type Cell = '-' | `${Kind}${string}`;

const term = 3;
const states: Record<Kind, LeaderState> = {
  stopped: { type: 'stopped', term: 0 },
  seeking: { type: 'seeking', term },
  leading: { type: 'leading', term },
  following: { type: 'following', term, leader: 'a' },
  doubting: { type: 'doubting', term, leader: 'a' },
};
const events: Record<Input, LeaderEvent> = {
  start: { type: 'start' },
  stop: { type: 'stop' },
  timer: { type: 'timer' },
  wake: { type: 'wake' },
  granted: { type: 'granted', term },
  messageSame: { type: 'message', leader: 'a', term },
  messageOther: { type: 'message', leader: 'b', term },
  messageEarlier: { type: 'message', leader: 'b', term: term - 1 },
  messageLater: { type: 'message', leader: 'b', term: term + 1 },
  querySame: { type: 'query', term },
  queryLater: { type: 'query', term: term + 1 },
};

const stopped = 'stopped 0: release';
const newTerm = 'following 4: acquire, attach, wait 10000';
const nextTerm = 'seeking 4: acquire, ask, wait 3000';
const table: Record<Kind, Record<Input, Cell>> = {
  stopped: {
    start: 'seeking 0: acquire, ask, wait 3000',
    stop: '-',
    timer: '-',
    wake: '-',
    granted: '-',
    messageSame: '-',
    messageOther: '-',
    messageEarlier: '-',
    messageLater: '-',
    querySame: '-',
    queryLater: '-',
  },
  seeking: {
    start: '-',
    stop: stopped,
    timer: nextTerm,
    wake: '-',
    granted: 'leading 3: announce',
    messageSame: 'following 3: attach, wait 10000',
    messageOther: 'following 3: attach, wait 10000',
    messageEarlier: 'seeking 3: ask',
    messageLater: newTerm,
    querySame: '-',
    queryLater: '-',
  },
  leading: {
    start: '-',
    stop: stopped,
    timer: '-',
    wake: '-',
    granted: '-',
    messageSame: '-',
    messageOther: '-',
    messageEarlier: 'leading 3: announce',
    messageLater: newTerm,
    querySame: 'leading 3: announce',
    queryLater: nextTerm,
  },
  following: {
    start: '-',
    stop: stopped,
    timer: 'doubting 3: ask, wait 3000',
    wake: 'doubting 3: ask, wait 3000',
    granted: 'leading 3: announce',
    messageSame: 'following 3: wait 10000',
    messageOther: 'following 3: attach, wait 10000',
    messageEarlier: 'following 3: ask',
    messageLater: newTerm,
    querySame: '-',
    queryLater: '-',
  },
  doubting: {
    start: '-',
    stop: stopped,
    timer: nextTerm,
    wake: '-',
    granted: 'leading 3: announce',
    messageSame: 'following 3: wait 10000',
    messageOther: 'following 3: attach, wait 10000',
    messageEarlier: 'doubting 3: ask',
    messageLater: newTerm,
    querySame: '-',
    queryLater: '-',
  },
};

const cells = Object.entries(table).flatMap(([kind, row]) =>
  Object.entries(row).map(([input, cell]) => [kind as Kind, input as Input, cell] as const),
);

describe('the role of a tab in sharing a socket', () => {
  it.each(cells)('%s on %s: %s', (kind, input, cell) => {
    const { state, effects } = stepLeader(states[kind], events[input]);
    const done = effects.map((effect) => (effect.type === 'wait' ? `wait ${effect.delayMs}` : effect.type));
    const isSame = state.type === kind && effects.length === 0;
    expect(isSame ? '-' : `${state.type} ${state.term}: ${done.join(', ')}`).toBe(cell);
  });
});
