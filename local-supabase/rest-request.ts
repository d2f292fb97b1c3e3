/** A request as the vendor's implementation understands it. */
export interface PreparedRequest {
  readonly request: Request;
  /** Texts that stand for values which it would misread; the values go to the database in their place. */
  readonly values: ReadonlyMap<string, string>;
  /** Whether a write is to be taken back unless it answers one row. */
  readonly answersOneRow: boolean;
  /** Whether a write is to be taken back in any case. */
  readonly isRehearsed: boolean;
}

/** A double-quoted text in a logic tree, with escaped quotes or backslashes in it, and the operator before it. */
const ESCAPED_TEXT = /(i?like(?:\([a-z]+\))?\.)?"((?:[^"\\]|\\.)*\\.(?:[^"\\]|\\.)*)"/gs;
const PATTERN_LIST = /^(?:not\.)?i?like\((?:any|all)\)\./;
const TREE = /(?:^|\.)(?:or|and)$/;

/** Bridges where PostgREST's grammar goes further; reads the body. A HEAD becomes the GET that it stands for. */
export async function prepareRequest(original: Request): Promise<PreparedRequest> {
  const { method } = original;
  const headers = new Headers(original.headers);
  headers.delete('authorization');
  headers.set('apikey', 'checked-by-the-gateway');
  const values = new Map<string, string>();
  const url = mapQuery(withListsForSpaces(original.url), (name, value) => {
    if (TREE.test(name)) return [name, hideEscapedTexts(value, values)];
    return [name, PATTERN_LIST.test(value) ? value.replaceAll('*', '%') : value];
  });
  if (method === 'GET' || method === 'HEAD') {
    return {
      request: new Request(url, { method: 'GET', headers }),
      values,
      answersOneRow: false,
      isRehearsed: false,
    };
  }
  const prefer = headers.get('prefer') ?? '';
  const columns = new URL(url).searchParams.get('columns');
  const isFilled =
    (method === 'POST' || method === 'PUT') && columns !== null && !/missing=default/.test(prefer);
  const body = isFilled ? nameMissing(await original.text(), columns) : await original.arrayBuffer();
  return {
    request: new Request(url, { method, headers, body }),
    values,
    answersOneRow:
      /return=representation/.test(prefer) && /vnd\.pgrst\.object/.test(headers.get('accept') ?? ''),
    isRehearsed: /tx=rollback/.test(prefer),
  };
}

/**
 * The query with `eq` and `neq` as lists of one. The vendor's implementation reads values such as `true` and `{a}` as
 * JSON, and then refuses them for columns of text; in a list they can be quoted.
 */
export function withListsForValues(url: string): string {
  return withLists(url, (text) => /^(?:true|false|\{.*\})$/s.test(text));
}

/** The same for values that the vendor's implementation would trim. */
function withListsForSpaces(url: string): string {
  return withLists(url, (text) => text !== text.trim());
}

function withLists(url: string, isMisread: (text: string) => boolean): string {
  return mapQuery(url, (name, value) => {
    const [, not = '', operator, text = ''] = /^(not\.)?(eq|neq)\.(.*)$/s.exec(value) ?? [];
    if (!operator || !isMisread(text)) return [name, value];
    const isNegated = (not !== '') !== (operator === 'neq');
    return [name, `${isNegated ? 'not.' : ''}in.("${text.replaceAll(/["\\]/g, String.raw`\$&`)}")`];
  });
}

function mapQuery(href: string, map: (name: string, value: string) => [string, string]): string {
  const url = new URL(href);
  const before = [...url.searchParams];
  const after = before.map(([name, value]) => map(name, value));
  const isSame = after.every(([, value], index) => value === before[index]?.[1]);
  if (isSame) return href;
  url.search = new URLSearchParams(after).toString();
  return url.href;
}

function hideEscapedTexts(tree: string, values: Map<string, string>): string {
  return tree.replaceAll(ESCAPED_TEXT, (_all, pattern: string | undefined, escaped: string) => {
    const value = escaped.replaceAll(/\\(.)/gs, '$1');
    const name = `value-${crypto.randomUUID()}`;
    values.set(name, pattern ? value.replaceAll('*', '%') : value);
    return `${pattern ?? ''}"${name}"`;
  });
}

/** A column that `columns` names and a row leaves out is null, not its default. */
function nameMissing(text: string, columns: string): string {
  const names = columns.split(',').map((name) => name.trim().replaceAll('"', ''));
  const fill = (row: unknown) =>
    typeof row === 'object' && row !== null
      ? { ...Object.fromEntries(names.map((name) => [name, null])), ...row }
      : row;
  try {
    const body = JSON.parse(text) as unknown;
    return JSON.stringify(Array.isArray(body) ? body.map(fill) : fill(body));
  } catch {
    return text;
  }
}
