import { callFunction } from './functions.ts';
import type { ActionNode, BranchNode, Command, Node, Operand, Pipeline } from './syntax.ts';
import { TemplateError } from './syntax.ts';
import { isMap, isTrue, readField, sortedKeys, typeName, type Value } from './values.ts';

/** Prints literal text and the values of actions. */
export interface Output {
  text(node: Extract<Node, { type: 'text' }>): void;
  value(node: ActionNode, value: Value): void;
}

interface Variable {
  readonly name: string;
  value: Value;
}

type Jump = 'break' | 'continue' | undefined;

/** Executes a parsed template. Throws TemplateError. */
export function execute(nodes: readonly Node[], data: Value, output: Output): void {
  new Execution(data, output).run(nodes);
}

class Execution {
  readonly #data: Value;
  readonly #output: Output;
  readonly #variables: Variable[];

  constructor(data: Value, output: Output) {
    this.#data = data;
    this.#output = output;
    this.#variables = [{ name: '', value: data }];
  }

  run(nodes: readonly Node[]): void {
    this.#runList(nodes, this.#data);
  }

  #runList(list: readonly Node[], dot: Value): Jump {
    for (const node of list) {
      const jump = this.#runNode(node, dot);
      if (jump) return jump;
    }
    return undefined;
  }

  #runNode(node: Node, dot: Value): Jump {
    switch (node.type) {
      case 'text':
        this.#output.text(node);
        return undefined;
      case 'action': {
        const value = atLine(node.line, () => this.#evaluatePipeline(node.pipeline, dot));
        if (node.pipeline.variables.length === 0) this.#output.value(node, value);
        return undefined;
      }
      case 'break':
      case 'continue':
        return node.type;
      case 'if':
      case 'with':
        return this.#runChoice(node, dot);
      case 'range':
        return this.#runRange(node, dot);
    }
  }

  #runChoice(node: BranchNode, dot: Value): Jump {
    const scopeSize = this.#variables.length;
    const value = atLine(node.line, () => this.#evaluatePipeline(node.pipeline, dot));
    const branch = isTrue(value) ? node.body : node.otherwise;
    const jump = this.#runList(branch, node.type === 'with' && isTrue(value) ? value : dot);
    this.#variables.length = scopeSize;
    return jump;
  }

  #runRange(node: BranchNode, dot: Value): Jump {
    const scopeSize = this.#variables.length;
    const { variables: names } = node.pipeline;
    const value = atLine(node.line, () => this.#evaluatePipeline({ ...node.pipeline, variables: [] }, dot));
    const entries = atLine(node.line, () => entriesOf(value));
    if (entries.length === 0) return this.#runList(node.otherwise, dot);
    for (const [key, element] of entries) {
      this.#variables.length = scopeSize;
      const bound = names.length === 2 ? [key, element] : [element];
      for (const [position, name] of names.entries())
        if (node.pipeline.isAssignment) this.#assign(name, bound[position]);
        else this.#variables.push({ name, value: bound[position] });
      if (this.#runList(node.body, element) === 'break') break;
    }
    this.#variables.length = scopeSize;
    return undefined;
  }

  #evaluatePipeline(pipeline: Pipeline, dot: Value): Value {
    const value = pipeline.commands.reduce<readonly Value[]>(
      (last, command) => [this.#evaluateCommand(command, dot, last)],
      [],
    )[0];
    for (const name of pipeline.variables)
      if (pipeline.isAssignment) this.#assign(name, value);
      else this.#variables.push({ name, value });
    return value;
  }

  #evaluateCommand({ operands }: Command, dot: Value, last: readonly Value[]): Value {
    const [first, ...rest] = operands;
    if (first === undefined) throw new TemplateError('missing value for command');
    if (first.type === 'function') {
      if (first.name === 'and' || first.name === 'or') return this.#shortCircuit(first.name, rest, dot, last);
      return callFunction(first.name, [
        ...rest.map((operand) => this.#evaluateOperand(operand, dot)),
        ...last,
      ]);
    }
    if (first.type === 'nil') throw new TemplateError('nil is not a command');
    const value = this.#evaluateOperand(first, dot);
    if (rest.length + last.length > 0)
      throw new TemplateError(`can't give argument to non-function of type ${typeName(value)}`);
    return value;
  }

  #shortCircuit(name: 'and' | 'or', operands: readonly Operand[], dot: Value, last: readonly Value[]): Value {
    if (operands.length + last.length === 0)
      throw new TemplateError(`wrong number of args for ${name}: want at least 1 got 0`);
    let value: Value;
    for (const operand of operands) {
      value = this.#evaluateOperand(operand, dot);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return last.length > 0 ? last[0] : value;
  }

  #evaluateOperand(operand: Operand, dot: Value): Value {
    switch (operand.type) {
      case 'dot':
        return dot;
      case 'nil':
        return null;
      case 'constant':
        return operand.value;
      case 'field':
        return operand.fields.reduce(readField, dot);
      case 'variable':
        return operand.fields.reduce(readField, this.#find(operand.name).value);
      case 'pipeline':
        return operand.fields.reduce(readField, this.#evaluatePipeline(operand.pipeline, dot));
      case 'function':
        return this.#evaluateCommand({ operands: [operand] }, dot, []);
    }
  }

  #find(name: string): Variable {
    const variable = this.#variables.findLast((candidate) => candidate.name === name);
    if (variable === undefined) throw new TemplateError(`undefined variable: $${name}`);
    return variable;
  }

  #assign(name: string, value: Value): void {
    this.#find(name).value = value;
  }
}

function entriesOf(value: Value): readonly (readonly [Value, Value])[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.map((element: Value, index) => [BigInt(index), element]);
  if (isMap(value)) return sortedKeys(value).map((key) => [key, value[key]]);
  if (typeof value === 'bigint')
    return Array.from({ length: Math.max(Number(value), 0) }, (_, index) => [BigInt(index), BigInt(index)]);
  throw new TemplateError(`range can't iterate over ${typeName(value)}`);
}

/** Adds the line to an error without one. */
function atLine<T>(line: number, task: () => T): T {
  try {
    return task();
  } catch (error) {
    if (error instanceof TemplateError && error.line === undefined)
      throw new TemplateError(error.message, line);
    throw error;
  }
}
