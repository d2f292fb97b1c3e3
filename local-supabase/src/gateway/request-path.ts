/**
 * The path of a request as the gateway forwards it; null where the real one refuses it. As nginx does, it refuses a path that
 * leaves the root, a NUL byte and an incomplete escape; as Kong does, it resolves dot segments, also encoded ones, and merges
 * slashes.
 *
 * @see https://github.com/Kong/kong/blob/22246ef28c16842098369b494eef879222e30c7b/kong/tools/uri.lua
 */
export function normalizePath(path: string): string | null {
  const isMalformed = /%(?![\da-f]{2})|%00/i.test(path);
  // Nginx takes an encoded slash for a separator, too, where it looks for the root.
  if (isMalformed || resolveDots(path.replaceAll(/%2f/gi, '/')) === null) return null;
  return resolveDots(path)?.replaceAll(/\/{2,}/g, '/') ?? null;
}

/** The path with its repeated slashes, which the storage service keeps in the names of objects. */
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
