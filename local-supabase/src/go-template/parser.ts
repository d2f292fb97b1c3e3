import { type Segment, splitTemplate, type Token } from './lexer.ts';
import { functionNames } from './functions.ts';
import type { BranchNode, Command, Node, Operand, Pipeline } from './syntax.ts';
import { TemplateError } from './syntax.ts';

/** Parses a template. Throws TemplateError. */
export function parseTemplate(source: string): readonly Node[] {
  const parser = createParser(splitTemplate(source));
  const { nodes, terminator } = parser.readNodes();
  if (terminator !== null) throw new TemplateError(`unexpected {{${terminator.keyword}}}`, terminator.line);
  return nodes;
}

interface Terminator {
  readonly keyword: 'end' | 'else';
  readonly tokens: TokenReader;
  readonly line: number;
}

interface NodeList {
  readonly nodes: readonly Node[];
  /** The keyword that ended the list; null at the end of the template. */
  readonly terminator: Terminator | null;
}

const unsupported: ReadonlySet<string> = new Set(['define', 'template', 'block']);
const isBranch = (keyword: string): keyword is BranchNode['kind'] =>
  keyword === 'if' || keyword === 'with' || keyword === 'range';

function createParser(segments: readonly Segment[]) {
  let index = 0;
  let rangeDepth = 0;
  /** The variables in scope: Go checks them when it parses. */
  const scope = [''];

  function readNodes(): NodeList {
    const nodes: Node[] = [];
    while (index < segments.length) {
      const segment = segments[index++];
      if (segment === undefined) break;
      if (segment.kind === 'text') {
        nodes.push(segment);
        continue;
      }
      const { line } = segment;
      const tokens = createTokenReader(segment.tokens, line, scope);
      const keyword = tokens.peekKeyword();
      if (keyword === 'end' || keyword === 'else') {
        tokens.skipKeyword();
        return { nodes, terminator: { keyword, tokens, line } };
      }
      nodes.push(readAction(tokens, keyword, line));
    }
    return { nodes, terminator: null };
  }

  function readAction(tokens: TokenReader, keyword: string, line: number): Node {
    if (unsupported.has(keyword)) throw new TemplateError(`{{${keyword}}} is not supported`, line);
    if (isBranch(keyword)) {
      tokens.skipKeyword();
      return readBranch(keyword, tokens, line);
    }
    if (keyword === 'break' || keyword === 'continue') {
      if (rangeDepth === 0) throw new TemplateError(`{{${keyword}}} outside {{range}}`, line);
      return { kind: keyword, line };
    }
    const pipeline = tokens.readPipeline();
    tokens.expectEnd();
    return { kind: 'action', pipeline, line };
  }

  function readBranch(kind: BranchNode['kind'], tokens: TokenReader, line: number): BranchNode {
    const scopeSize = scope.length;
    const pipeline = tokens.readPipeline(kind === 'range');
    tokens.expectEnd();
    if (kind === 'range') rangeDepth += 1;
    const body = readNodes();
    if (kind === 'range') rangeDepth -= 1;
    const otherwise = readOtherwise(kind, body.terminator, line);
    scope.length = scopeSize;
    return { kind, pipeline, body: body.nodes, otherwise, line };
  }

  function readOtherwise(
    kind: BranchNode['kind'],
    terminator: Terminator | null,
    line: number,
  ): readonly Node[] {
    if (terminator === null) throw new TemplateError(`{{${kind}}} without {{end}}`, line);
    const { tokens } = terminator;
    if (terminator.keyword === 'end') {
      tokens.expectEnd();
      return [];
    }
    const nested = tokens.peekKeyword();
    if (nested === kind && kind !== 'range') {
      tokens.skipKeyword();
      return [readBranch(kind, tokens, terminator.line)];
    }
    tokens.expectEnd();
    const list = readNodes();
    if (list.terminator?.keyword !== 'end') throw new TemplateError(`{{${kind}}} without {{end}}`, line);
    list.terminator.tokens.expectEnd();
    return list.nodes;
  }

  return { readNodes };
}

type TokenReader = ReturnType<typeof createTokenReader>;

