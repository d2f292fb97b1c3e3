import type { QualifiedName } from '../catalog/catalog.ts';

/** A value that PostgreSQL gets beside the statement, as text. Its type comes from where it stands. */
export interface SqlValue {
  readonly value: string | null;
}

/** A piece of a statement. Values are never part of its text. */
export interface SqlFragment {
  readonly parts: readonly (string | SqlValue)[];
}

export interface Statement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

export const EMPTY: SqlFragment = { parts: [] };

/** Builds a fragment. Only fragments can be put in; see `raw`, `value` and `identifier`. */
export function sql(texts: TemplateStringsArray, ...fragments: readonly SqlFragment[]): SqlFragment {
  const parts: (string | SqlValue)[] = [texts[0] ?? ''];
  for (const [index, fragment] of fragments.entries()) {
    for (const part of fragment.parts) parts.push(part);
    parts.push(texts[index + 1] ?? '');
  }
  return { parts };
}

/** Text that is SQL already. */
export const raw = (text: string): SqlFragment => ({ parts: [text] });

/** PostgreSQL reads a text value up to its first null character. */
export const value = (text: string | null): SqlFragment => ({
  parts: [{ value: text === null ? null : untilNull(text) }],
});

export const identifier = (name: string): SqlFragment => raw(`"${untilNull(name).replaceAll('"', '""')}"`);

export const qualified = ({ schema, name }: QualifiedName): SqlFragment =>
  schema === '' ? identifier(name) : sql`${identifier(schema)}.${identifier(name)}`;

export const columnOf = (table: QualifiedName, column: string): SqlFragment =>
  column === '*' ? sql`${qualified(table)}.*` : sql`${qualified(table)}.${identifier(column)}`;

export const literal = (text: string): SqlFragment => {
  const quoted = `'${untilNull(text).replaceAll("'", "''")}'`;
  return raw(quoted.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted);
};

export function join(fragments: readonly SqlFragment[], separator: string): SqlFragment {
  return { parts: fragments.flatMap(({ parts }, index) => (index === 0 ? parts : [separator, ...parts])) };
}

function untilNull(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** Numbers the values. */
export function toStatement({ parts }: SqlFragment): Statement {
  const values: (string | null)[] = [];
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    values.push(part.value);
    return `$${values.length}`;
  });
  return { text: texts.join(''), values };
}
