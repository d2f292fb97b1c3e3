import { callFunction } from './functions.ts';
import type { ActionNode, BranchNode, Command, Node, Operand, Pipeline } from './syntax.ts';
import { TemplateError } from './syntax.ts';
import { isMap, isTrue, readField, sortedKeys, typeName, type Value } from './values.ts';

/** Prints literal text and the values of actions. */
export interface Output {
  text(node: Extract<Node, { kind: 'text' }>): void;
  value(node: ActionNode, value: Value): void;
}

interface Variable {
  readonly name: string;
  value: Value;
}

type Jump = 'break' | 'continue' | undefined;

/** Executes a parsed template. Throws TemplateError. */
export function execute(nodes: readonly Node[], data: Value, output: Output): void {
  const variables: Variable[] = [{ name: '', value: data }];
  runList(nodes, data);

  function runList(list: readonly Node[], dot: Value): Jump {
    for (const node of list) {
      const jump = runNode(node, dot);
      if (jump) return jump;
    }
    return undefined;
  }

  function runNode(node: Node, dot: Value): Jump {
    switch (node.kind) {
      case 'text':
        output.text(node);
        return undefined;
      case 'action': {
        const value = atLine(node.line, () => evaluatePipeline(node.pipeline, dot));
        if (node.pipeline.variables.length === 0) output.value(node, value);
        return undefined;
      }
      case 'break':
      case 'continue':
        return node.kind;
      case 'if':
      case 'with':
        return runChoice(node, dot);
      case 'range':
        return runRange(node, dot);
    }
  }

  function runChoice(node: BranchNode, dot: Value): Jump {
    const scopeSize = variables.length;
    const value = atLine(node.line, () => evaluatePipeline(node.pipeline, dot));
    const branch = isTrue(value) ? node.body : node.otherwise;
    const jump = runList(branch, node.kind === 'with' && isTrue(value) ? value : dot);
    variables.length = scopeSize;
    return jump;
  }

  function runRange(node: BranchNode, dot: Value): Jump {
    const scopeSize = variables.length;
    const { variables: names } = node.pipeline;
    const value = atLine(node.line, () => evaluatePipeline({ ...node.pipeline, variables: [] }, dot));
    const entries = atLine(node.line, () => entriesOf(value));
    if (entries.length === 0) return runList(node.otherwise, dot);
    for (const [key, element] of entries) {
      variables.length = scopeSize;
      const bound = names.length === 2 ? [key, element] : [element];
      for (const [position, name] of names.entries())
        if (node.pipeline.isAssignment) assign(name, bound[position]);
        else variables.push({ name, value: bound[position] });
      if (runList(node.body, element) === 'break') break;
    }
    variables.length = scopeSize;
    return undefined;
  }

  function evaluatePipeline(pipeline: Pipeline, dot: Value): Value {
    const value = pipeline.commands.reduce<readonly Value[]>(
      (last, command) => [evaluateCommand(command, dot, last)],
      [],
    )[0];
    for (const name of pipeline.variables)
      if (pipeline.isAssignment) assign(name, value);
      else variables.push({ name, value });
    return value;
  }

  function evaluateCommand({ operands }: Command, dot: Value, last: readonly Value[]): Value {
    const [first, ...rest] = operands;
    if (first === undefined) throw new TemplateError('missing value for command');
    if (first.kind === 'function') {
      if (first.name === 'and' || first.name === 'or') return shortCircuit(first.name, rest, dot, last);
      return callFunction(first.name, [...rest.map((operand) => evaluateOperand(operand, dot)), ...last]);
    }
    if (first.kind === 'nil') throw new TemplateError('nil is not a command');
    const value = evaluateOperand(first, dot);
    if (rest.length + last.length > 0)
      throw new TemplateError(`can't give argument to non-function of type ${typeName(value)}`);
    return value;
  }

  function shortCircuit(
    name: 'and' | 'or',
    operands: readonly Operand[],
    dot: Value,
    last: readonly Value[],
  ): Value {
    if (operands.length + last.length === 0)
      throw new TemplateError(`wrong number of args for ${name}: want at least 1 got 0`);
    let value: Value;
    for (const operand of operands) {
      value = evaluateOperand(operand, dot);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return last.length > 0 ? last[0] : value;
  }

  function evaluateOperand(operand: Operand, dot: Value): Value {
    switch (operand.kind) {
      case 'dot':
        return dot;
      case 'nil':
        return null;
      case 'constant':
        return operand.value;
      case 'field':
        return operand.fields.reduce(readField, dot);
      case 'variable':
        return operand.fields.reduce(readField, find(operand.name).value);
      case 'pipeline':
        return operand.fields.reduce(readField, evaluatePipeline(operand.pipeline, dot));
      case 'function':
        return evaluateCommand({ operands: [operand] }, dot, []);
    }
  }

  function find(name: string): Variable {
    const variable = variables.findLast((candidate) => candidate.name === name);
    if (variable === undefined) throw new TemplateError(`undefined variable: $${name}`);
    return variable;
  }

  function assign(name: string, value: Value): void {
    find(name).value = value;
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