function createTokenReader(tokens: readonly Token[], line: number, scope: string[]) {
  let index = 0;
  const fail = (message: string): never => {
    throw new TemplateError(message, line);
  };
  const skipSpace = (): void => {
    while (tokens[index]?.kind === 'space') index += 1;
  };
  const isOperator = (text: string): boolean => {
    const token = tokens[index];
    return token?.kind === 'operator' && token.text === text;
  };
  const peekKeyword = (): string => {
    skipSpace();
    const token = tokens[index];
    return token?.kind === 'identifier' ? token.text : '';
  };

  function readVariables(allowsTwo: boolean): Pick<Pipeline, 'variables' | 'isAssignment'> {
    const start = index;
    const variables: string[] = [];
    for (;;) {
      skipSpace();
      const token = tokens[index];
      if (token?.kind !== 'variable') break;
      index += 1;
      skipSpace();
      variables.push(token.text);
      if (isOperator(':=') || isOperator('=')) {
        const isAssignment = isOperator('=');
        index += 1;
        if (variables.length > (allowsTwo ? 2 : 1)) fail('too many declarations');
        if (!isAssignment) scope.push(...variables);
        return { variables, isAssignment };
      }
      if (!isOperator(',')) break;
      index += 1;
    }
    index = start;
    return { variables: [], isAssignment: false };
  }

  function readPipeline(allowsTwo = false): Pipeline {
    const declared = readVariables(allowsTwo);
    const commands: Command[] = [];
    do {
      if (commands.length > 0) index += 1;
      commands.push(readCommand());
      skipSpace();
    } while (isOperator('|'));
    for (const [position, { operands }] of commands.entries()) {
      const [first] = operands;
      if (first === undefined) fail('missing value for command');
      else if (position > 0 && (first.kind === 'constant' || first.kind === 'dot' || first.kind === 'nil'))
        fail('non executable command in pipeline');
    }
    return { ...declared, commands };
  }

  function readCommand(): Command {
    const operands: Operand[] = [];
    for (;;) {
      skipSpace();
      const token = tokens[index];
      if (token === undefined || (token.kind === 'operator' && /^[|)]$/.test(token.text)))
        return { operands };
      operands.push(readOperand(token));
    }
  }

  function readFields(): string[] {
    const fields: string[] = [];
    for (;;) {
      const token = tokens[index];
      if (token?.kind !== 'field') return fields;
      fields.push(token.text);
      index += 1;
    }
  }

  function readOperand(token: Token): Operand {
    index += 1;
    switch (token.kind) {
      case 'string':
        return { kind: 'constant', value: token.text };
      case 'character':
        return { kind: 'constant', value: BigInt(token.text.codePointAt(0) ?? 0) };
      case 'number':
        return { kind: 'constant', value: readNumber(token.text, fail) };
      case 'variable': {
        if (!scope.includes(token.text)) fail(`undefined variable "$${token.text}"`);
        return { kind: 'variable', name: token.text, fields: readFields() };
      }
      case 'field':
        index -= 1;
        return { kind: 'field', fields: readFields() };
      case 'identifier':
        if (token.text === 'true' || token.text === 'false')
          return { kind: 'constant', value: token.text === 'true' };
        if (token.text === 'nil') return { kind: 'nil' };
        if (!functionNames.has(token.text)) fail(`function "${token.text}" not defined`);
        return { kind: 'function', name: token.text };
      case 'operator':
        if (token.text === '.') return { kind: 'dot' };
        if (token.text === '(') {
          const pipeline = readPipeline();
          if (!isOperator(')')) fail('unclosed left paren');
          index += 1;
          return { kind: 'pipeline', pipeline, fields: readFields() };
        }
        return fail(`unexpected ${JSON.stringify(token.text)} in an action`);
      case 'space':
        return fail('unexpected space');
    }
  }

  return {
    peekKeyword,
    skipKeyword: () => void (index += 1),
    readPipeline,
    expectEnd() {
      skipSpace();
      const token = tokens[index];
      if (token !== undefined) fail('unexpected tokens at the end of an action');
    },
  };
}

/** Integers become bigint, other numbers number, because Go distinguishes int and float64. */
function readNumber(text: string, fail: (message: string) => never): number | bigint {
  const digits = text.replaceAll('_', '');
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/.exec(digits) ?? [];
  if (/^(?:0[xXbBoO][\da-fA-F]+|\d+)$/.test(body)) {
    const isOctal = /^0\d/.test(body);
    const value = BigInt(isOctal ? `0o${body.slice(1)}` : body);
    return sign === '-' ? -value : value;
  }
  const value = Number(digits);
  return Number.isNaN(value) ? fail(`bad number syntax: "${text}"`) : value;
}
