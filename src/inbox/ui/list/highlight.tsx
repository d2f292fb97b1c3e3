import { useMemo } from 'react';

const shortestStem = 4;
const longestEnding = 4;

/** Letters that Unicode does not decompose, as PostgreSQL's `unaccent` writes them. */
const lettersInPlain: Readonly<Record<string, string | undefined>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** A letter of a script that is written without spaces: the server finds its words anywhere in a run. */
const unspacedLetters = String.raw`(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}]`;
const word = new RegExp(String.raw`(?:${unspacedLetters})+|(?:(?!${unspacedLetters})[\p{L}\p{N}])+`, 'gu');
const unspacedStart = new RegExp(`^${unspacedLetters}`, 'u');

interface TextPart {
  /** The part's position in the text. */
  readonly start: number;
  readonly text: string;
  readonly isMatch: boolean;
}

/**
 * Splits a text at the words that the query finds: those that begin with one of its words, or share its stem. Accents
 * do not matter, as in the search of the server.
 */
export function splitMatches(text: string, query: string): readonly TextPart[] {
  const words = withoutAccents(query).plain.match(word) ?? [];
  if (words.length === 0) return [{ start: 0, text, isMatch: false }];
  const found = new RegExp(words.flatMap(alternatives).join('|'), 'giu');
  const { plain, origins } = withoutAccents(text);
  const originOf = (index: number): number => origins[index] ?? text.length;
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: match, index } of plain.matchAll(found)) {
    const start = originOf(index);
    if (start > end) parts.push({ start: end, text: text.slice(end, start), isMatch: false });
    let plainEnd = index + match.length;
    // A letter such as æ is marked whole.
    while (origins[plainEnd] === origins[plainEnd - 1]) plainEnd++;
    end = originOf(plainEnd);
    parts.push({ start, text: text.slice(start, end), isMatch: true });
  }
  if (end < text.length) parts.push({ start: end, text: text.slice(end), isMatch: false });
  return parts;
}

/** @returns the lower-case text without accents, and for each of its code units the index in `text` it comes from. */
function withoutAccents(text: string): { readonly plain: string; readonly origins: readonly number[] } {
  let plain = '';
  const origins: number[] = [];
  let index = 0;
  for (const character of text) {
    const lower = character.toLowerCase();
    // Compose the letters again, because NFD also decomposes the syllables of Hangul.
    const letters =
      lettersInPlain[lower] ??
      lower
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize();
    plain += letters;
    for (let unit = 0; unit < letters.length; unit++) origins.push(index);
    index += character.length;
  }
  return { plain, origins };
}

/**
 * The beginning of a word, or a whole word of the same stem: `engines` finds `engine`; only the server knows the exact stem.
 * A word of a script without spaces may be anywhere.
 */
function alternatives(found: string): readonly string[] {
  if (unspacedStart.test(found)) return [found];
  const stem = found.slice(0, Math.max(shortestStem, found.length - 3));
  const begins = String.raw`(?<!(?!${unspacedLetters})[\p{L}\p{N}])`;
  const words = [
    found,
    ...(stem.length < found.length ? [`${stem}\\p{L}{0,${longestEnding}}(?!\\p{L})`] : []),
  ];
  return words.map((one) => begins + one);
}

/**
 * A text with the words of the query marked, if there is a query. Its parts are elements, since React could not remove a text
 * that a browser's translation has moved.
 */
export function Highlight({
  text,
  query = '',
}: {
  readonly text: string;
  readonly query?: string | undefined;
}) {
  const parts = useMemo(() => splitMatches(text, query), [text, query]);
  return parts.map(({ start, text: part, isMatch }) =>
    isMatch ? <mark key={start}>{part}</mark> : <span key={start}>{part}</span>,
  );
}
