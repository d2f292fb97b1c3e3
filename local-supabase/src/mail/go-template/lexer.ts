import { TemplateError } from './syntax.ts';

/** A part of a template: literal text, or an action between delimiters. */
export type Segment =
  | { readonly type: 'text'; readonly text: string; readonly line: number }
  | { readonly type: 'action'; readonly tokens: readonly Token[]; readonly line: number };

/** A token within an action. The text of `field` and `variable` excludes the dot or dollar sign. */
export type Token =
  | { readonly type: 'identifier' | 'field' | 'variable' | 'number' | 'operator'; readonly text: string }
  | { readonly type: 'string' | 'character'; readonly text: string }
  | { readonly type: 'space' };

const trimmedStart = /^[ \t\r\n]+/;
const trimmedEnd = /[ \t\r\n]+$/;

const lineAt = (source: string, index: number): number => source.slice(0, index).split('\n').length;

/** Splits a template into texts and actions; applies trim markers and drops comments. */
export function splitTemplate(source: string): Segment[] {
  const segments: Segment[] = [];
  let position = 0;
  let trimsNext = false;
  for (;;) {
    const open = source.indexOf('{{', position);
    const end = open === -1 ? source.length : open;
    let text = source.slice(position, end);
    if (trimsNext) text = text.replace(trimmedStart, '');
    if (open === -1) {
      if (text !== '') segments.push({ type: 'text', text, line: lineAt(source, position) });
      return segments;
    }
    const line = lineAt(source, open);
    const trimsText = /^\{\{-[ \t\r\n]/.test(source.slice(open, open + 4));
    if (trimsText) text = text.replace(trimmedEnd, '');
    if (text !== '') segments.push({ type: 'text', text, line: lineAt(source, position) });
    const start = open + (trimsText ? 3 : 2);
    const action = readAction(source, start, line);
    if (action.tokens !== null) segments.push({ type: 'action', tokens: action.tokens, line });
    ({ position, trimsNext } = action);
  }
}

interface Action {
  /** Null for a comment. */
  readonly tokens: readonly Token[] | null;
  readonly position: number;
  readonly trimsNext: boolean;
}

function readAction(source: string, start: number, line: number): Action {
  const comment = /^\s*\/\*[\s\S]*?\*\/(?<trim>\s+-)?\}\}/.exec(source.slice(start));
  if (comment)
    return { tokens: null, position: start + comment[0].length, trimsNext: comment[1] !== undefined };
  if (/^\s*\/\*/.test(source.slice(start))) throw new TemplateError('unclosed comment', line);
  const tokens: Token[] = [];
  let index = start;
  for (;;) {
    const rest = source.slice(index);
    const [close, trim] = /^(?:[ \t\r\n]+(-))?\}\}/.exec(rest) ?? [];
    if (close !== undefined) return { tokens, position: index + close.length, trimsNext: trim !== undefined };
    if (rest === '') throw new TemplateError('unclosed action', line);
    const [length, token] = readToken(rest, line);
    tokens.push(token);
    index += length;
  }
}

type TokenRule = readonly [pattern: RegExp, make: (match: RegExpExecArray) => Token];

const numberPattern =
  /^[+-]?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*)?\.?\d[\d_]*\.?(?:[eE][+-]?\d+)?)(?![\w.])/;

const rules: readonly TokenRule[] = [
  [/^[ \t\r\n]+/, () => ({ type: 'space' })],
  [/^"(?:[^"\\\n]|\\.)*"/, ([text]) => ({ type: 'string', text: unquote(text) })],
  [/^`[^`]*`/, ([text]) => ({ type: 'string', text: text.slice(1, -1).replaceAll('\r', '') })],
  [/^'(?:[^'\\\n]|\\.[^']*)'/, ([text]) => ({ type: 'character', text: unquote(text) })],
  [numberPattern, ([text]) => ({ type: 'number', text })],
  [/^\.([\p{L}_][\p{L}\p{Nd}_]*)/u, ([, text = '']) => ({ type: 'field', text })],
  [/^\$([\p{L}\p{Nd}_]*)/u, ([, text = '']) => ({ type: 'variable', text })],
  [/^[\p{L}_][\p{L}\p{Nd}_]*/u, ([text]) => ({ type: 'identifier', text })],
  [/^(?::=|[=|(),.])/, ([text]) => ({ type: 'operator', text })],
];

function readToken(rest: string, line: number): readonly [number, Token] {
  for (const [pattern, make] of rules) {
    const match = pattern.exec(rest);
    if (match) return [match[0].length, make(match)];
  }
  throw new TemplateError(`unexpected ${JSON.stringify(Array.from(rest)[0])} in an action`, line);
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Reads a quoted Go string or character constant. */
function unquote(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(
      /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([0-7]{3})|(.))/gi,
      (_, ...groups: string[]) => {
        const [hex, short, long, octal, char = ''] = groups;
        const code = hex ?? short ?? long;
        if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
        if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
        return escapes[char] ?? char;
      },
    );
}
