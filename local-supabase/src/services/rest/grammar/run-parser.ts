import type { Message, MessageKind, ParseError, Parser } from './parser.ts';

/** A syntax error in a part of the URL, with PostgREST's message. */
export interface SyntaxProblem {
  readonly message: string;
  readonly details: string;
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: SyntaxProblem };

/** Parses a prefix of `source`; the rest is ignored. @param name the name of the text in error messages. */
export function runParser<T>(parser: Parser<T>, name: string, source: string): Parsed<T> {
  const input = Array.from(source);
  const reply = parser(input, 0);
  if (reply.ok) return { ok: true, value: reply.value };
  const { line, column } = locate(input, reply.error.position);
  return {
    ok: false,
    problem: {
      message: `"${name}" (line ${line}, column ${column})`,
      details: describe(reply.error).replaceAll('\n', ' ').trim(),
    },
  };
}

const TAB_WIDTH = 8;

function locate(input: readonly string[], position: number): { line: number; column: number } {
  let line = 1;
  let column = 1;
  for (const character of input.slice(0, position)) {
    if (character === '\n') {
      line += 1;
      column = 1;
    } else column += character === '\t' ? TAB_WIDTH - ((column - 1) % TAB_WIDTH) : 1;
  }
  return { line, column };
}

function describe({ messages }: ParseError): string {
  if (messages.length === 0) return 'unknown parse error';
  const found = messages.find(({ kind }) => kind === 'system-unexpected')?.text;
  const isExplicit = messages.some(({ kind }) => kind === 'unexpected');
  const lines = [
    isExplicit || found === undefined ? '' : `unexpected ${found === '' ? 'end of input' : found}`,
    enumerate('unexpected', textsOf(messages, 'unexpected')),
    enumerate('expecting', textsOf(messages, 'expected')),
  ];
  return [...new Set(lines.filter((line) => line !== ''))].map((line) => `\n${line}`).join('');
}

function textsOf(messages: readonly Message[], wanted: MessageKind): string[] {
  const texts = messages.filter(({ kind }) => kind === wanted).map(({ text }) => text);
  return [...new Set(texts.filter((text) => text !== ''))];
}

function enumerate(introduction: string, texts: readonly string[]): string {
  const last = texts.at(-1);
  if (last === undefined) return '';
  const others = texts.slice(0, -1);
  return `${introduction} ${others.length > 0 ? `${others.join(', ')} or ` : ''}${last}`;
}
