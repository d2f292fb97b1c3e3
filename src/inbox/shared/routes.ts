/** Every path of the application. Patterns are wouter's. */
export const paths = {
  root: '/',
  shell: '/_app',
  home: '/home',
  preferences: '/preferences',
  account: '/account',
  login: '/login',
  signup: '/signup',
  resetPassword: '/reset-password',
  clearCookies: '/clear-cookies',
  join: '/join',
  joinToken: '/join/:token',
} as const;

export interface InboxLink {
  /** Default `all`. */
  readonly tab?: string | undefined;
  /** A kind of notification; default every kind. */
  readonly kind?: string | undefined;
}

/**
 * A notice for /login in the history entry's state: survives a reload, gone with the next navigation. `session-ended`: by
 * the server; `changes-kept`: as `session-ended`, with changes that were not sent; `sign-out-failed`: other devices may still be signed in; `local-sign-out-failed`: the
 * server did not confirm that this device signed out; `link-expired`: a mail link was used or too old;
 * `draft-kept`: the session ended while something was being saved; `account-deleted`: by its user.
 */
export type LoginNotice =
  | 'session-ended'
  | 'changes-kept'
  | 'sign-out-failed'
  | 'local-sign-out-failed'
  | 'link-expired'
  | 'draft-kept'
  | 'account-deleted';

/** Builds the application's URLs for `href`. */
export const links = {
  home: paths.home,
  inbox: ({ tab, kind }: InboxLink = {}) =>
    paths.home + search({ tab: tab === 'all' ? undefined : tab, kind }),
  preferences: paths.preferences,
  account: paths.account,
  login: (to: { readonly next?: string | undefined } = {}) => paths.login + search(to),
  signup: (to: { readonly next?: string | undefined } = {}) => paths.signup + search(to),
  resetPassword: (to: { readonly next?: string | undefined } = {}) => paths.resetPassword + search(to),
  clearCookies: paths.clearCookies,
  join: (token: string) => `${paths.join}/${encodeURIComponent(token)}`,
};

function search(parameters: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}

const publicPaths: ReadonlySet<string> = new Set([
  paths.login,
  paths.signup,
  paths.resetPassword,
  paths.clearCookies,
  paths.join,
]);

/** The path without a trailing slash, as the router matches it. */
export function plainPath(path: string): string {
  return path.replace(/(.)\/$/, '$1');
}

/** The public routes (conformance/protocol/product.md#routes-of-the-application); every other route needs a session. */
export function isPublicPath(path: string): boolean {
  return publicPaths.has(plainPath(path)) || path.startsWith(`${paths.join}/`);
}

/** Screens that redirect once signed in: never a target of ?next=. */
const signInPaths: ReadonlySet<string> = new Set([
  paths.root,
  paths.login,
  paths.signup,
  paths.resetPassword,
]);

/**
 * Where `?next=` leads: a path of this origin, else `/home`.
 *
 * @param query the query of the current URL.
 * @param origin the origin of the page.
 */
export function parseNext(query: string, origin: string): string {
  const next = new URLSearchParams(query).get('next') ?? '';
  if (!isLocalPath(next) || !URL.canParse(next, origin)) return paths.home;
  const { pathname, search: ownQuery, hash, origin: target } = new URL(next, origin);
  const isSignInPath = signInPaths.has(plainPath(pathname));
  // Checked again after normalization: "/.//host" has become "//host".
  return target === origin && !isSignInPath && isLocalPath(pathname)
    ? pathname + ownQuery + hash
    : paths.home;
}

/**
 * Whether a text is a path of this origin. Browsers read `//host` and `/\\host` as other hosts, and remove tabs and line
 * breaks before parsing.
 */
export function isLocalPath(path: string): boolean {
  return /^\/(?![/\\])\P{Cc}*$/u.test(path);
}
