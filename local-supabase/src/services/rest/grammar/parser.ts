/**
 * Parser combinators with the error rules of Parsec (Haskell), which PostgREST's grammar uses: its error messages
 * contain the furthest position and everything that was expected there, so the rules that merge errors are part of the
 * protocol.
 */

/** The kinds in Parsec's order, in which they are printed. */
export type MessageKind = 'system-unexpected' | 'unexpected' | 'expected';

export interface Message {
  readonly kind: MessageKind;
  readonly text: string;
}

/** What was found and what was expected at a position. Without messages, the error is unknown. */
export interface ParseError {
  readonly position: number;
  readonly messages: readonly Message[];
}

/** The code points of a text. */
export type Input = readonly string[];

export type Reply<T> =
  | {
      readonly ok: true;
      readonly value: T;
      readonly position: number;
      readonly consumed: boolean;
      readonly error: ParseError;
    }
  | { readonly ok: false; readonly consumed: boolean; readonly error: ParseError };

export type Parser<T> = (input: Input, position: number) => Reply<T>;

const unknownError = (position: number): ParseError => ({ position, messages: [] });

export function mergeErrors(first: ParseError, second: ParseError): ParseError {
  if (second.messages.length === 0 && first.messages.length > 0) return first;
  if (first.messages.length === 0 && second.messages.length > 0) return second;
  if (first.position > second.position) return first;
  if (first.position < second.position) return second;
  return { position: first.position, messages: [...first.messages, ...second.messages] };
}

export const pure =
  <T>(value: T): Parser<T> =>
  (_input, position) => ({ ok: true, value, position, consumed: false, error: unknownError(position) });

export const never: Parser<never> = (_input, position) => ({
  ok: false,
  consumed: false,
  error: unknownError(position),
});

/** Runs `first`, then the parser that `next` returns for its value. */
export function chain<A, B>(first: Parser<A>, next: (value: A) => Parser<B>): Parser<B> {
  return (input, position) => {
    const before = first(input, position);
    if (!before.ok) return before;
    const after = next(before.value)(input, before.position);
    const error = after.consumed ? after.error : mergeErrors(before.error, after.error);
    return { ...after, consumed: before.consumed || after.consumed, error };
  };
}

export const map = <A, B>(parser: Parser<A>, change: (value: A) => B): Parser<B> => {
  return (input, position) => {
    const reply = parser(input, position);
    return reply.ok ? { ...reply, value: change(reply.value) } : reply;
  };
};

type ValuesOf<Parsers extends readonly Parser<unknown>[]> = {
  [Index in keyof Parsers]: Parsers[Index] extends Parser<infer T> ? T : never;
};

export function sequence<const Parsers extends readonly Parser<unknown>[]>(
  ...parsers: Parsers
): Parser<ValuesOf<Parsers>> {
  return (input, start) => {
    const values: unknown[] = [];
    let position = start;
    let consumed = false;
    let error = unknownError(start);
    for (const parser of parsers) {
      const reply = parser(input, position);
      error = reply.consumed ? reply.error : mergeErrors(error, reply.error);
      consumed ||= reply.consumed;
      if (!reply.ok) return { ok: false, consumed, error };
      position = reply.position;
      values.push(reply.value);
    }
    return { ok: true, value: values as ValuesOf<Parsers>, position, consumed, error };
  };
}

/** Returns the first success. A parser that fails after it has consumed input ends the choice. */
export function oneOf<Parsers extends readonly Parser<unknown>[]>(
  ...parsers: Parsers
): Parser<ValuesOf<Parsers>[number]> {
  return (input, position) => {
    let error = unknownError(position);
    for (const parser of parsers) {
      const reply = parser(input, position);
      if (reply.consumed) return reply as Reply<ValuesOf<Parsers>[number]>;
      error = mergeErrors(error, reply.error);
      if (reply.ok) return { ...reply, error } as Reply<ValuesOf<Parsers>[number]>;
    }
    return { ok: false, consumed: false, error };
  };
}

/** Fails as if no input had been consumed. */
export const attempt =
  <T>(parser: Parser<T>): Parser<T> =>
  (input, position) => {
    const reply = parser(input, position);
    return reply.ok ? reply : { ...reply, consumed: false };
  };

