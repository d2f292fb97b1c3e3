import { expect, test } from 'vitest';
import { refuseCommonPassword } from '../../../src/inbox/ui/form/common-password.ts';
import { readCommonPasswords } from '../../../scripts/common-passwords.ts';
import { estimateStrength } from '../../../src/inbox/ui/password-strength/password-strength.ts';

test.each([
  ['a common one', 'password'],
  ['a common one with signs for letters', 'P@ssw0rd'],
  ['a common one with a sign and digits behind it', 'Sunshine!23'],
  ['a row of the keyboard', 'qwertyuiop'],
  ['a row backwards and a row', 'lkjhgf4567'],
  ['repetitions', 'aaaaaaaaaaaa'],
  ['a repeated part', 'abcabcabcabc'],
  ['a season and a year', 'Summer2026!'],
  ['a date', '19871224'],
  ['a short word and digits', 'tiger1987'],
])('a password that is %s is weak: %s', (_, password) => {
  expect(estimateStrength(password)).toBeLessThan(2);
});

test('each of the 3,000 most common passwords is refused', () => {
  const common = readCommonPasswords().split('\n');
  expect(common).toHaveLength(3000);
  expect(common.filter((password) => estimateStrength(password) >= 2)).toEqual([]);
});

test.each(['tidal-orange-copper-8', 'quiet-paper-boat-under-snow', 'kX9#mQ2$vT5!', '3vXq8LmWz7Rb'])(
  'the password %s is strong',
  (password) => {
    expect(estimateStrength(password)).toBe(4);
  },
);

test('the strength of a password discounts parts that an attacker knows', () => {
  const own = ['penelope.featherstone@example.com'];
  expect(estimateStrength('featherstone', own)).toBeLessThan(estimateStrength('featherstone'));
});

test.each(['tidings2026', 'TidingsInbox', 'notifications1'])(
  'the strength of a password counts words of the product as known: %s',
  (password) => {
    expect(estimateStrength(password)).toBeLessThan(2);
  },
);

test.each(['password', 'PASSWORD', 'Passw0rd', 'sunshine1'])(
  'the password %s is refused at its field',
  async (password) => {
    const refusal = await refuseCommonPassword(password, []);
    expect(refusal?.fields?.password).toMatch(/too easy to guess/);
  },
);

test('a password that is hard to guess is not refused', async () => {
  expect(await refuseCommonPassword('quiet-paper-boat', [])).toBeUndefined();
});
