import { expect, test } from 'vitest';
import { initials } from '../../../src/inbox/ui/avatar.tsx';

test.each([
  ['Grace Hopper', 'GH'],
  ['ada.lovelace@example.com', 'al'],
  ['Grace "Amazing" Hopper', 'GA'],
  ["O'Brien & Sons", 'OS'],
  ['(Support) Team', 'ST'],
  ['山田 太郎', '山太'],
  ['🎉', '🎉'],
  ['  ', ''],
])('the initials of %s are %s', (name, letters) => {
  expect(initials(name)).toBe(letters);
});
