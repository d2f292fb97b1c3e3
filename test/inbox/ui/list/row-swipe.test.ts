import { afterEach, expect, test } from 'vitest';
import { followSwipes } from '../../../../src/inbox/ui/list/row-swipe.ts';

const labels = { start: 'Archive', end: 'Snooze' };
let stop: () => void = () => undefined;

afterEach(() => {
  stop();
  document.body.innerHTML = '';
});

/** A list with one row, the swipes of which are recorded, and a finger on it. */
function createList() {
  document.body.innerHTML = '<ul><li data-id="7"><a href="#7">Plan</a></li></ul>';
  const [list, row] = [document.querySelector('ul'), document.querySelector('li')];
  if (!list || !row) throw new Error('no list');
  const swipes: string[] = [];
  stop = followSwipes(list, labels, (id, side) => swipes.push(`${id} ${side}`));
  const point = (type: string, clientX: number, clientY = 0, pointerType = 'touch') =>
    row.firstElementChild?.dispatchEvent(
      new PointerEvent(type, { bubbles: true, isPrimary: true, pointerType, clientX, clientY }),
    );
  return { row, swipes, point };
}

test('a row follows a finger, says what its release does, and acts when it was pulled far enough', () => {
  const { row, swipes, point } = createList();
  point('pointerdown', 200);
  point('pointermove', 150);
  expect([row.style.translate, row.dataset['swipe']]).toEqual(['-50px', 'Archive']);
  point('pointermove', 100);
  point('pointerup', 100);
  expect(swipes).toEqual(['7 start']);
  expect([row.style.translate, row.dataset['swipe']]).toEqual(['', undefined]);
  point('pointerdown', 0);
  point('pointermove', 100);
  expect(row.dataset['swipe']).toBe('Snooze');
  point('pointerup', 100);
  expect(swipes).toEqual(['7 start', '7 end']);
});

test('a short pull, a scroll and a mouse do nothing', () => {
  const { row, swipes, point } = createList();
  point('pointerdown', 200);
  point('pointermove', 150);
  point('pointerup', 150);
  point('pointerdown', 200);
  point('pointermove', 198, 40);
  point('pointermove', 60, 40);
  point('pointerup', 60, 40);
  point('pointerdown', 200, 0, 'mouse');
  point('pointermove', 60, 0, 'mouse');
  point('pointerup', 60, 0, 'mouse');
  expect(swipes).toEqual([]);
  expect(row.style.translate).toBe('');
});

test('the click of a finger that swiped does not open the row', () => {
  const { row, point } = createList();
  point('pointerdown', 200);
  point('pointermove', 150);
  point('pointerup', 150);
  const click = new MouseEvent('click', { bubbles: true, cancelable: true });
  row.firstElementChild?.dispatchEvent(click);
  expect(click.defaultPrevented).toBe(true);
});
