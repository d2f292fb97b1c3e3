import { isPublicPath, links, parseNext, paths, plainPath } from '../shared/routes.ts';

export interface GateInput {
  readonly status: 'loading' | 'signed-out' | 'signed-in';
  /** Signed in by password alone although the account has a second factor. */
  readonly needsSecondFactor: boolean;
  /** Somebody signed out on this very page: they left on purpose and need not come back to it. */
  readonly hasLeft: boolean;
  /** Path, query (`?…` or empty) and fragment (`#…` or empty) of the current URL, and the origin of the page. */
  readonly path: string;
  readonly query: string;
  readonly hash: string;
  readonly origin: string;
}

export type Gate =
  | { readonly kind: 'loading' | 'public' | 'private' }
  | { readonly kind: 'redirect'; readonly to: string };

/** Where a person may go (specification §2). */
export function decideGate(input: GateInput): Gate {
  const { status, path, query, hash, origin, needsSecondFactor } = input;
  if (status === 'loading') return { kind: 'loading' };
  const route = plainPath(path);
  const isIn = status === 'signed-in' && !needsSecondFactor;
  if (!isPublicPath(path)) {
    // A mail link leads to /home (specification §2); where its reader was going travels along.
    const isReturn = route === paths.home && new URLSearchParams(query).has('next');
    if (isIn) return isReturn ? { kind: 'redirect', to: parseNext(query, origin) } : { kind: 'private' };
    if (isReturn) return { kind: 'redirect', to: links.login({ next: parseNext(query, origin) }) };
    const isDefault = route === paths.root || route === paths.home;
    const next = input.hasLeft || (isDefault && query === '') ? undefined : path + query + hash;
    return { kind: 'redirect', to: links.login({ next }) };
  }
  const isEntrance = route === paths.login || route === paths.signup;
  return isIn && isEntrance ? { kind: 'redirect', to: parseNext(query, origin) } : { kind: 'public' };
}
