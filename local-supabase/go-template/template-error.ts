/** A template that cannot be parsed, or a failure while it runs; `line` counts from 1. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly line: number | undefined;
  constructor(message: string, line?: number) {
    super(line === undefined ? message : `line ${line}: ${message}`);
    this.line = line;
  }
}
