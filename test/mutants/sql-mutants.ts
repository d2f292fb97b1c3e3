/**
 * Faults in the SQL of `supabase/migrations`, made by rules: each is one change of a function, view, policy or trigger
 * that PostgreSQL accepts.
 */

/** An object of the migrations, and its SQL. */
export interface SqlObject {
  readonly file: string;
  /** Such as `function private.is_quiet`. */
  readonly name: string;
  readonly line: number;
  readonly sql: string;
}

export interface SqlMutant {
  readonly object: SqlObject;
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** Replaces the object in a migrated database. */
  readonly sql: string;
}

interface Change {
  readonly at: number;
  readonly length: number;
  readonly by: string;
}

const definition =
  /^create (function|procedure|view|policy|trigger) ("[^"]+"|[\w.]+)[^;]*?(?:as \$\$[\s\S]*?^\$\$;|;)/gm;

export function sqlObjects(file: string, text: string): readonly SqlObject[] {
  return [...text.matchAll(definition)].map(({ 0: sql, 1: type = '', 2: name = '', index }) => ({
    file,
    name: `${type} ${name}`,
    line: text.slice(0, index).split('\n').length,
    sql,
  }));
}

/** What each pattern becomes. The patterns see the SQL without comments and the contents of strings. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/ (<>|!=) /g, ' = '],
  [/ (?<!set \w+ )= /g, ' <> '],
  [/ < /g, ' >= '],
  [/ <= /g, ' > '],
  [/ > /g, ' <= '],
  [/ >= /g, ' < '],
  [/\bis not (?=null|distinct|true|false)/g, 'is '],
  [/\bis (?=null|distinct|true|false)/g, 'is not '],
  [/\bnot (?=exists|in\b|between|like)/g, ''],
  [/(?<!\b(?:not|if) )\b(?=exists \()/g, 'not '],
  [/ in (?=\()/g, ' not in '],
  [/\bif (?!not\b|exists)(?=[^;]*? then\b)/g, 'if not '],
  [/\blimit (?:\w+(?:\.\w+)?|\([^()]*\))(?: [-+] \d+)?/g, ''],
  [/(?<=order by [^;]*)(?<=[\w)]) desc\b/g, ''],
  [/(?<=order by )[\w.]+(?! desc|[\w.(])/g, '$& desc'],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/\bmin\(/g, 'max('],
  [/\bmax\(/g, 'min('],
  [/\bleast\(/g, 'greatest('],
  [/\bgreatest\(/g, 'least('],
  [/\bdistinct (?!from|on)/g, ''],
  [/(?<=[ ([])\d+\b(?! ?[.'\w])/g, '$& + 1'],
  [/\bon conflict do nothing\b/g, ''],
];

/** Blanks comments and the contents of strings, so that every position remains. */
const mask = (sql: string): string =>
  sql.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g, (text) =>
    text.startsWith("'")
      ? `'${text.slice(1, -1).replaceAll(/[^\n]/g, '_')}'`
      : text.replaceAll(/[^\n]/g, ' '),
  );

/** Where the term that begins at `from` ends: at a word or bracket that ends it at its own depth. */
function endOfTerm(masked: string, from: number): number {
  const end =
    /[([]|[)\];,]|\bcase\b|\bend\b|\b(?:and|or|then|else|when|loop|order by|group by|limit|returning|on conflict|union|for (?:no key )?(?:update|share|key share)|where|having|left join|join|from|do)\b/g;
  let depth = 0;
  for (end.lastIndex = from; ;) {
    const found = end.exec(masked);
    if (!found) return masked.length;
    if (/[([]|case/.test(found[0])) depth += 1;
    else if (depth === 0) return found.index;
    else if (/[)\]]|end/.test(found[0])) depth -= 1;
  }
}

/** Leaves out each term of `and` and `or`, and each whole condition of `where`. */
function withoutTerms(masked: string): readonly Change[] {
  return [...masked.matchAll(/\b(and|or|where|on|if|when|having|return|not \(|\() /g)].flatMap(
    ({ 0: word, index }): Change[] => {
      const start = index + word.length;
      const end = endOfTerm(masked, start);
      const isOperator = /^(?:and|or) /.test(word);
      if (isOperator)
        return /\bbetween [^\n]*$/.test(masked.slice(0, index))
          ? []
          : [{ at: index, length: end - index, by: '' }];
      const next = /^(?:and|or) /.exec(masked.slice(end));
      if (next) return [{ at: start, length: end + next[0].length - start, by: '' }];
      return word === 'where ' ? [{ at: start, length: end - start, by: 'true ' }] : [];
    },
  );
}

/** Leaves out each statement of a PL/pgSQL body. */
const withoutStatements = (masked: string): readonly Change[] =>
  [
    ...masked.matchAll(
      /^ +(?:perform|update|insert|delete|with|return query|raise (?!warning|notice)|call|execute|[\w.]+ :=)\b[^;]*;/gm,
    ),
  ].map(({ 0: statement, index }) => ({ at: index, length: statement.length, by: 'null;' }));

/** Leaves out the last argument of each `coalesce`. */
const withoutFallbacks = (masked: string): readonly Change[] =>
  [...masked.matchAll(/\bcoalesce\(/g)].map(({ 0: call, index }) => {
    let [at, end] = [index, index + call.length - 1];
    do {
      at = end;
      end = endOfTerm(masked, end + 1);
      while (/^[a-z]/.test(masked.slice(end))) end = endOfTerm(masked, end + 1);
    } while (masked[end] === ',');
    return { at, length: masked[at] === ',' ? end - at : 0, by: '' };
  });

export function mutantsOf(object: SqlObject): readonly SqlMutant[] {
  const head = /[^;]*?as \$\$/.exec(object.sql)?.[0].length ?? 0;
  const masked = mask(object.sql);
  const replaced = replacements.flatMap(([pattern, by]) =>
    [...masked.matchAll(pattern)].map(({ 0: text, index }) => ({
      at: index,
      length: text.length,
      by: by.replace('$&', text),
    })),
  );
  const intervals = [...object.sql.matchAll(/(?<=interval ')\d+/g)].map(({ 0: count, index }) => ({
    at: index,
    length: count.length,
    by: String(Number(count) * 2),
  }));
  return [
    ...replaced,
    ...intervals,
    ...withoutTerms(masked),
    ...withoutStatements(masked),
    ...withoutFallbacks(masked),
  ]
    .filter(({ at, length, by }) => at >= head && object.sql.slice(at, at + length) !== by)
    .map(({ at, length, by }) => {
      const changed = object.sql.slice(0, at) + by + object.sql.slice(at + length);
      return {
        object,
        line: object.line + object.sql.slice(0, at).split('\n').length - 1,
        before: object.sql.slice(at, at + length),
        after: by,
        sql: replacing(object, changed),
      };
    });
}

function replacing({ sql }: SqlObject, changed: string): string {
  const [, policy, table] = /^create policy ("[^"]+"|\w+) on ([\w.]+)/.exec(sql) ?? [];
  if (policy !== undefined) return `drop policy ${policy} on ${table}; ${changed}`;
  return changed.replace(/^create /, 'create or replace ');
}
