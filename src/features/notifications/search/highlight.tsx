import { useMemo } from 'react';

const shortestStem = 4;
const longestEnding = 4;

/** A part of a text: found by the query, or between such parts. */
export interface TextPart {
  /** Its place in the text. */
  readonly start: number;
  readonly text: string;
  readonly isMatch: boolean;
}

/** Cuts a text at the words that the query finds: those that begin with one of its words, or share its stem. */
export function splitMatches(text: string, query: string): readonly TextPart[] {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (words.length === 0) return [{ start: 0, text, isMatch: false }];
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.flatMap(alternatives).join('|')})`, 'giu');
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(found)) {
    if (index > end) parts.push({ start: end, text: text.slice(end, index), isMatch: false });
    parts.push({ start: index, text: match, isMatch: true });
    end = index + match.length;
  }
  if (end < text.length) parts.push({ start: end, text: text.slice(end), isMatch: false });
  return parts;
}

/** The word itself, or a whole word with its stem: `engines` finds `engine`. Only the server knows the exact stem. */
function alternatives(word: string): readonly string[] {
  const stem = word.slice(0, Math.max(shortestStem, word.length - 3));
  return stem.length < word.length ? [word, `${stem}\\p{L}{0,${longestEnding}}(?!\\p{L})`] : [word];
}

/** A text with the words of the query marked. */
export function Highlight({ text, query }: { readonly text: string; readonly query: string }) {
  const parts = useMemo(() => splitMatches(text, query), [text, query]);
  return parts.map(({ start, text: part, isMatch }) =>
    isMatch ? <mark key={start}>{part}</mark> : <span key={start}>{part}</span>,
  );
}
