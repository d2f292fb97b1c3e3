/** A `document.cookie` that stores names and values, and records each written line. */
export interface CookieJar {
  cookie: string;
  readonly cookies: ReadonlyMap<string, string>;
  readonly writes: readonly string[];
}

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, string>();
  const writes: string[] = [];
  return {
    cookies,
    writes,
    get cookie() {
      return Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(line) {
      writes.push(line);
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0(?:;|$)/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    },
  };
}
