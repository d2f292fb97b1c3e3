import { afterEach, expect, test, vi } from 'vitest';
import { showUndoToast } from '../../../../src/inbox/ui/list/undo-toast.ts';
import { toasts } from '../../../../src/inbox/ui/state/toasts.ts';

afterEach(() => toasts.clear());

const shownTexts = () => toasts.getSnapshot().map(({ text }) => text);

function act(text: string) {
  const [undo, onKept] = [vi.fn<() => void>(), vi.fn<() => void>()];
  return { undo, onKept, withdraw: showUndoToast({ text, label: 'Undo', undo, onKept }) };
}

test('three actions are undone one after another, the last first', () => {
  const actions = ['One', 'Two', 'Three'].map(act);
  const undone = () => actions.map(({ undo }) => undo.mock.calls.length);
  expect(shownTexts()).toEqual(['Three']);
  toasts.undoNewest();
  expect([shownTexts(), undone()]).toEqual([['Two'], [0, 0, 1]]);
  toasts.undoNewest();
  toasts.undoNewest();
  expect([shownTexts(), undone()]).toEqual([[], [1, 1, 1]]);
  expect(toasts.undoNewest()).toBe(false);
  expect(actions.map(({ onKept }) => onKept.mock.calls.length)).toEqual([1, 1, 1]);
});

test('actions are kept once the toast of the last is dismissed', () => {
  const actions = ['One', 'Two'].map(act);
  expect(actions.map(({ onKept }) => onKept.mock.calls.length)).toEqual([0, 0]);
  toasts.dismiss(toasts.getSnapshot()[0]?.id ?? 0);
  expect(actions.map(({ onKept }) => onKept.mock.calls.length)).toEqual([1, 1]);
  expect(toasts.undoNewest()).toBe(false);
});

test('an action that was withdrawn is left out', () => {
  const [first, second, third] = [act('One'), act('Two'), act('Three')];
  second.withdraw();
  expect(shownTexts()).toEqual(['Three']);
  third.withdraw();
  expect(shownTexts()).toEqual(['One']);
  toasts.undoNewest();
  expect([first, second, third].map(({ undo }) => undo.mock.calls.length)).toEqual([1, 0, 0]);
});

test('of twenty-one actions the oldest is kept', () => {
  const actions = Array.from({ length: 21 }, (_, index) => act(String(index)));
  expect(actions.map(({ onKept }) => onKept.mock.calls.length)).toEqual(
    actions.map((_, index) => (index === 0 ? 1 : 0)),
  );
});
