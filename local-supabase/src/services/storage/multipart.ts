import { invalidRequest } from './storage-error.ts';

/** A part of a form: a field's text, or a file. */
export interface FormPart {
  readonly name: string | undefined;
  readonly isFile: boolean;
  /** The media type that the part names, in lower case and without parameters. */
  readonly type: string;
  readonly content: Blob;
}

const MAX_HEADER_BYTES = 16 * 1024;
const WINDOW_BYTES = 1024 * 1024;

const broken = () => invalidRequest('Unexpected end of multipart data');
const bytesOf = async (part: Blob): Promise<Uint8Array> => new Uint8Array(await part.arrayBuffer());

/**
 * Splits a form (RFC 7578) without reading its files into memory.
 *
 * @throws {StorageError} for a form that is cut off or malformed.
 */
export async function readParts(form: Blob, boundary: string): Promise<readonly FormPart[]> {
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  // The first delimiter has no line before it.
  const first = await bytesOf(form.slice(0, delimiter.length - 2));
  if (indexOf(first, delimiter.subarray(2)) !== 0) throw broken();
  let start = delimiter.length - 2;
  for (;;) {
    const line = await form.slice(start, start + 2).text();
    if (line === '--') return parts;
    if (line !== '\r\n') throw broken();
    const head = await bytesOf(form.slice(start, start + MAX_HEADER_BYTES));
    const headEnd = indexOf(head, new TextEncoder().encode('\r\n\r\n'));
    if (headEnd < 0) throw broken();
    const contentStart = start + headEnd + 4;
    const end = await find(form, delimiter, contentStart);
    if (end === undefined) throw broken();
    parts.push(readPart(new TextDecoder().decode(head.subarray(2, headEnd)), form.slice(contentStart, end)));
    start = end + delimiter.length;
  }
}

/** As in the service, a part that is not form data is neither a field nor a file. */
function readPart(head: string, content: Blob): FormPart {
  const disposition = /^content-disposition:[ \t]*form-data\b(.*)$/im.exec(head)?.[1] ?? '';
  const name = /[;\s]name="([^"]*)"/i.exec(disposition)?.[1];
  const isFile = /[;\s]filename\*?=/i.test(disposition);
  const type = /^content-type:[ \t]*([^\s;]+)/im.exec(head)?.[1] ?? 'text/plain';
  return { name, isFile, type: type.toLowerCase(), content };
}

/** The first position of `wanted` at or after `start`. */
async function find(form: Blob, wanted: Uint8Array, start: number): Promise<number | undefined> {
  for (let from = start; from < form.size; from += WINDOW_BYTES) {
    const bytes = await bytesOf(form.slice(from, from + WINDOW_BYTES + wanted.length - 1));
    const index = indexOf(bytes, wanted);
    if (index >= 0) return from + index;
  }
  return undefined;
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1))
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at;
  return -1;
}
