/** A statement of a script, without leading comments and the trailing semicolon. */
export interface Statement {
  readonly text: string;
  /** The line of its first character in the script, counted from 1. */
  readonly line: number;
}

/** Splits a script as `splitScript` does, and drops psql's commands. */
export const splitSql = (script: string): Statement[] =>
  splitScript(script).filter(({ text }) => !isPsqlCommand(text));

export const isPsqlCommand = (text: string): boolean => text.startsWith('\\');

/**
 * Splits a script at its semicolons as psql does: not within quotes, comments, parentheses and `begin atomic` bodies. A
 * backslash ends a statement, too, and begins a command of psql, which ends with its line.
 */
export function splitScript(script: string): Statement[] {
  const statements: Statement[] = [];
  let position = 0;
  let line = 1;
  let lineEnd = 0;
  while (position < script.length) {
    const start = skipToStatement(script, position);
    const end = script[start] === '\\' ? endOfLine(script, start) : endOfStatement(script, start);
    line += countLines(script, lineEnd, start);
    lineEnd = start;
    const text = script.slice(start, end).trimEnd();
    if (text !== '') statements.push({ text, line });
    position = script[end] === '\\' ? end : end + 1;
  }
  return statements;
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Returns the end of the comment or quoted text at `position`, or `position` itself if code is there. */
export function skipQuoted(script: string, position: number): number {
  const character = script[position];
  if (character === '-' && script[position + 1] === '-') return indexAfter(script, '\n', position);
  if (character === '/' && script[position + 1] === '*') return endOfComment(script, position);
  if (character === '"') return indexAfter(script, '"', position + 1);
  if (character === "'") {
    // The letter of E'...', where a backslash escapes a quote, must not be the end of a word.
    const isEscaped = /(?:^|[^\w$])e$/i.test(script.slice(Math.max(0, position - 2), position));
    return endOfText(script, position, isEscaped);
  }
  const [tag] =
    character === '$'
      ? (matchAt(/\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/iy, script, position) ?? [])
      : [];
  return tag === undefined ? position : indexAfter(script, tag, position + tag.length);
}

function matchAt(pattern: RegExp, script: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(script);
}

/** The position after the next `text`, or the end of the script. */
function indexAfter(script: string, text: string, from: number): number {
  const found = script.indexOf(text, from);
  return found === -1 ? script.length : found + text.length;
}

function endOfLine(script: string, from: number): number {
  const end = script.indexOf('\n', from);
  return end === -1 ? script.length : end;
}

function endOfText(script: string, start: number, isEscaped: boolean): number {
  for (let at = start + 1; at < script.length; at += 1) {
    if (isEscaped && script[at] === '\\') at += 1;
    else if (script[at] === "'") return at + 1;
  }
  return script.length;
}

/** Block comments can be nested. */
function endOfComment(script: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(script); mark; mark = marks.exec(script)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return script.length;
}

function skipToStatement(script: string, from: number): number {
  let position = from;
  for (;;) {
    const [space = ''] = matchAt(/[\s;\ufeff]+/y, script, position) ?? [];
    position += space.length;
    const isComment = /^(?:--|\/\*)/.test(script.slice(position, position + 2));
    if (!isComment) return position;
    position = skipQuoted(script, position);
  }
}

function endOfStatement(script: string, start: number): number {
  let position = start;
  let parentheses = 0;
  /** The open blocks within the body of an SQL-standard function: the body and `case` expressions. */
  let blocks = 0;
  let lastWord = '';
  while (position < script.length) {
    const behind = skipQuoted(script, position);
    const [word] =
      behind === position
        ? (matchAt(/[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/iy, script, position) ?? [])
        : [];
    if (behind > position) position = behind;
    else if (word !== undefined) {
      const name = word.toLowerCase();
      if (name === 'atomic' && lastWord === 'begin') blocks = 1;
      else if (blocks > 0 && name === 'case') blocks += 1;
      else if (blocks > 0 && name === 'end') blocks -= 1;
      lastWord = name;
      position += word.length;
    } else {
      const character = script[position];
      if (character === '\\' || (character === ';' && parentheses <= 0 && blocks === 0)) return position;
      if (character === '(') parentheses += 1;
      if (character === ')') parentheses -= 1;
      position += 1;
    }
  }
  return script.length;
}
