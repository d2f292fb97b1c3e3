import { describe, expect, test } from 'vitest';
import { moveInMenu, type TypedLetters } from '../../../src/inbox/ui/overlay/menu-keys.ts';
import { placeMenu } from '../../../src/inbox/ui/overlay/menu-place.ts';

const labels = ['Mark as read', 'Snooze…', 'Archive', 'Select', 'Delete', 'Mute the plan…'];

/** The items that get the focus when the keys are pressed, one each `stepMs`. */
function press(keys: readonly string[], stepMs = 100): readonly (string | undefined)[] {
  let at = 0;
  let typed: TypedLetters | null = null;
  return keys.map((key, index) => {
    const next = moveInMenu(labels, at, key, index * stepMs, typed);
    at = next.index ?? at;
    ({ typed } = next);
    return labels[at];
  });
}

test('arrows wrap around in a menu, Home and End move to its ends', () => {
  expect(press(['ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'End', 'Home'])).toEqual([
    'Snooze…',
    'Mark as read',
    'Mute the plan…',
    'Mark as read',
    'Mute the plan…',
    'Mark as read',
  ]);
});

test('a letter moves to the next item of a menu that begins with it, and wraps around', () => {
  expect(press(['s', 's', 's'])).toEqual(['Snooze…', 'Select', 'Snooze…']);
});

test('letters in quick succession find the item of a menu that begins with them', () => {
  expect(press(['m', 'u'])).toEqual(['Mute the plan…', 'Mute the plan…']);
  expect(press(['m', 'u'], 1_000)).toEqual(['Mute the plan…', 'Mute the plan…']);
  expect(press(['s', 'e', 'l'])).toEqual(['Snooze…', 'Select', 'Select']);
  expect(press(['m', 'a', 'r', 'k', ' ', 'a'])).toEqual(['Mute the plan…', ...Array(5).fill('Mark as read')]);
});

test('other keys, and letters of no item, do not move the focus in a menu', () => {
  for (const key of ['Enter', ' ', 'Tab', 'Escape', 'q'])
    expect(moveInMenu(labels, 0, key, 0, null).index).toBeNull();
  expect(moveInMenu([], -1, 'ArrowDown', 0, null).index).toBeNull();
});

describe('the position of a menu', () => {
  const size = { width: 200, height: 300 };
  const window = { width: 1000, height: 800 };
  const button = (left: number, top: number) => ({ left, right: left + 36, top, bottom: top + 36 });

  test('the position of a menu is below its button, with the ends aligned in the direction of the text', () => {
    expect(placeMenu(button(900, 100), size, window, false)).toEqual({ left: 736, top: 140 });
    expect(placeMenu(button(64, 100), size, window, true)).toEqual({ left: 64, top: 140 });
  });

  test('the position of a menu is above its button at the end of the window', () => {
    expect(placeMenu(button(900, 700), size, window, false)).toEqual({ left: 736, top: 396 });
  });

  test.each([
    ['at the start of the window', button(20, 100), false],
    ['at its end', button(960, 100), true],
    ['scrolled out above', button(900, -400), false],
    ['scrolled out below', button(900, 2_000), false],
  ])('the position of a menu stays inside the window: %s', (_, at, isRightToLeft) => {
    const { left, top } = placeMenu(at, size, window, isRightToLeft);
    expect([left >= 8, left + 200 <= 992, top >= 8, top + 300 <= 792]).toEqual([true, true, true, true]);
  });

  test('the position of a menu begins at the edge of a window that is too low for it', () => {
    expect(placeMenu(button(900, 100), size, { width: 1000, height: 200 }, false).top).toBe(8);
  });
});
