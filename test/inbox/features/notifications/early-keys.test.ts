import { fireEvent } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { keepEarlyKeys } from '../../../../src/inbox/features/notifications/screen/early-keys.ts';
import { replayEarlyKeys } from '../../../../src/inbox/features/notifications/screen/replay-early-keys.ts';

beforeEach(() => {
  document.body.innerHTML = '<a href="/1" id="row">Row</a><button id="other" type="button">Other</button>';
  element('row').focus();
});

const element = (id: string) => document.getElementById(id) as HTMLElement;

/** Acts while nothing listens to the keys, and tells which keys their listener hears afterwards. */
function hearAfter(act: () => void): readonly string[] {
  const stop = keepEarlyKeys();
  act();
  stop();
  const heard: string[] = [];
  const listen = ({ key, target }: KeyboardEvent) =>
    heard.push(`${key} on ${target instanceof HTMLElement ? target.id : 'nothing'}`);
  document.addEventListener('keydown', listen);
  replayEarlyKeys();
  replayEarlyKeys();
  document.removeEventListener('keydown', listen);
  return heard;
}
const press = (key: string, init: KeyboardEventInit = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...init });

test('the last key before the shortcuts are loaded takes effect once, where it was pressed', () => {
  const heard = hearAfter(() => {
    press('j');
    press('Shift', { shiftKey: true });
    press('?', { shiftKey: true });
  });
  expect(heard).toEqual(['? on row']);
});

test('words typed after the key of the search reach its field, not the shortcuts', async () => {
  const field = document.createElement('input');
  field.type = 'search';
  document.body.append(field);
  const written: string[] = [];
  field.addEventListener('input', () => written.push(field.value));
  const onSearch = ({ key }: KeyboardEvent) => key === '/' && field.focus();
  document.addEventListener('keydown', onSearch);
  const heard = hearAfter(() => {
    press('j');
    press('/');
    press('Shift', { shiftKey: true });
    for (const key of 'Eng p') press(key);
  });
  await Promise.resolve();
  document.removeEventListener('keydown', onSearch);
  expect(heard, 'later, when the search can open').toEqual([]);
  expect(written).toEqual(['Eng p']);
});

test('words typed after a key that opens no search are dropped', async () => {
  const heard: string[] = [];
  const listen = ({ key }: KeyboardEvent) => heard.push(key);
  const stop = keepEarlyKeys();
  for (const key of '/e') press(key);
  stop();
  document.addEventListener('keydown', listen);
  replayEarlyKeys();
  await Promise.resolve();
  document.removeEventListener('keydown', listen);
  expect(heard).toEqual(['/']);
});

test('a command of the browser stays one', () => {
  let isCommand = false;
  const listen = (event: KeyboardEvent) => (isCommand = event.ctrlKey);
  const stop = keepEarlyKeys();
  press('e');
  press('r', { ctrlKey: true });
  stop();
  document.addEventListener('keydown', listen);
  replayEarlyKeys();
  document.removeEventListener('keydown', listen);
  expect(isCommand).toBe(true);
});

test.each([
  ['a click', () => fireEvent.pointerDown(element('other'))],
  ['another focus', () => element('other').focus()],
])('%s after it drops the key', (_, act) => {
  expect(
    hearAfter(() => {
      press('e');
      act();
    }),
  ).toEqual([]);
});

test('a key that another listener has used, or that is old, is not pressed again', () => {
  const use = (event: Event) => event.preventDefault();
  document.addEventListener('keydown', use);
  expect(hearAfter(() => press('z'))).toEqual([]);
  document.removeEventListener('keydown', use);
  const old = new KeyboardEvent('keydown', { key: 'e', bubbles: true });
  Object.defineProperty(old, 'timeStamp', { value: performance.now() - 6_000 });
  expect(hearAfter(() => element('row').dispatchEvent(old))).toEqual([]);
});
