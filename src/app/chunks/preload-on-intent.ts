import { paths } from '../../shared/routes.ts';
import { preloadPath } from './screen-chunks.ts';

/** Preloads the code of a link on hover, focus or touch, and the code of the inbox when a form is submitted. */
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
