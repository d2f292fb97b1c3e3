/** The parameters that the auth server adds to the query or the fragment of a redirect. */
const callbackParameters = ['code', 'error', 'error_code', 'access_token', 'message'] as const;

/** Whether a URL may be a callback; `parseCallback` decides. */
export function hasCallbackParameters(href: string): boolean {
  if (!/[?#]/.test(href)) return false;
  const { query, fragment } = parametersOf(new URL(href));
  return callbackParameters.some((name) => query.has(name) || fragment.has(name));
}

/** The parameters of a URL: those of its query, and those in its fragment. */
export function parametersOf(url: URL) {
  return { query: url.searchParams, fragment: new URLSearchParams(url.hash.slice(1)) };
}
