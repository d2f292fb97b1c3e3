/**
 * Normalizes a request's path as the real gateway does; null if it rejects the path. As in nginx, a path must not leave
 * the root or contain a control character or an incomplete escape; as in Kong, dot segments, also encoded ones, are
 * resolved, slashes merged, unreserved characters decoded and all others escaped.
 *
 * @see https://github.com/Kong/kong/blob/22246ef28c16842098369b494eef879222e30c7b/kong/tools/uri.lua
 */
export function normalizePath(path: string): string | null {
  const isMalformed = /[\0-\x20\x7f]|%(?![\da-f]{2})|%00/i.test(path);
  if (isMalformed || leavesRoot(path)) return null;
  const segments = path.replaceAll(/%[\da-f]{2}/gi, decodeUnreserved).split('/');
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  const isFolder = ['', '.', '..'].includes(segments.at(-1) ?? '');
  const resolved = [...kept, ...(isFolder ? [''] : [])].join('/');
  return `/${resolved}`.replaceAll(/[^\w!#$&'()*+,/:;=?@[\].~%-]/g, (char) => escapeByte(char.charCodeAt(0)));
}

/** When nginx checks for the root, it also counts an encoded slash as a separator. */
function leavesRoot(path: string): boolean {
  let depth = 0;
  for (const segment of path.replaceAll(/%2f/gi, '/').replaceAll(/%2e/gi, '.').split('/')) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

function decodeUnreserved(escape: string): string {
  const char = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return /[\w.~-]/.test(char) ? char : escape.toUpperCase();
}

const escapeByte = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
