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
  return resolveDots(path);
}

function resolveDots(sent: string): string | null {
  const segments: string[] = [];
  const parts = sent.split('/').map((part) => part.replaceAll(/%2e/gi, '.'));
  for (const part of parts) {
    if (part === '..' && segments.pop() === undefined) return null;
    if (!['', '.', '..'].includes(part)) segments.push(part);
  }
  const isFolder = ['', '.', '..'].includes(parts.at(-1) ?? '');
  const path = `/${segments.join('/')}${isFolder && segments.length > 0 ? '/' : ''}`;
  // A URL parser would read a backslash as a slash.
  return path.replaceAll('\\', '%5C');
}
