/** A `document.cookie` that keeps name, value and expiry, as far as the tests need. */
export interface CookieJar {
  cookie: string;
  names(): string[];
  readonly writes: readonly string[];
}

export function createCookieJar(initial = '', { limit = Infinity } = {}): CookieJar {
  const cookies = new Map<string, string>();
  for (const pair of initial.split('; ').filter(Boolean))
    cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
  const writes: string[] = [];
  return {
    writes,
    names: () => [...cookies.keys()],
    get cookie() {
      return Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(line) {
      writes.push(line);
      const pair = line.split('; ')[0] ?? '';
      const name = pair.slice(0, pair.indexOf('='));
      if (/Max-Age=0(;|$)/.test(line)) cookies.delete(name);
      // Browsers silently refuse cookies above the limit.
      else if (cookies.size < limit || cookies.has(name)) cookies.set(name, pair.slice(name.length + 1));
    },
  };
}