export const lookAhead =
  <T>(parser: Parser<T>): Parser<T> =>
  (input, position) => {
    const reply = parser(input, position);
    return reply.ok ? { ...reply, position, consumed: false, error: unknownError(position) } : reply;
  };

/** Replaces the expectations of `parser` with a name. */
export function label<T>(parser: Parser<T>, name: string): Parser<T> {
  return (input, position) => {
    const reply = parser(input, position);
    if (reply.consumed || (reply.ok && reply.error.messages.length === 0)) return reply;
    const others = reply.error.messages.filter(({ kind }) => kind !== 'expected');
    return {
      ...reply,
      error: { ...reply.error, messages: [{ kind: 'expected', text: name }, ...others] },
    };
  };
}

export function many<T>(parser: Parser<T>): Parser<T[]> {
  return (input, start) => {
    const value: T[] = [];
    let position = start;
    let error = unknownError(start);
    for (;;) {
      const reply = parser(input, position);
      if (!reply.ok && reply.consumed) return reply;
      if (!reply.ok || !reply.consumed) {
        return {
          ok: true,
          value,
          position,
          consumed: position > start,
          error: mergeErrors(error, reply.error),
        };
      }
      value.push(reply.value);
      ({ position, error } = reply);
    }
  };
}

export function separatedBy1<T>(parser: Parser<T>, separator: Parser<unknown>): Parser<T[]> {
  const rest = many(map(sequence(separator, parser), ([, value]) => value));
  return map(sequence(parser, rest), ([first, others]) => [first, ...others]);
}

export const separatedBy = <T>(parser: Parser<T>, separator: Parser<unknown>): Parser<T[]> =>
  oneOf(separatedBy1(parser, separator), pure<T[]>([]));

export const option = <T, Fallback>(parser: Parser<T>, fallback: Fallback): Parser<T | Fallback> =>
  oneOf(parser, pure(fallback));

/** The value of `parser`, or undefined if it fails without consuming input. */
export const optional = <T>(parser: Parser<T>): Parser<T | undefined> => option(parser, undefined);

export const between = <T>(open: Parser<unknown>, parser: Parser<T>, close: Parser<unknown>): Parser<T> =>
  map(sequence(open, parser, close), ([, value]) => value);

export const before = <T>(parser: Parser<T>, next: Parser<unknown>): Parser<T> =>
  map(sequence(parser, next), ([value]) => value);

export const after = <T>(previous: Parser<unknown>, parser: Parser<T>): Parser<T> =>
  map(sequence(previous, parser), ([, value]) => value);

/** Fails if `parser` succeeds, reporting what it found. Consumes nothing. */
export function notFollowedBy(parser: Parser<string>): Parser<undefined> {
  const unexpected =
    (found: string): Parser<undefined> =>
    (_input, position) => ({
      ok: false,
      consumed: false,
      error: { position, messages: [{ kind: 'unexpected', text: showCharacter(found) }] },
    });
  return attempt(oneOf(chain(attempt(parser), unexpected), pure(undefined)));
}

/** Quotes a character as Haskell's `show` does. */
function showCharacter(character: string): string {
  if (character === "'") return String.raw`'\''`;
  return character === '"' ? `'"'` : `'${escapeCharacter(character)}'`;
}

/** Quotes a text as Haskell's `show` does. */
export function showText(text: string): string {
  const shown = Array.from(text, (character) =>
    character === '"' ? String.raw`\"` : escapeCharacter(character),
  );
  return `"${shown.join('')}"`;
}

const CONTROL_NAMES =
  'NUL SOH STX ETX EOT ENQ ACK a b t n v f r SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === '\\') return '\\\\';
  if (code < 32) return `\\${CONTROL_NAMES[code] ?? code}`;
  if (code === 127) return '\\DEL';
  return code > 127 ? `\\${code}` : character;
}

/** The error for an unexpected character at the position. */
export function unexpectedAt(input: Input, position: number, expected: readonly string[] = []): ParseError {
  const found = input[position];
  return {
    position,
    messages: [
      { kind: 'system-unexpected', text: found === undefined ? '' : showText(found) },
      ...expected.map((text): Message => ({ kind: 'expected', text })),
    ],
  };
}
