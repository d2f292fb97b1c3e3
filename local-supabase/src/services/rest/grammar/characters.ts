import { label, map, notFollowedBy, sequence, showText, unexpectedAt } from './parser.ts';
import type { ParseError, Parser } from './parser.ts';

export const satisfy =
  (test: (character: string) => boolean): Parser<string> =>
  (input, position) => {
    const value = input[position];
    if (value === undefined || !test(value)) {
      return { ok: false, consumed: false, error: unexpectedAt(input, position) };
    }
    return {
      ok: true,
      value,
      position: position + 1,
      consumed: true,
      error: { position: position + 1, messages: [] },
    };
  };

export const character = (wanted: string): Parser<string> =>
  label(
    satisfy((found) => found === wanted),
    showText(wanted),
  );

export const noneOf = (characters: string): Parser<string> => satisfy((found) => !characters.includes(found));
export const anyCharacter: Parser<string> = satisfy(() => true);
export const digit: Parser<string> = label(satisfy(isDigit), 'digit');

/** Matches this text. Consumes input once the first character matches. */
export function text(wanted: string): Parser<string> {
  const characters = Array.from(wanted);
  const expected = [showText(wanted)];
  return (input, start) => {
    for (const [index, one] of characters.entries()) {
      if (input[start + index] === one) continue;
      const { messages } = unexpectedAt(input, start + index, expected);
      return { ok: false, consumed: index > 0, error: { position: start, messages } };
    }
    const position = start + characters.length;
    return { ok: true, value: wanted, position, consumed: true, error: { position, messages: [] } };
  };
}

/**
 * Matches any number of characters that pass the test. Equivalent to `many(satisfy(test))`, in one step.
 *
 * @param expected names of the characters for error messages.
 */
export function run(test: (character: string) => boolean, expected: readonly string[] = []): Parser<string> {
  return (input, start) => {
    let position = start;
    for (;;) {
      const found = input[position];
      if (found === undefined || !test(found)) break;
      position += 1;
    }
    const error: ParseError = unexpectedAt(input, position, expected);
    const value = input.slice(start, position).join('');
    return { ok: true, value, position, consumed: position > start, error };
  };
}

/** Matches one or more characters. */
export function run1(test: (character: string) => boolean, expected: readonly string[] = []): Parser<string> {
  const any = run(test, expected);
  return (input, position) => {
    const reply = any(input, position);
    return reply.consumed ? reply : { ok: false, consumed: false, error: reply.error };
  };
}

const anyToken: Parser<string> = (input, position) => {
  const value = input[position];
  return value === undefined
    ? { ok: false, consumed: false, error: unexpectedAt(input, position) }
    : { ok: true, value, position, consumed: true, error: { position, messages: [] } };
};

export const endOfInput: Parser<undefined> = label(notFollowedBy(anyToken), 'end of input');

export const spaces: Parser<string> = run((found) => found === ' ' || found === '\t');

/** Skips spaces and tabs around `parser`. */
export const lexeme = <T>(parser: Parser<T>): Parser<T> =>
  map(sequence(spaces, parser, spaces), ([, value]) => value);

export function isDigit(found: string): boolean {
  return found >= '0' && found <= '9';
}

export const isLetter = (found: string): boolean => /^\p{L}$/u.test(found);
