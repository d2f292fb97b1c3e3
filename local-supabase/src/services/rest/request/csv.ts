import { decodeLatin1 } from '../../../platform/bytes.ts';
import { showText } from '../grammar/parser.ts';
import { invalidBody, RequestCrash, type RestError } from './errors.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const SHOWN_BYTES = 100;

/**
 * Parses CSV (RFC 4180) as PostgREST's library cassava does. A field may lack its closing quote at the end of the text.
 *
 * @throws {RestError} PGRST102 with the rest of the bytes, or `RequestCrash` if a field is not UTF-8.
 */
export function parseCsv(body: Uint8Array): readonly (readonly string[])[] {
  const source = decodeLatin1(body);
  const records: string[][] = [];
  let position = 0;
  while (position < source.length) {
    const record: string[] = [];
    for (;;) {
      const field = readField(source, position);
      record.push(decodeField(field.value));
      position = field.end;
      if (source[position] !== ',') break;
      position += 1;
    }
    const newline = /\r\n|\n|\r|$/y;
    newline.lastIndex = position;
    const found = newline.exec(source);
    if (!found) throw unreadable('Failed reading: satisfy', source.slice(position));
    position += found[0].length;
    const isBlank = records.length > 0 && record.length === 1 && record[0] === '';
    if (!isBlank) records.push(record);
    if (records.length === 1 && found[0] === '') throw unreadable('not enough input');
  }
  if (records.length === 0) throw unreadable('not enough input');
  return records;
}

function readField(source: string, start: number): { readonly value: string; readonly end: number } {
  if (source[start] !== '"') {
    const bare = /[^",\r\n]*/y;
    bare.lastIndex = start;
    const value = bare.exec(source)?.[0] ?? '';
    return { value, end: start + value.length };
  }
  const quoted = /"((?:[^"]|"")*"?)/y;
  quoted.lastIndex = start;
  const [{ length }, inner = ''] = quoted.exec(source) ?? [''];
  // At the end of the text, the last byte is taken for the closing quote, whatever it is.
  if (inner === '') throw unreadable('Failed reading: trailing double quote');
  const value = inner.slice(0, -1);
  if (!/^(?:[^"]|"")*$/.test(value)) throw unreadable('Failed reading: insufficient input');
  return { value: value.replaceAll('""', '"'), end: start + length };
}

function decodeField(bytes: string): string {
  try {
    return decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch (cause) {
    throw new RequestCrash('A field of CSV is not UTF-8', { cause });
  }
}

const unreadable = (problem: string, rest = ''): RestError => {
  const shown = rest.length > SHOWN_BYTES ? `${rest.slice(0, SHOWN_BYTES)} (truncated)` : showText(rest);
  return invalidBody(`parse error (${problem}) at ${shown}`);
};
