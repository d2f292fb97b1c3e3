/**
 * A small reader of PostgREST's query strings, written from its grammar (QueryParams.hs, PostgREST 16) and from nothing
 * of the client: the independent reference for the meaning of a URL.
 */
export interface ReadFilter {
  readonly path: readonly string[];
  readonly column: string;
  readonly json: readonly { readonly arrow: '->' | '->>'; readonly key: string | number }[];
  readonly not: boolean;
  readonly operator: string;
  readonly quantifier: string | null;
  readonly value: string | readonly string[];
}

export interface ReadTree {
  readonly path: readonly string[];
  readonly not: boolean;
  readonly operator: 'and' | 'or';
  readonly terms: readonly (ReadTree | ReadFilter)[];
}

export interface ReadOrder {
  readonly column: string;
  readonly ascending: boolean | null;
  readonly nulls: string | null;
}

export interface ReadQuery {
  readonly conditions: readonly (ReadFilter | ReadTree)[];
  readonly order: readonly ReadOrder[];
  readonly select: readonly ReadColumn[];
  readonly columns: readonly string[];
}

export interface ReadColumn {
  readonly alias: string | null;
  readonly column: string;
  readonly cast: string | null;
}

/** What the server understands of a URL. Throws where the server would refuse it. */
export function readQuery(url: string): ReadQuery {
  const params = splitParams(url);
  const only = (name: string) => params.find(([key]) => key === name)?.[1];
  const isReserved = ([key]: readonly [string, string]) =>
    ['select', 'columns', 'on_conflict'].includes(key) || /(^|\.)(order|limit|offset)$/.test(key);
  const conditions = params
    .filter((param) => !isReserved(param))
    .map(([key, value]) =>
      /(^|\.)(and|or)$/.test(key) ? readTreeParam(key, value) : readFilterParam(key, value),
    );
  const order = only('order');
  const select = only('select');
  const columns = only('columns');
  return {
    conditions,
    order: order === undefined ? [] : complete(order, (reader) => reader.list(() => readOrder(reader))),
    select: select === undefined ? [] : complete(select, (reader) => reader.list(() => readColumn(reader))),
    columns: columns === undefined ? [] : complete(columns, (reader) => reader.list(() => reader.name())),
  };
}

/** As the server does it: split first, at `;` too, then decode, `+` being a space. */
function splitParams(url: string): (readonly [string, string])[] {
  const query = url.split('?')[1] ?? '';
  const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
  return query
    .split(/[&;]/)
    .filter((param) => param !== '')
    .map((param) => {
      const at = param.indexOf('=');
      return [decode(param.slice(0, at)), decode(param.slice(at + 1))] as const;
    });
}

function complete<T>(text: string, read: (reader: Reader) => T): T {
  const reader = createReader(text);
  const result = read(reader);
  if (!reader.atEnd()) throw new Error(`Unread: ${reader.rest()}`);
  return result;
}

type Reader = ReturnType<typeof createReader>;

function createReader(text: string) {
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    const found = new RegExp(pattern.source, `${pattern.flags.replace('y', '')}y`);
    found.lastIndex = at;
    const match = found.exec(text);
    if (!match) return null;
    at += match[0].length;
    return match[0];
  };
  const expect = (pattern: RegExp): string => {
    const found = take(pattern);
    if (found === null) throw new Error(`Expected ${pattern} at ${text.slice(at)}`);
    return found;
  };
  const quoted = (): string | null => {
    const found = take(/"(?:[^\\"]|\\[^])*"/u);
    return found === null ? null : found.slice(1, -1).replace(/\\([^])/gu, '$1');
  };
  const name = (): string =>
    quoted() ??
    expect(/[\p{L}0-9_$ ]+(?:-(?!>)[\p{L}0-9_$ ]+)*/u)
      .split('-')
      .map((word) => word.trim())
      .join('-');
  const json = () => {
    const steps: { arrow: '->' | '->>'; key: string | number }[] = [];
    for (;;) {
      const arrow = take(/->>?/) as '->' | '->>' | null;
      if (!arrow) return steps;
      const index = take(/-?[0-9]+(?=->|::|\.|,|$)/);
      const key =
        index === null
          ? (quoted() ??
            expect(/[^(\-:.,>)]+(?:-(?!>)[^(\-:.,>)]+)*/)
              .split('-')
              .map((word) => word.trim())
              .join('-'))
          : Number(index);
      steps.push({ arrow, key });
    }
  };
  const list = <T>(item: () => T): T[] => {
    const items: T[] = [];
    do {
      take(/[ \t]*/);
      items.push(item());
      take(/[ \t]*/);
    } while (take(/,/));
    return items;
  };
  return {
    take,
    expect,
    quoted,
    name,
    json,
    list,
    atEnd: () => at >= text.length,
    rest: () => text.slice(at),
    mark: () => at,
    reset: (mark: number) => {
      at = mark;
    },
  };
}

const operators =
  /isdistinct|in|is|(?:pl|ph|w)?fts|neq|cs|cd|ov|sl|sr|nxr|nxl|adj|eq|gte|gt|lte|lt|like|ilike|match|imatch/;

