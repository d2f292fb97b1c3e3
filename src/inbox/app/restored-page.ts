import type { Unsubscribe } from 'supabase-protocol-clients/platform';

export interface RestoredPageOptions {
  readonly page: Pick<Window, 'addEventListener' | 'removeEventListener'>;
  readonly root: Pick<HTMLElement, 'hidden'>;
  /** Returns the session's cookies as one string, to be compared. */
  readonly readSession: () => string;
  readonly reload: () => void;
}

/**
 * Keeps a page of the back-forward cache from showing a session that has ended or changed since: a cached page receives no
 * events. It is hidden when it is left, and reloads on its return unless the session's cookies are the same.
 */
export function guardRestoredPage({ page, root, readSession, reload }: RestoredPageOptions): Unsubscribe {
  let sessionWhenLeft = '';
  const hide = ({ persisted }: PageTransitionEvent) => {
    sessionWhenLeft = readSession();
    if (persisted) root.hidden = true;
  };
  const show = ({ persisted }: PageTransitionEvent) => {
    if (persisted && readSession() !== sessionWhenLeft) return reload();
    root.hidden = false;
  };
  page.addEventListener('pagehide', hide);
  page.addEventListener('pageshow', show);
  return () => {
    page.removeEventListener('pagehide', hide);
    page.removeEventListener('pageshow', show);
  };
}
