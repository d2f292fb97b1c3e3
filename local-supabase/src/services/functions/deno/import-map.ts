/** An import map (https://html.spec.whatwg.org/multipage/webappapis.html#import-maps). */
export interface ImportMap {
  readonly imports?: Addresses;
  readonly scopes?: Readonly<Record<string, Addresses>>;
}

type Addresses = Readonly<Record<string, string>>;

/**
 * Merges import maps and resolves their relative URLs. npm packages that are imported from a CDN come from npm, so that
 * one cache and one registry serve them.
 *
 * @param maps later ones override earlier ones.
 * @param addresses the URLs that modules import.
 */
export function mergeImportMap(
  maps: readonly { readonly file: URL; readonly map: ImportMap }[],
  addresses: readonly string[],
): ImportMap {
  const imports: Record<string, string> = {};
  const scopes: Record<string, Addresses> = {};
  for (const address of addresses) {
    const other = replacement(address);
    if (other !== undefined) imports[address] = other;
  }
  for (const { file, map } of maps) {
    Object.assign(imports, resolveAddresses(map.imports, file));
    for (const [scope, inner] of Object.entries(map.scopes ?? {}))
      scopes[absolute(scope, file)] = resolveAddresses(inner, file);
  }
  return { imports, scopes };
}

function resolveAddresses(addresses: Addresses = {}, file: URL): Addresses {
  const resolved: Record<string, string> = {};
  for (const [name, address] of Object.entries(addresses)) {
    const key = absolute(name, file);
    const target = replacement(address) ?? absolute(address, file);
    resolved[key] = target;
    // As in Deno's `deno.json`, a package's name also maps its subpaths.
    const isPackage = /^(?:npm|jsr):/.test(target) && !target.endsWith('/') && !key.endsWith('/');
    if (isPackage && !Object.hasOwn(addresses, `${name}/`))
      resolved[`${key}/`] = `${target.replace(/^(npm|jsr):\/?/, '$1:/')}/`;
  }
  return resolved;
}

const absolute = (address: string, file: URL): string =>
  /^\.{0,2}\//.test(address) ? new URL(address, file).href : address;

/** Returns the replacement of a module's URL, or undefined to keep it. */
function replacement(address: string): string | undefined {
  if (/^https:\/\/deno\.land\/std(?:@[\w.]+)?\/http\/server\.ts$/.test(address))
    return new URL('./std-http-server.ts', import.meta.url).href;
  // The module contains only types.
  if (/^jsr:@supabase\/functions-js(?:@[^/]+)?\/edge-runtime(?:\.d\.ts)?$/.test(address))
    return 'data:text/javascript,';
  const [, onBoth] =
    /^jsr:\/?(@supabase\/(?:supabase-js|functions-js|auth-js|postgrest-js|storage-js|realtime-js)(?:@.*)?)$/.exec(
      address,
    ) ?? [];
  if (onBoth !== undefined) return `npm:${onBoth}`;
  const [, path] =
    /^https:\/\/esm\.sh\/(?:v\d+\/|stable\/)?\*?((?:@[\w.-]+\/)?[\w.-]+(?:@[^/?]+)?(?:\/[^?]*)?)(?:\?.*)?$/.exec(
      address,
    ) ?? [];
  if (path === undefined || /^(?:gh|jsr|pr)\//.test(path)) return undefined;
  return path.endsWith('/') ? `npm:/${path}` : `npm:${path}`;
}

/** Parses JSON with comments and trailing commas, as Deno and editors do. */
export function parseJsonc(text: string): unknown {
  const plain = text.replaceAll(
    /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*.*?\*\//gs,
    (_, quoted?: string) => quoted ?? '',
  );
  return JSON.parse(
    plain.replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, quoted?: string) => quoted ?? ''),
  );
}
