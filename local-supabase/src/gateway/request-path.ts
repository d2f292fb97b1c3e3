/**
 * Normalizes a request's path as the real gateway does; null if it rejects the path. As in nginx, a path must not leave
 * the root or contain a NUL byte or an incomplete escape; as in Kong, dot segments, also encoded ones, are resolved and
 * slashes merged.
 *
 * @see https://github.com/Kong/kong/blob/22246ef28c16842098369b494eef879222e30c7b/kong/tools/uri.lua
 */
export function normalizePath(path: string): string | null {
  const isMalformed = /%(?![\da-f]{2})|%00/i.test(path);
  // When nginx checks for the root, it also counts an encoded slash as a separator.
  if (isMalformed || resolveDots(path.replaceAll(/%2f/gi, '/')) === null) return null;
  return resolveDots(path)?.replaceAll(/\/{2,}/g, '/') ?? null;
}

/** Resolves dot segments but keeps repeated slashes, which the storage service allows in object names. */
export const keepSlashes = (path: string): string => resolveDots(path) ?? path;

function resolveDots(sent: string): string | null {
  const segments: string[] = [];
  const parts = sent.split('/').map((part) => part.replaceAll(/%2e/gi, '.'));
  for (const [index, part] of parts.entries()) {
    if (part === '..') {
      while (segments.at(-1) === '') segments.pop();
      if (segments.pop() === undefined) return null;
    }
    const isDots = part === '.' || part === '..';
    if (isDots && index === parts.length - 1) segments.push('');
    else if (!isDots && index > 0) segments.push(part);
  }
  // A URL parser would read a backslash as a slash.
  return `/${segments.join('/')}`.replaceAll('\\', '%5C');
}
