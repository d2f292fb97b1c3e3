import { describe, expect, test } from 'vitest';
import { splitAtAddresses } from '../../../../src/inbox/ui/list/text-addresses.ts';

const addresses = (text: string) => {
  const parts = splitAtAddresses(text);
  expect(parts.map((part) => part.text).join('')).toBe(text);
  return parts.filter(({ url }) => url !== null).map((part) => part.text);
};

describe('the addresses of a text', () => {
  test.each([
    ['See https://example.com/lunch.', 'https://example.com/lunch'],
    ['HTTP://EXAMPLE.COM, then', 'HTTP://EXAMPLE.COM'],
    ['(see https://example.com/a)', 'https://example.com/a'],
    ['https://en.wikipedia.org/wiki/Ada_(language)!', 'https://en.wikipedia.org/wiki/Ada_(language)'],
    ['<https://example.com/?a=1&b=2#c>', 'https://example.com/?a=1&b=2#c'],
    ['“https://example.com/a”', 'https://example.com/a'],
    ['请看https://example.com/a。谢谢', 'https://example.com/a'],
    ['https://example.com/a\u202Emoc.knab', 'https://example.com/a'],
    ['https://bücher.example/ä', 'https://bücher.example/ä'],
  ])('finds one address in %j', (text, address) => {
    expect(addresses(text)).toEqual([address]);
  });

  test('two addresses and the words between them keep their order', () => {
    expect(splitAtAddresses('a https://a.example\nb http://b.example/').map((part) => part.text)).toEqual([
      'a ',
      'https://a.example',
      '\nb ',
      'http://b.example/',
    ]);
  });

  test('all closing brackets at the end of an address are cut off', () => {
    expect(addresses(`https://example.com/a${').'.repeat(50_000)}`)).toEqual(['https://example.com/a']);
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'xhttps://example.com',
    'https://',
    'https://[',
    'ftp://example.com',
    'mail ada@example.com',
    '<b>bread</b>',
  ])('finds no address in %j', (text) => {
    expect(addresses(text)).toEqual([]);
  });
});
