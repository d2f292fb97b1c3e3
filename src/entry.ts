import { preloadPath } from './app/screen-chunks.ts';

/** A chunk that is gone means a newer version was published: one reload fetches it; a second would be a loop. */
function reloadOnce(): void {
  const key = 'reloaded-at';
  if (Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return;
  sessionStorage.setItem(key, String(Date.now()));
  location.reload();
}

/**
 * What the page runs first: small, and without a dependency, so that the code of the page that was opened is asked for
 * while the largest part of the application is still on its way.
 */
function start(): void {
  addEventListener('vite:preloadError', reloadOnce);
  const main = import('./main.tsx');
  const screen = preloadPath(location.pathname, /-auth-token(\.0)?=/.test(document.cookie));
  void main.then((application) => application.start(screen));
}

start();
