import type { QualifiedName } from '../catalog/catalog.ts';

/** A bind parameter, sent as text; PostgreSQL infers its type. */
export interface SqlValue {
  readonly value: string | null;
}

/** A part of a statement. Values are always bind parameters. */
export interface SqlFragment {
  readonly parts: readonly (string | SqlValue)[];
}

export interface Statement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

export const EMPTY: SqlFragment = { parts: [] };

/** Builds a fragment from a template, which accepts fragments only; see `raw`, `value` and `identifier`. */
export function sql(texts: TemplateStringsArray, ...fragments: readonly SqlFragment[]): SqlFragment {
  return { parts: texts.flatMap((text, index) => [text, ...(fragments[index]?.parts ?? [])]) };
}

/** Inserts the text unescaped. */
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

export const untilNull = (text: string): string => text.replace(/\0.*/s, '');

/** Numbers the bind parameters. */
export function toStatement({ parts }: SqlFragment): Statement {
  const values: (string | null)[] = [];
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    values.push(part.value);
    return `$${values.length}`;
  });
  return { text: texts.join(''), values };
}
