import { preloadPath } from './app/screen-chunks.ts';

/** A chunk that is gone means a newer version was published: one reload fetches it; a second would be a loop. */
function reloadOnce(): void {
  const key = 'reloaded-at';
  if (Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return;
  sessionStorage.setItem(key, String(Date.now()));
  location.reload();
}

/** Says so where there is nothing else to say it. */
function tellFailure(): void {
  const place = document.querySelector('.boot');
  if (!place) return;
  place.setAttribute('role', 'alert');
  place.textContent =
    document.documentElement.lang === 'de'
      ? 'Die Anwendung konnte nicht geladen werden. Prüfe deine Verbindung und lade die Seite neu.'
      : 'The application could not be loaded. Check your connection and load the page anew.';
}

/**
 * What the page runs first: small, and without a dependency, so that the code of the page that was opened is asked for
 * while the largest part of the application is still on its way.
 */
function start(): void {
  addEventListener('vite:preloadError', reloadOnce);
  const main = import('./main.tsx');
  const screen = preloadPath(location.pathname, /-auth-token(\.0)?=/.test(document.cookie));
  void main.then((application) => application.start(screen), tellFailure);
}

start();
