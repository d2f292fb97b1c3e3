import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ToastRegion } from '../../../src/inbox/ui/overlay/toast-region.tsx';
import { toasts } from '../../../src/inbox/ui/state/toasts.ts';

beforeEach(() => {
  vi.useFakeTimers();
  render(<ToastRegion label="Messages" dismissLabel="Dismiss" />);
});
afterEach(() => {
  act(() => toasts.clear());
  cleanup();
  vi.useRealTimers();
});

const pass = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms);
  });
const show = (...toast: Parameters<typeof toasts.show>) => act(() => void toasts.show(...toast));

test('a toast is announced by an existing live region, and stays for ten seconds', () => {
  const region = screen.getByRole('status');
  show('Deleted');
  expect(region.textContent).toContain('Deleted');
  pass(9_999);
  expect(screen.queryByText('Deleted')).not.toBeNull();
  pass(1);
  expect(screen.queryByText('Deleted')).toBeNull();
});

test('a toast pauses under the pointer or with the focus', () => {
  show('Deleted', { action: { label: 'Undo', run: () => undefined } });
  pass(9_000);
  fireEvent.focus(screen.getByRole('button', { name: 'Undo' }));
  pass(60_000);
  expect(screen.queryByText('Deleted')).not.toBeNull();
  fireEvent.blur(screen.getByRole('button', { name: 'Undo' }));
  pass(1_000);
  expect(screen.queryByText('Deleted')).toBeNull();
});

test('a toast undoes once, by its button or for the newest by the keyboard', () => {
  const [first, second] = [vi.fn<() => void>(), vi.fn<() => void>()];
  show('One', { action: { label: 'Undo', run: first, isUndo: true } });
  show('Two', { action: { label: 'Undo', run: second, isUndo: true } });
  act(() => expect(toasts.undoNewest()).toBe(true));
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1]);
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(first).toHaveBeenCalledOnce();
  expect(toasts.undoNewest()).toBe(false);
});

test('a toast neither retries nor reloads for the undo of the keyboard', () => {
  const [undo, reload] = [vi.fn<() => void>(), vi.fn<() => void>()];
  show('One', { action: { label: 'Undo', run: undo, isUndo: true } });
  show('A new version is ready.', { action: { label: 'Reload', run: reload } });
  act(() => expect(toasts.undoNewest()).toBe(true));
  act(() => expect(toasts.undoNewest()).toBe(false));
  expect([undo.mock.calls.length, reload.mock.calls.length]).toEqual([1, 0]);
});

test('a toast reports its end once', () => {
  const gone = vi.fn<() => void>();
  show('One', { onGone: gone });
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  pass(20_000);
  expect(gone).toHaveBeenCalledOnce();
});

test('a toast is removed when three newer ones appear', () => {
  const gone = vi.fn<() => void>();
  show('One', { onGone: gone });
  for (const text of ['Two', 'Three', 'Four']) show(text);
  expect(gone).toHaveBeenCalledOnce();
  expect(screen.queryByText('One')).toBeNull();
});
