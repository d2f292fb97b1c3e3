import { encodeMailLink, parseMailLink, withoutMailLink, type MailLink } from '../shared/mail-link.ts';
import { isPublicPath, links, parseNext, paths, plainPath } from '../shared/routes.ts';

export interface RouteInput {
  readonly status: 'loading' | 'signed-out' | 'signed-in';
  /** The session is `aal1` although the account has a verified second factor. */
  readonly needsSecondFactor: boolean;
  /** The user signed out on this page: the redirect to /login then has no `?next=`. */
  readonly hasLeft: boolean;
  /** Path, query (`?…` or empty) and fragment (`#…` or empty) of the current URL, and the origin of the page. */
  readonly path: string;
  readonly query: string;
  readonly hash: string;
  readonly origin: string;
}

export type RouteDecision =
  | { readonly type: 'loading' | 'public' | 'private' }
  /** A mail link that its reader has to confirm by a button. */
  | { readonly type: 'mail-link'; readonly link: MailLink }
  | { readonly type: 'redirect'; readonly to: string };

/** Whether a path is shown, or where it redirects to (conformance/protocol/product.md#routes-of-the-application). */
export function decideRoute(input: RouteInput): RouteDecision {
  const { status, path, query, hash, origin, needsSecondFactor } = input;
  if (status === 'loading') return { type: 'loading' };
  const isSignedIn = status === 'signed-in' && !needsSecondFactor;
  const href = origin + path + query + hash;
  const link = parseMailLink(href);
  if (link === null) return decidePage(input, isSignedIn);
  if (isSignedIn || isPublicPath(path)) return { type: 'mail-link', link };
  // The link travels in the fragment; ?next= must never carry its token.
  const { pathname, search, hash: ownHash } = new URL(withoutMailLink(href), origin);
  const page = decidePage({ ...input, path: pathname, query: search, hash: ownHash }, isSignedIn);
  return page.type === 'redirect' ? { ...page, to: page.to + encodeMailLink(link) } : page;
}

function decidePage(input: RouteInput, isSignedIn: boolean): RouteDecision {
  const { path, query, hash, origin } = input;
  const route = plainPath(path);
  if (!isPublicPath(path)) {
    // A mail link leads to /home and carries the page that was requested before in ?next=
    // (conformance/protocol/product.md#routes-of-the-application).
    const isReturn = route === paths.home && new URLSearchParams(query).has('next');
    if (isSignedIn)
      return isReturn ? { type: 'redirect', to: parseNext(query, origin) } : { type: 'private' };
    if (isReturn) return { type: 'redirect', to: links.login({ next: parseNext(query, origin) }) };
    const isDefault = route === paths.root || route === paths.home;
    const next = input.hasLeft || (isDefault && query === '') ? undefined : withoutSecrets(path, query, hash);
    return { type: 'redirect', to: links.login({ next }) };
  }
  const isSignInPath = route === paths.login || route === paths.signup;
  return isSignedIn && isSignInPath ? { type: 'redirect', to: parseNext(query, origin) } : { type: 'public' };
}

/** Names of parameters that sign in; they must not reach ?next=, which stays in the history and in mails. */
const secretParameters = [
  'code',
  'token',
  'token_hash',
  'access_token',
  'refresh_token',
  'provider_token',
  'provider_refresh_token',
];

function withoutSecrets(path: string, query: string, hash: string): string {
  const parameters = new URLSearchParams(query);
  const fragment = new URLSearchParams(hash.slice(1));
  const isSecret = (name: string) => parameters.has(name) || fragment.has(name);
  if (!secretParameters.some(isSecret)) return path + query + hash;
  for (const name of secretParameters) parameters.delete(name);
  return path + (parameters.size > 0 ? `?${parameters}` : '');
}
