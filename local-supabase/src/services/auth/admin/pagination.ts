import { type Call, readParam } from '../http/call.ts';
import { internal, invalid } from '../http/errors.ts';

/** A page of a list; `size` counts its rows. */
export interface Page {
  readonly number: number;
  readonly size: number;
  readonly offset: number;
}

const usualPageSize = 50;

/** The largest unsigned 64-bit number: Go parses page numbers as `uint64`. */
const maxUint64 = 2n ** 64n - 1n;

function readNumber(call: Call, name: string, fallback: number): number {
  const text = readParam(call.url.searchParams, name);
  if (text === '') return fallback;
  const refuse = (reason: string): Error =>
    invalid(`Bad Pagination Parameters: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${reason}`);
  if (!/^\d+$/.test(text)) throw refuse('invalid syntax');
  if (BigInt(text) > maxUint64) throw refuse('value out of range');
  return Number(text);
}

/**
 * Reads `page` and `per_page`. Throws 400 validation_failed for other texts than numbers; 500 for pages without rows.
 *
 * @param failure the message of the 500 for a page beyond PostgreSQL's largest offset.
 */
export function readPage(call: Call, failure: string): Page {
  const number = readNumber(call, 'page', 1);
  const size = readNumber(call, 'per_page', usualPageSize);
  if (size === 0) throw internal('Internal Server Error');
  const offset = Math.max(number - 1, 0) * size;
  if (offset > Number.MAX_SAFE_INTEGER) throw internal(failure);
  return { number, size: Math.min(size, Number.MAX_SAFE_INTEGER), offset };
}

/** Adds the headers with the links to the next and the last page and the total number of rows. */
export function addPageLinks(call: Call, { number, size }: Page, total: number): void {
  const pages = Math.ceil(total / size);
  const linkTo = (target: number, rel: string): string => {
    const query = new URLSearchParams(call.url.search);
    query.set('page', String(target));
    query.sort();
    return `<${call.url.pathname.replace(/^\/auth\/v1/, '')}?${query.toString()}>; rel="${rel}"`;
  };
  const links = [...(pages > number ? [linkTo(number + 1, 'next')] : []), linkTo(pages, 'last')];
  call.responseHeaders.set('Link', links.join(', '));
  call.responseHeaders.set('X-Total-Count', String(total));
}
