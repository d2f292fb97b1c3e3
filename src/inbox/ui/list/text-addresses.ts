/**
 * An http(s) address within a text. It ends before a space, a quotation mark or bracket that no address has, the full-width
 * punctuation of Chinese and Japanese, and characters that could disguise it.
 */
const addressPattern = /\bhttps?:\/\/[^\s<>"“”„«»‹›\u3000-\u303F\uFF01-\uFF1F\p{Cc}\p{Cf}]+/giu;

/** Punctuation that ends a sentence rather than an address. */
const endPunctuation = new Set(".,:;!?'’…*_~");

const brackets = [
  ['(', ')'],
  ['[', ']'],
] as const;

/** A part of a text; `url` is null where it is not an address. */
export interface TextPart {
  readonly text: string;
  readonly url: URL | null;
  readonly start: number;
}

/** Splits a text at its http(s) addresses. The parts joined are the text. */
export function splitAtAddresses(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(addressPattern)) {
    const address = withoutEndPunctuation(found);
    if (!URL.canParse(address)) continue;
    parts.push({ text: text.slice(end, index), url: null, start: end });
    parts.push({ text: address, url: new URL(address), start: index });
    end = index + address.length;
  }
  return [...parts, { text: text.slice(end), url: null, start: end }].filter((part) => part.text !== '');
}

/** Strips trailing punctuation, and a closing bracket that the address did not open. */
function withoutEndPunctuation(address: string): string {
  const excess = new Map<string, number>(
    brackets.map(([opening, closing]) => [closing, countOf(address, closing) - countOf(address, opening)]),
  );
  let length = address.length;
  for (; length > 0; length -= 1) {
    const last = address.charAt(length - 1);
    const unopened = excess.get(last) ?? 0;
    if (unopened <= 0 && !endPunctuation.has(last)) break;
    if (unopened > 0) excess.set(last, unopened - 1);
  }
  return address.slice(0, length);
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}
