import { type Call, readParam } from './call.ts';
import type { AuthContext } from '../context.ts';

const isLoopbackAddress = (host: string): boolean => host === '[::1]' || /^127(\.\d+){3}$/.test(host);
const isLoopback = (host: string): boolean => host === 'localhost' || isLoopbackAddress(host);

const escapeText = (text: string): string => text.replaceAll(/[\\^$.|+()[\]{}/*?-]/g, '\\$&');

/**
 * Compiles an allow-list pattern: `*` stops at dots and slashes, `**` does not, `?` is one character, `[a-z]` and `[!a-z]`
 * are a range, and `\` escapes. Braces enclose no alternatives, because a comma ends a pattern.
 */
function compilePattern(pattern: string): RegExp {
  let openBraces = 0;
  const source = pattern.replace(
    /\\(.)|\*\*+|\[(!?)([^\]]+)\]|[^*]|\*/gs,
    (part, escaped?: string, negation?: string, range?: string) => {
      if (escaped !== undefined) return escapeText(escaped);
      if (range !== undefined) return `[${negation === '' ? '' : '^'}${range.replaceAll(/[\\^[]/g, '\\$&')}]`;
      if (part.length > 1) return '.*';
      if (part === '*') return '[^./]*';
      if (part === '?') return '[^./]';
      if (part === '{') openBraces += 1;
      else if (part === '}' && openBraces > 0) openBraces -= 1;
      else return escapeText(part);
      return '';
    },
  );
  return new RegExp(`^${source}$`, 's');
}

function isOwnSite(site: URL, target: URL): boolean {
  const isSamePort = site.port === target.port || isLoopback(target.hostname);
  return site.hostname === target.hostname && site.protocol === target.protocol && isSamePort;
}

/** A host name or address that all URL parsers interpret alike. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[\da-f:.]+\])$/i;

/**
 * Parses a URL; undefined if it is ambiguous. Patterns match the text, but browsers parse it: they read `\` as `/`,
 * decode and lowercase the host, and expand numbers to addresses.
 */
function parseTarget(target: string): URL | undefined {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f\\]/.test(target) || !URL.canParse(target)) return undefined;
  if (/^[^?#]*%(?![\da-f]{2})/i.test(target)) return undefined;
  const url = new URL(target);
  if (!isWeb(url)) return url;
  const authority = target.replace(/^\w+:\/\//, '').replace(/[/?#].*$/, '');
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  const isSame = host.startsWith('[') || host.toLowerCase() === url.hostname;
  return HOST.test(host) && isSame ? url : undefined;
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

/** True when mails and providers may redirect to `target`: the site itself, loopback, or the allow list. */
export function isRedirectAllowed(context: AuthContext, target: string): boolean {
  const url = parseTarget(target);
  if (!url) return false;
  if (URL.canParse(context.siteUrl) && isOwnSite(new URL(context.siteUrl), url)) return true;
  if (isWeb(url) && isLoopbackAddress(url.hostname)) return true;
  if (/^\d+(\.\d+){3}$/.test(url.hostname) || url.hostname.startsWith('[')) return false;
  const withoutHash = target.replace(/#.*$/, '');
  // Refuse a user name: a `*` for the port would match it, and `**` would match the host after the `@`.
  const withoutUser = withoutHash.replace(/^(\w+:\/\/)[^/?#]*@/, '$1');
  return context.redirectUrls
    .flatMap((patterns) => patterns.split(','))
    .map(compilePattern)
    .some((pattern) => pattern.test(withoutHash) && pattern.test(withoutUser));
}

/** The redirect target of a flow: `redirect_to` if it is allowed, else the referring page, else the site's URL. */
export function redirectTargetOf(context: AuthContext, call: Call): string {
  const wanted = [
    call.request.headers.get('redirect_to') ?? readParam(call.url.searchParams, 'redirect_to'),
    readParam(call.request.headers, 'referer'),
  ];
  return wanted.find((target) => isRedirectAllowed(context, target)) ?? context.siteUrl;
}

/** Encodes parameters sorted by name and escapes them as Go does, which keeps `~` and escapes `*`. */
export function encodeParams(params: Readonly<Record<string, string>> | URLSearchParams): string {
  const sorted = new URLSearchParams(params);
  sorted.sort();
  return sorted.toString().replaceAll('%7E', '~').replaceAll('*', '%2A');
}

/** Prints a URL without the slash that `URL` adds to an empty path. */
function print(url: URL, given: string): string {
  const hasPath = /^[a-z][\w+.-]*:\/\/[^/?#]*\//i.test(given);
  return hasPath || url.pathname !== '/' ? url.toString() : url.toString().replace(`${url.host}/`, url.host);
}

export function addToQuery(target: string, params: Readonly<Record<string, string>>): string {
  const url = new URL(target);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  url.search = encodeParams(url.searchParams);
  return print(url, target);
}

/** Replaces a URL's fragment with parameters; percent signs are encoded twice, as GoTrue's URL printer does. */
export function setFragment(target: string, params: Readonly<Record<string, string>>): string {
  const url = new URL(target);
  url.hash = encodeParams(params).replaceAll('%', '%25');
  return print(url, target);
}
