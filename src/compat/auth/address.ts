import type { Address } from '../../auth-client/index.ts';

type Detect = (url: URL, params: Record<string, string>) => boolean;

/** Whether a client looks for a session in the page's URL, or a function that decides it for each URL. */
export type DetectSession = boolean | Detect;

/**
 * Returns the address in which a client looks for a session: none, the page's, or one that a function filters.
 *
 * @param report receives what the function throws; the URL is then ignored.
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

/** The vendor's client calls the function for tokens and errors only: the verifier matches a code to its client. */
function isFor(url: URL, detect: Detect): boolean {
  const params = Object.fromEntries([...new URLSearchParams(url.hash.slice(1)), ...url.searchParams]);
  return params['code'] !== undefined || detect(url, params);
}
