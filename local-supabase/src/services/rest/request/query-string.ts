import { compareUtf8, decodeLatin1, decodePercent, encodeUtf8 } from '../../../platform/bytes.ts';
import { RequestCrash } from './errors.ts';

/** A query parameter. Without `=`, its value is undefined. */
export type QueryParameter = readonly [name: string, value: string | undefined];

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

/** Percent-decodes a text and keeps a stray `%`. */
export function decodeComponent(encoded: string): string {
  return /[%\u0080-\uffff]/.test(encoded) ? decoder.decode(decodePercent(encoded)) : encoded;
}

function decodeText(encoded: string): string {
  const source = encoded.replaceAll('+', ' ');
  if (!/[%\u0080-\uffff]/.test(source)) return source;
  try {
    return strictDecoder.decode(decodePercent(source));
  } catch {
    throw new RequestCrash('A parameter is not UTF-8');
  }
}

/**
 * The parameters in order, including repeated ones; a semicolon also separates them.
 *
 * @throws {RequestCrash} if a name or a value is not UTF-8.
 */
export function parseQueryString(query: string): QueryParameter[] {
  if (query === '') return [];
  const pairs = query.split(/[&;]/);
  if (pairs.at(-1) === '') pairs.pop();
  return pairs.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 0) return [decodeText(pair), undefined];
    return [decodeText(pair.slice(0, equals)), decodeText(pair.slice(equals + 1))];
  });
}

/** The query for `Content-Location`: sorted, with repeated parameters joined by commas. */
export function canonicalQuery(parameters: readonly QueryParameter[]): string {
  const values = new Map<string, string[]>();
  const sorted = parameters.toSorted(([a], [b]) => compareUtf8(a, b));
  for (const [name, value = ''] of sorted) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return [...values].map(([name, all]) => `${encode(name)}=${all.map(encode).join(',')}`).join('&');
}

/** Percent-encodes a text as PostgREST does: encodes each byte of its UTF-8 as a character, in UTF-8 again. */
function encode(source: string): string {
  const latin1 = decodeLatin1(encodeUtf8(source));
  return encodeURIComponent(latin1).replaceAll(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
