import { followChunkFailures, reloadIfReplaced } from './app/chunks/screen-chunk.ts';
import { preloadPath } from './app/chunks/screen-chunks.ts';

/** Says so where there is nothing else to say it. */
async function tellFailure(): Promise<void> {
  if (await reloadIfReplaced()) return;
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
  followChunkFailures(window);
  const main = import('./main.tsx');
  const screen = preloadPath(location.pathname, /-auth-token(\.0)?=/.test(document.cookie));
  void main.then((application) => application.start(screen), tellFailure);
}

start();
