import { productName } from '../page/page-title.ts';

/** 0 very weak … 4 strong. */
export type PasswordStrength = 0 | 1 | 2 | 3 | 4;

/** The build's constant, by scripts/common-passwords.ts. */
declare const COMMON_PASSWORDS: string;

/** The 3,000 most common passwords of 8 characters and more, in small letters, longer ones first. */
const commonPasswords: readonly string[] = COMMON_PASSWORDS.split('\n');

/** Words of the product, which count as known to a guesser; docs/inbox/what-protects-what.md lists them. */
const productWords = [productName, 'inbox', 'notifications', 'notification'];

/** Short words that many passwords begin with; the common ones have 8 characters at least. */
const shortWords = [
  'welcome',
  'winter',
  'spring',
  'summer',
  'sommer',
  'autumn',
  'herbst',
  'secret',
  'geheim',
  'hallo',
];

/** Rows of keyboards and the alphabet: three neighbors of one are a sequence. */
const rows = ['qwertyuiop', 'qwertzuiop', 'asdfghjkl', 'zxcvbnm', '1234567890', 'abcdefghijklmnopqrstuvwxyz'];
const sequences = [...rows, ...rows.map((row) => row.split('').toReversed().join(''))];

/** Signs that are read as letters. */
const letterOfSign: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** What each part adds to the guesses, in bits. A letter of a word adds less than a random one. */
const bits = { known: 4, sequence: 4, year: 5, letter: 2.5, digit: 2.5, sign: 4, capital: 2 };

/** The bits from which on a password has the levels 1 to 4. */
const levels = [10, 22, 28, 36];

/**
 * Estimates how hard a password is to guess, by the common passwords, the given texts, repetitions, rows of the keyboard and years in it.
 * The server validates again.
 *
 * @param own texts that a guesser knows, such as the email address.
 */
export function estimateStrength(password: string, own: readonly string[] = []): PasswordStrength {
  const texts = [...productWords, ...own];
  const words = texts.concat(texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u)));
  const known = words.map((word) => word.toLowerCase()).filter((word) => word.length > 2);
  const longestFirst = known.toSorted((one, other) => other.length - one.length);
  // bcrypt reads 72 bytes.
  const total = countBits(password.slice(0, 72), [...longestFirst, ...commonPasswords, ...shortWords]);
  return levels.filter((least) => total >= least).length as PasswordStrength;
}

/** @param known words, longer ones first. */
function countBits(password: string, known: readonly string[]): number {
  let total = 0;
  let rest = password.toLowerCase();
  let letters = withLetters(rest);
  // Replaces a recognized part by a space, so that it is counted once.
  const take = (start: number, length: number, cost: number) => {
    rest = `${rest.slice(0, start)} ${rest.slice(start + length)}`;
    letters = withLetters(rest);
    total += cost;
  };
  for (const word of known) {
    for (const read of [() => rest, () => letters])
      for (let at = read().indexOf(word); at >= 0; at = read().indexOf(word))
        take(at, word.length, bits.known);
  }
  // A repetition counts as its part, plus the bits of its length.
  rest = rest.replace(/(.+?)\1{2,}/g, (whole, part: string) => {
    total += Math.log2(whole.length);
    return part;
  });
  for (const sequence of findSequences(rest)) take(rest.indexOf(sequence), sequence.length, bits.sequence);
  for (const [year] of rest.matchAll(/(?:19|20)\d\d/g)) take(rest.indexOf(year), year.length, bits.year);
  const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
  // The same sign between words is one idea, and capitals at the start or throughout are usual.
  const signs = new Set(rest.match(/[^\p{L}\p{N} ]/gu));
  total += count(rest, /\p{L}/gu) * bits.letter + count(rest, /\p{N}/gu) * bits.digit;
  return total + signs.size * bits.sign + count(password, /(?<=[^\p{Lu}])\p{Lu}/gu) * bits.capital;
}

/** The text with signs read as letters, in the same length. */
function withLetters(text: string): string {
  return text.replace(/./gs, (sign) => letterOfSign[sign] ?? sign);
}

/** The sequences of at least three characters in the text, each as long as possible. */
function findSequences(text: string): readonly string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length - 2; start += 1) {
    let end = start + 3;
    if (!isSequence(text.slice(start, end))) continue;
    while (end < text.length && isSequence(text.slice(start, end + 1))) end += 1;
    found.push(text.slice(start, end));
    start = end - 1;
  }
  return found;
}

function isSequence(text: string): boolean {
  return sequences.some((row) => row.includes(text));
}
