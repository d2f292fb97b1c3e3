export interface Navigation {
  /** Returns the address instead of navigating to it. Default false. */
  readonly skipBrowserRedirect?: boolean | undefined;
}

/** Navigates a page to an address, unless the caller does it. */
export function navigate(url: string, { skipBrowserRedirect }: Navigation = {}): void {
  if (typeof document !== 'undefined' && !skipBrowserRedirect) location.assign(url);
}