function readComparison(reader: Reader, isNested: boolean) {
  const not = reader.take(/not\./) !== null;
  const operator = reader.expect(new RegExp(`(?:${operators.source})(?=[.(])`));
  const language = operator.endsWith('fts') ? reader.take(/\([\p{L}0-9_$ ]+\)/u) : null;
  const quantifier = language ?? reader.take(/\((?:any|all)\)/);
  reader.expect(/\./);
  let value: string | readonly string[];
  if (operator === 'in') {
    value = readList(reader);
  } else if (operator === 'is') {
    value = reader.expect(/null|not_null|true|false|unknown/i);
  } else {
    value = isNested ? readNestedValue(reader) : reader.expect(/[^]*/u);
  }
  return { not, operator, quantifier: quantifier?.slice(1, -1) ?? null, value };
}

function readNestedValue(reader: Reader): string {
  const mark = reader.mark();
  const quoted = reader.quoted();
  if (quoted !== null && /^(?:[,)]|$)/.test(reader.rest())) return quoted;
  reader.reset(mark);
  return reader.take(/\{[^{}]*\}/u) ?? reader.expect(/[^,)]*/u);
}

function readList(reader: Reader): readonly string[] {
  reader.expect(/[ \t]*\([ \t]*/);
  const items: string[] = [];
  do items.push(readNestedItem(reader));
  while (reader.take(/,/));
  reader.expect(/[ \t]*\)[ \t]*/);
  // The server writes an empty list as one empty item.
  return items.length === 1 && items[0] === '' ? [] : items;
}

function readNestedItem(reader: Reader): string {
  const mark = reader.mark();
  const quoted = reader.quoted();
  if (quoted !== null && /^[,)]/.test(reader.rest())) return quoted;
  reader.reset(mark);
  return reader.expect(/[^,)]*/u);
}

function readFilterParam(key: string, value: string): ReadFilter {
  const { names, json } = complete(key, (reader) => {
    const found = [reader.name()];
    while (reader.take(/\./)) found.push(reader.name());
    return { names: found, json: reader.json() };
  });
  const comparison = complete(value, (reader) => readComparison(reader, false));
  return { path: names.slice(0, -1), column: names.at(-1) ?? '', json, ...comparison };
}

function readTreeParam(key: string, value: string): ReadTree {
  const names = complete(key, (reader) => {
    const found = [reader.name()];
    while (reader.take(/\./)) found.push(reader.name());
    return found;
  });
  const path = names.slice(0, -1).filter((name) => name !== 'not');
  const text = `${names.includes('not') ? 'not.' : ''}${names.at(-1)}${value}`;
  const tree = complete(text, (reader) => readTerm(reader));
  if (!('terms' in tree)) throw new Error('A tree was expected');
  return { ...tree, path };
}

function readTerm(reader: Reader): ReadTree | ReadFilter {
  const mark = reader.mark();
  try {
    reader.take(/[ \t]*/);
    const column = reader.name();
    const json = reader.json();
    reader.take(/[ \t]*/);
    reader.expect(/\./);
    return { path: [], column, json, ...readComparison(reader, true) };
  } catch {
    reader.reset(mark);
  }
  const not = reader.take(/not\./) !== null;
  const operator = reader.expect(/and|or/) as 'and' | 'or';
  reader.expect(/[ \t]*\([ \t]*/);
  const terms = reader.list(() => readTerm(reader));
  reader.expect(/[ \t]*\)[ \t]*/);
  return { path: [], not, operator, terms };
}

function readOrder(reader: Reader): ReadOrder {
  const column =
    reader.name() +
    reader
      .json()
      .map(({ arrow, key }) => `${arrow}${key}`)
      .join('');
  const direction = reader.take(/\.(?:asc|desc)/);
  const nulls = reader.take(/\.nulls(?:first|last)/);
  return {
    column,
    ascending: direction === null ? null : direction === '.asc',
    nulls: nulls && nulls.slice(6),
  };
}

function readColumn(reader: Reader): ReadColumn {
  if (reader.take(/\*/)) return { alias: null, column: '*', cast: null };
  const mark = reader.mark();
  let alias: string | null = reader.name();
  if (!reader.take(/:(?!:)/)) {
    reader.reset(mark);
    alias = null;
  }
  const column =
    reader.name() +
    reader
      .json()
      .map(({ arrow, key }) => `${arrow}${key}`)
      .join('');
  const cast = reader.take(/::[\p{L}0-9_$ ]+/u);
  return { alias, column, cast: cast && cast.slice(2) };
}

/** The items of PostgreSQL's array literal, of one dimension or more; an unquoted NULL is null. */
export function readArrayLiteral(text: string): readonly unknown[] {
  let at = 0;
  const array = (): unknown[] => {
    at += 1;
    const items: unknown[] = [];
    while (text[at] !== '}') {
      items.push(item());
      if (text[at] === ',') at += 1;
      else if (text[at] !== '}') throw new Error(`Malformed array at ${at}: ${text}`);
    }
    at += 1;
    return items;
  };
  const item = (): unknown => {
    if (text[at] === '{') return array();
    if (text[at] !== '"') {
      const start = at;
      while (at < text.length && !/[,}]/.test(text[at] ?? '')) at += 1;
      const bare = text.slice(start, at);
      return bare === 'NULL' ? null : bare;
    }
    let value = '';
    for (at += 1; text[at] !== '"'; at += 1) {
      if (at >= text.length) throw new Error(`Unclosed quote: ${text}`);
      if (text[at] === '\\') at += 1;
      value += text[at] ?? '';
    }
    at += 1;
    return value;
  };
  const result = array();
  if (at !== text.length) throw new Error(`Text after the array: ${text.slice(at)}`);
  return result;
}
