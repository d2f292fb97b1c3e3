import type { Address } from '../../auth-client/index.ts';

/** Whether a client looks for a session in the page's address, or a function that is asked for each. */
export type DetectSession = boolean | ((url: URL, params: Record<string, string>) => boolean);

/** The address in which a client looks for a session, for its options: none, the page's, or what a function lets through. */
export function addressOf(detect: DetectSession = true): { readonly address?: Address | undefined } {
  if (detect === false) return { address: undefined };
  if (detect === true || typeof document === 'undefined') return {};
  return {
    address: {
      href: () =>
        isFor(new URL(location.href), detect) ? location.href : location.origin + location.pathname,
      replace: (url) => history.replaceState(history.state, '', url),
    },
  };
}

/** The vendor's client asks for tokens and errors: a code shows by its verifier whose it is. */
function isFor(url: URL, detect: (url: URL, params: Record<string, string>) => boolean): boolean {
  const params = Object.fromEntries([...new URLSearchParams(url.hash.slice(1)), ...url.searchParams]);
  return params['code'] !== undefined || detect(url, params);
}
