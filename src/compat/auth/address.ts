import type { Address } from '../../auth-client/index.ts';

type Detect = (url: URL, params: Record<string, string>) => boolean;

/** Whether a client looks for a session in the page's address, or a function that is asked for each. */
export type DetectSession = boolean | Detect;

/**
 * The address in which a client looks for a session, for its options: none, the page's, or what a function lets through.
 *
 * @param report receives what the function throws, which leaves the address alone.
 */
export function addressOf(
  detect: DetectSession | undefined,
  report: (problem: unknown) => void,
): { readonly address?: Address | undefined } {
  if (detect === false) return { address: undefined };
  if (typeof detect !== 'function' || typeof document === 'undefined') return {};
  const isOurs = (url: URL) => {
    try {
      return isFor(url, detect);
    } catch (problem) {
      report(problem);
      return false;
    }
  };
  return {
    address: {
      href: () => (isOurs(new URL(location.href)) ? location.href : location.origin + location.pathname),
      replace: (url) => history.replaceState(history.state, '', url),
    },
  };
}

/** The vendor's client asks for tokens and errors: a code shows by its verifier whose it is. */
function isFor(url: URL, detect: Detect): boolean {
  const params = Object.fromEntries([...new URLSearchParams(url.hash.slice(1)), ...url.searchParams]);
  return params['code'] !== undefined || detect(url, params);
}
