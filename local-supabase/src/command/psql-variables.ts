import { skipQuoted } from '../project/sql-statements.ts';

/** The rows of a statement as text, as psql sees them. */
export interface TextRows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** The variables of psql in a script: `\set`, `\unset`, `\gset` and `:name`. Other commands have no effect. */
export class PsqlVariables {
  readonly #values = new Map<string, string>();

  /**
   * @param last the result of the statement before.
   * @throws {Error} with psql's message if `\gset` finds not exactly one row.
   */
  run(command: string, last: TextRows): void {
    const [name = '', ...words] = command.slice(1).trim().split(/\s+/);
    const [variable = ''] = words;
    if (name === 'set' && variable !== '') this.#values.set(variable, this.#valueOf(command, variable));
    if (name === 'unset') this.#values.delete(variable);
    if (name === 'gset') this.#store(variable, last);
  }

  /** Replaces `:name`, `:'name'` and `:"name"` outside of quotes and comments. An unknown name stays. */
  interpolate(text: string): string {
    if (this.#values.size === 0) return text;
    const parts: string[] = [];
    let position = 0;
    while (position < text.length) {
      const use = /(::)|:(?:([A-Za-z_0-9]+)|'(\w+)'|"(\w+)")|/y;
      use.lastIndex = position;
      const [whole = '', , plain, literal, identifier] = use.exec(text) ?? [];
      const value = this.#values.get(plain ?? literal ?? identifier ?? '');
      const end = whole === '' ? Math.max(skipQuoted(text, position), position + 1) : position + whole.length;
      if (value === undefined) parts.push(text.slice(position, end));
      else if (literal !== undefined) parts.push(`'${value.replaceAll("'", "''")}'`);
      else if (identifier !== undefined) parts.push(`"${value.replaceAll('"', '""')}"`);
      else parts.push(value);
      position = end;
    }
    return parts.join('');
  }

  /** The arguments after the name are joined without spaces. */
  #valueOf(command: string, variable: string): string {
    const rest = command.slice(command.indexOf(variable) + variable.length);
    const words = rest.matchAll(/'((?:[^']|'')*)'|[^\s']+/g);
    return Array.from(words, ([word, quoted]) =>
      quoted === undefined ? this.interpolate(word) : quoted.replaceAll("''", "'"),
    ).join('');
  }

  #store(prefix: string, { names, rows }: TextRows): void {
    const [row, second] = rows;
    if (!row) throw new Error(String.raw`no rows returned for \gset`);
    if (second) throw new Error(String.raw`more than one row returned for \gset`);
    for (const [index, value] of row.entries()) {
      const name = prefix + (names[index] ?? '');
      if (value === null) this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }
}
