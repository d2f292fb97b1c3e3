import { type Segment, splitTemplate, type Token } from './lexer.ts';
import { functionNames } from './functions.ts';
import type { BranchNode, Command, Node, Operand, Pipeline } from './syntax.ts';
import { TemplateError } from './syntax.ts';

/** Parses a template. Throws TemplateError. */
export function parseTemplate(source: string): readonly Node[] {
  const parser = new Parser(splitTemplate(source));
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
const isBranch = (keyword: string): keyword is BranchNode['type'] =>
  keyword === 'if' || keyword === 'with' || keyword === 'range';

class Parser {
  readonly #segments: readonly Segment[];
  /** The variables in scope: Go checks them when it parses. */
  readonly #scope = [''];
  #index = 0;
  #rangeDepth = 0;

  constructor(segments: readonly Segment[]) {
    this.#segments = segments;
  }

  readNodes(): NodeList {
    const nodes: Node[] = [];
    while (this.#index < this.#segments.length) {
      const segment = this.#segments[this.#index++];
      if (segment === undefined) break;
      if (segment.type === 'text') {
        nodes.push(segment);
        continue;
      }
      const { line } = segment;
      const tokens = new TokenReader(segment.tokens, line, this.#scope);
      const keyword = tokens.peekKeyword();
      if (keyword === 'end' || keyword === 'else') {
        tokens.skipKeyword();
        return { nodes, terminator: { keyword, tokens, line } };
      }
      nodes.push(this.#readAction(tokens, keyword, line));
    }
    return { nodes, terminator: null };
  }

  #readAction(tokens: TokenReader, keyword: string, line: number): Node {
    if (unsupported.has(keyword)) throw new TemplateError(`{{${keyword}}} is not supported`, line);
    if (isBranch(keyword)) {
      tokens.skipKeyword();
      return this.#readBranch(keyword, tokens, line);
    }
    if (keyword === 'break' || keyword === 'continue') {
      if (this.#rangeDepth === 0) throw new TemplateError(`{{${keyword}}} outside {{range}}`, line);
      return { type: keyword, line };
    }
    const pipeline = tokens.readPipeline();
    tokens.expectEnd();
    return { type: 'action', pipeline, line };
  }

  #readBranch(type: BranchNode['type'], tokens: TokenReader, line: number): BranchNode {
    const scopeSize = this.#scope.length;
    const pipeline = tokens.readPipeline(type === 'range');
    tokens.expectEnd();
    if (type === 'range') this.#rangeDepth += 1;
    const body = this.readNodes();
    if (type === 'range') this.#rangeDepth -= 1;
    const otherwise = this.#readOtherwise(type, body.terminator, line);
    this.#scope.length = scopeSize;
    return { type, pipeline, body: body.nodes, otherwise, line };
  }

  #readOtherwise(type: BranchNode['type'], terminator: Terminator | null, line: number): readonly Node[] {
    if (terminator === null) throw new TemplateError(`{{${type}}} without {{end}}`, line);
    const { tokens } = terminator;
    if (terminator.keyword === 'end') {
      tokens.expectEnd();
      return [];
    }
    const nested = tokens.peekKeyword();
    if (nested === type && type !== 'range') {
      tokens.skipKeyword();
      return [this.#readBranch(type, tokens, terminator.line)];
    }
    tokens.expectEnd();
    const list = this.readNodes();
    if (list.terminator?.keyword !== 'end') throw new TemplateError(`{{${type}}} without {{end}}`, line);
    list.terminator.tokens.expectEnd();
    return list.nodes;
  }
}

class TokenReader {
  readonly #tokens: readonly Token[];
  readonly #line: number;
  readonly #scope: string[];
  #index = 0;

  constructor(tokens: readonly Token[], line: number, scope: string[]) {
    this.#tokens = tokens;
    this.#line = line;
    this.#scope = scope;
  }

  peekKeyword(): string {
    this.#skipSpace();
    const token = this.#tokens[this.#index];
    return token?.type === 'identifier' ? token.text : '';
  }

  skipKeyword(): void {
    this.#index += 1;
  }

  expectEnd(): void {
    this.#skipSpace();
    if (this.#tokens[this.#index] !== undefined) this.#fail('unexpected tokens at the end of an action');
  }

  #readVariables(allowsTwo: boolean): Pick<Pipeline, 'variables' | 'isAssignment'> {
    const start = this.#index;
    const variables: string[] = [];
    for (;;) {
      this.#skipSpace();
      const token = this.#tokens[this.#index];
      if (token?.type !== 'variable') break;
      this.#index += 1;
      this.#skipSpace();
      variables.push(token.text);
      if (this.#isOperator(':=') || this.#isOperator('=')) {
        const isAssignment = this.#isOperator('=');
        this.#index += 1;
        if (variables.length > (allowsTwo ? 2 : 1)) this.#fail('too many declarations');
        if (!isAssignment) this.#scope.push(...variables);
        return { variables, isAssignment };
      }
      if (!this.#isOperator(',')) break;
      this.#index += 1;
    }
    this.#index = start;
    return { variables: [], isAssignment: false };
  }

  readPipeline(allowsTwo = false): Pipeline {
    const declared = this.#readVariables(allowsTwo);
    const commands: Command[] = [];
    do {
      if (commands.length > 0) this.#index += 1;
      commands.push(this.#readCommand());
      this.#skipSpace();
    } while (this.#isOperator('|'));
    for (const [position, { operands }] of commands.entries()) {
      const [first] = operands;
      if (first === undefined) this.#fail('missing value for command');
      else if (position > 0 && (first.type === 'constant' || first.type === 'dot' || first.type === 'nil'))
        this.#fail('non executable command in pipeline');
    }
    return { ...declared, commands };
  }

  #readCommand(): Command {
    const operands: Operand[] = [];
    for (;;) {
      this.#skipSpace();
      const token = this.#tokens[this.#index];
      if (token === undefined || (token.type === 'operator' && /^[|)]$/.test(token.text)))
        return { operands };
      operands.push(this.#readOperand(token));
    }
  }

  #readFields(): string[] {
    const fields: string[] = [];
    for (;;) {
      const token = this.#tokens[this.#index];
      if (token?.type !== 'field') return fields;
      fields.push(token.text);
      this.#index += 1;
    }
  }

  #readOperand(token: Token): Operand {
    this.#index += 1;
    switch (token.type) {
      case 'string':
        return { type: 'constant', value: token.text };
      case 'character':
        return { type: 'constant', value: BigInt(token.text.codePointAt(0) ?? 0) };
      case 'number':
        return { type: 'constant', value: readNumber(token.text, this.#line) };
      case 'variable': {
        if (!this.#scope.includes(token.text)) this.#fail(`undefined variable "$${token.text}"`);
        return { type: 'variable', name: token.text, fields: this.#readFields() };
      }
      case 'field':
        this.#index -= 1;
        return { type: 'field', fields: this.#readFields() };
      case 'identifier':
        if (token.text === 'true' || token.text === 'false')
          return { type: 'constant', value: token.text === 'true' };
        if (token.text === 'nil') return { type: 'nil' };
        if (!functionNames.has(token.text)) this.#fail(`function "${token.text}" not defined`);
        return { type: 'function', name: token.text };
      case 'operator':
        if (token.text === '.') return { type: 'dot' };
        if (token.text === '(') {
          const pipeline = this.readPipeline();
          if (!this.#isOperator(')')) this.#fail('unclosed left paren');
          this.#index += 1;
          return { type: 'pipeline', pipeline, fields: this.#readFields() };
        }
        return this.#fail(`unexpected ${JSON.stringify(token.text)} in an action`);
      case 'space':
        return this.#fail('unexpected space');
    }
  }

  #fail(message: string): never {
    throw new TemplateError(message, this.#line);
  }

  #skipSpace(): void {
    while (this.#tokens[this.#index]?.type === 'space') this.#index += 1;
  }

  #isOperator(text: string): boolean {
    const token = this.#tokens[this.#index];
    return token?.type === 'operator' && token.text === text;
  }
}

/** Integers become bigint, other numbers number, because Go distinguishes int and float64. */
function readNumber(text: string, line: number): number | bigint {
  const digits = text.replaceAll('_', '');
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/.exec(digits) ?? [];
  if (/^(?:0[xXbBoO][\da-fA-F]+|\d+)$/.test(body)) {
    const isOctal = /^0\d/.test(body);
    const value = BigInt(isOctal ? `0o${body.slice(1)}` : body);
    return sign === '-' ? -value : value;
  }
  const value = Number(digits);
  if (Number.isNaN(value)) throw new TemplateError(`bad number syntax: "${text}"`, line);
  return value;
}
