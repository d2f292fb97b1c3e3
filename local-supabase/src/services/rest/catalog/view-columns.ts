import type { QualifiedName } from './catalog.ts';

/** A view with its stored definition (`pg_rewrite.ev_action`). */
export interface ViewRule extends QualifiedName {
  readonly oid: number;
  readonly rule: string;
  /** Column names by number. */
  readonly columns: Readonly<Record<string, string>>;
}

/** A key of a table, by column numbers. */
export interface KeyColumns {
  readonly table: QualifiedName;
  readonly oid: number;
  readonly constraint: string;
  /** `p`: primary key; `f`: foreign key; `f_ref`: the columns that a foreign key refers to. */
  readonly kind: 'p' | 'f' | 'f_ref';
  readonly numbers: readonly number[];
}

/** A key with all of its columns in a view. */
export interface ViewKey {
  readonly table: QualifiedName;
  readonly view: QualifiedName;
  readonly constraint: string;
  readonly kind: KeyColumns['kind'];
  /** For each column of the key, in order, the view's columns that contain it. */
  readonly columns: readonly (readonly string[])[];
}

interface Origin {
  readonly column: number;
  readonly relation: number;
  readonly number: number;
}

/** The keys in the views of `schemas`, also through views on views. */
export function findViewKeys(
  rules: readonly ViewRule[],
  keys: readonly KeyColumns[],
  schemas: readonly string[],
): ViewKey[] {
  const origins = new Map(rules.map((view) => [view.oid, readOrigins(view.rule)]));
  return rules
    .filter(({ schema }) => schemas.includes(schema))
    .flatMap((view) => {
      const shown = new Map<string, string[]>();
      for (const { column, relation, number } of follow(view.oid, origins, [])) {
        const name = view.columns[column];
        if (name === undefined) continue;
        const place = `${relation}.${number}`;
        shown.set(place, [...(shown.get(place) ?? []), name]);
      }
      return keys.flatMap(({ table, oid, constraint, kind, numbers }) => {
        const columns = numbers.map((number) => shown.get(`${oid}.${number}`) ?? []);
        const isWhole = columns.every((names) => names.length > 0);
        return isWhole
          ? [{ table, view: { schema: view.schema, name: view.name }, constraint, kind, columns }]
          : [];
      });
    });
}

function follow(
  oid: number,
  origins: ReadonlyMap<number, readonly Origin[]>,
  path: readonly number[],
): Origin[] {
  const found: Origin[] = [];
  for (const origin of origins.get(oid) ?? []) {
    const { column, relation, number } = origin;
    found.push(origin);
    if (path.includes(relation)) continue;
    for (const inner of follow(relation, origins, [...path, relation])) {
      if (inner.column === number) found.push({ column, relation: inner.relation, number: inner.number });
    }
  }
  return found;
}

/** Reads the target list of a view's query from PostgreSQL's text form of node trees. */
function readOrigins(rule: string): Origin[] {
  const list = outerTargetList(rule);
  return [...list.matchAll(/:resno (\d+) [^{}]*?:resorigtbl (\d+) :resorigcol (\d+)/g)]
    .map(([, column, relation, number]) => ({
      column: Number(column),
      relation: Number(relation),
      number: Number(number),
    }))
    .filter(({ relation }) => relation !== 0);
}

/**
 * The entries of the outermost query's target list, without the expressions within them. The depth counts the braces of
 * nodes: the query is at 1, an entry of its target list at 2.
 */
function outerTargetList(rule: string): string {
  const entries: string[] = [];
  let depth = 0;
  let entry = '';
  let isInside = false;
  for (const [token] of rule.matchAll(/\\.|[{}]|:targetList|:override|[^\\{}:]+|:/gs)) {
    if (token === '{') depth += 1;
    if (token === ':targetList' && depth === 1) isInside = true;
    if (token === ':override' && depth === 1) isInside = false;
    if (isInside && depth === 2) entry += token === '{' ? '' : token;
    if (token !== '}') continue;
    if (isInside && depth === 2) {
      entries.push(entry);
      entry = '';
    }
    depth -= 1;
  }
  return entries.join('\n');
}
