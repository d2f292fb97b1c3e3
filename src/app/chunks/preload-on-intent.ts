import { paths } from '../../shared/routes.ts';
import { preloadPath } from './screen-chunks.ts';

/** Loads the code behind a link as soon as somebody points at it or focuses it, and the inbox while a form lets them in. */
export function preloadOnIntent(document: Document): void {
  const intend = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a') : null;
    if (link && link.origin === document.location.origin) void preloadPath(link.pathname);
  };
  for (const type of ['pointerover', 'focusin', 'touchstart']) {
    document.addEventListener(type, intend, { passive: true });
  }
  document.addEventListener('submit', () => void preloadPath(paths.home));
}
