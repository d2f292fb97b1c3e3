import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, encodeBase64, encodeBase64Url } from '../../src/platform/base64.ts';
import {
  compareUtf8,
  decodeLatin1,
  isEqualBytes,
  isEqualText,
  utf8Length,
} from '../../src/platform/bytes.ts';
import { isEqualJson } from '../../src/platform/json.ts';
import { createBase32Text, createDigits, createSecret } from '../../src/platform/random.ts';

const text = () => fc.string({ unit: 'binary' });

describe('bytes', () => {
  it('are encoded as Node encodes them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ max: 255 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(encodeBase64(bytes)).toBe(buffer.toString('base64'));
        expect(encodeBase64Url(bytes)).toBe(buffer.toString('base64url'));
        expect(decodeLatin1(bytes)).toBe(buffer.toString('latin1'));
        expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
        expect(decodeBase64(encodeBase64Url(bytes))).toEqual(bytes);
      }),
    );
    const long = new Uint8Array(100_000).fill(200);
    expect(encodeBase64(long)).toBe(Buffer.from(long).toString('base64'));
  });

  it('are decoded from the valid part of base64', () => {
    const characters = fc.constantFrom('a', 'Z', '0', '9', '+', '/', '-', '_', ' ', '\n', '!', 'é');
    fc.assert(
      fc.property(fc.string({ unit: characters }), (encoded) => {
        expect(decodeBase64(encoded)).toEqual(new Uint8Array(Buffer.from(encoded, 'base64')));
      }),
    );
    expect(decodeBase64('YWJ=jYWJj')).toEqual(new Uint8Array(Buffer.from('ab')));
  });

  it('are compared by value', () => {
    const some = Uint8Array.of(1, 2);
    expect(isEqualBytes(some, Uint8Array.of(1, 2))).toBe(true);
    expect(isEqualBytes(some, Uint8Array.of(1, 3))).toBe(false);
    expect(isEqualBytes(some, Uint8Array.of(1))).toBe(false);
    expect(isEqualText('é', 'é')).toBe(true);
    expect(isEqualText('é', 'e')).toBe(false);
  });
});

describe('texts', () => {
  it('are ordered and measured by their UTF-8', () => {
    fc.assert(
      fc.property(text(), text(), (left, right) => {
        const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
        expect(Math.sign(compareUtf8(left, right))).toBe(expected);
        expect(utf8Length(left)).toBe(Buffer.byteLength(left));
      }),
    );
  });
});

describe('JSON values', () => {
  it('are equal in any order of members', () => {
    expect(isEqualJson({ a: 1, b: { c: [1], d: 2 } }, { b: { d: 2, c: [1] }, a: 1 })).toBe(true);
    expect(isEqualJson({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
  });
});

describe('secrets', () => {
  it('have the requested length, and differ', () => {
    expect(createSecret(32)).toMatch(/^[\w-]{43}$/);
    expect(createSecret(32)).not.toBe(createSecret(32));
    expect(createBase32Text(12)).toMatch(/^[a-z2-7]{12}$/);
    expect(createDigits(6)).toMatch(/^\d{6}$/);
    const counts = new Map<string, number>();
    for (const digit of createDigits(10_000)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    expect(counts.size).toBe(10);
    for (const count of counts.values()) expect(count).toBeGreaterThan(700);
  });
});
