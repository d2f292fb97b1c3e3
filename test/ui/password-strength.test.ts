import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateStrength } from '../../src/ui/form/password-strength.ts';

describe('the estimate of a password', () => {
  test.each([
    ['', 0],
    ['123456789', 0],
    ['password1', 0],
    ['qwerty2024', 0],
    ['aaaaaaaaaaaaaaaa', 0],
    ['k7#Qz', 1],
    ['Tr4ctor!hums', 3],
    ['violet tractor hums 9 songs', 4],
  ] as const)('of "%s" is %i', (password, strength) => expect(estimateStrength(password)).toBe(strength));

  test('counts parts of the own address for nothing', () => {
    const password = 'marymidnight';
    expect(estimateStrength(password, ['mary.midnight@example.com'])).toBeLessThan(
      estimateStrength(password),
    );
  });

  test('is a level from 0 to 4 for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.array(fc.string()), (password, own) => {
        expect([0, 1, 2, 3, 4]).toContain(estimateStrength(password, own));
      }),
    );
  });
});
