import { expect, test } from 'vitest';
import { refuseCommonPassword } from '../../../src/inbox/ui/form/common-password.ts';
import { estimateStrength } from '../../../src/inbox/ui/password-strength/password-strength.ts';

test.each(['password', 'Passw0rd', 'qwertyuiop', '12345678', 'aaaaaaaaaaaa', 'iloveyou1'])(
  'the password %s is weak',
  (password) => {
    expect(estimateStrength(password)).toBeLessThan(2);
  },
);

test.each(['tidal-orange-copper-8', 'quiet-paper-boat-under-snow'])(
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
