/** The parsed form of a template (Go's text/template, without define, template and block). */
export type Node = TextNode | ActionNode | BranchNode | JumpNode;

export interface TextNode {
  readonly type: 'text';
  readonly text: string;
  readonly line: number;
}

/** `{{ pipeline }}`. */
export interface ActionNode {
  readonly type: 'action';
  readonly pipeline: Pipeline;
  readonly line: number;
}

/** `if`, `with` and `range`. `else if` and `else with` are a branch within `otherwise`. */
export interface BranchNode {
  readonly type: 'if' | 'with' | 'range';
  readonly pipeline: Pipeline;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[];
  readonly line: number;
}

/** Within `range` only. */
export interface JumpNode {
  readonly type: 'break' | 'continue';
  readonly line: number;
}

/** Commands joined by `|`; the value of each is the last argument of the next. */
export interface Pipeline {
  /** The variables that it declares (`:=`) or assigns (`=`); two for `range $index, $element`. */
  readonly variables: readonly string[];
  readonly isAssignment: boolean;
  readonly commands: readonly Command[];
}

/** A function or an operand with its arguments. */
export interface Command {
  readonly operands: readonly Operand[];
}

export type Operand =
  | { readonly type: 'dot' | 'nil' }
  | { readonly type: 'constant'; readonly value: string | boolean | number | bigint }
  | { readonly type: 'function'; readonly name: string }
  | { readonly type: 'variable'; readonly name: string; readonly fields: readonly string[] }
  | { readonly type: 'field'; readonly fields: readonly string[] }
  | { readonly type: 'pipeline'; readonly pipeline: Pipeline; readonly fields: readonly string[] };

/** A template that cannot be parsed, or fails while it runs; `line` counts from 1. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly line: number | undefined;
  constructor(message: string, line?: number) {
    super(line === undefined ? message : `line ${line}: ${message}`);
    this.line = line;
  }
}
