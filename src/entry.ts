import { followChunkFailures, reloadIfReplaced } from './app/chunks/screen-chunk.ts';
import { preloadPath } from './app/chunks/screen-chunks.ts';

/** Shows a message when the application's code cannot be loaded. */
async function tellFailure(): Promise<void> {
  if (await reloadIfReplaced()) return;
  const place = document.querySelector('.boot');
  if (!place) return;
  place.setAttribute('role', 'alert');
  place.textContent =
    document.documentElement.lang === 'de'
      ? 'Die App konnte nicht geladen werden. Prüfe deine Verbindung und lade die Seite neu.'
      : 'The app couldn’t be loaded. Check your connection and reload the page.';
}

/**
 * The first script of the page: small and without dependencies, so that the screen's chunk is requested in parallel with
 * the application's largest chunks.
 */
function start(): void {
  followChunkFailures(window);
  const main = import('./main.tsx');
  const screen = preloadPath(location.pathname, /-auth-token(\.0)?=/.test(document.cookie));
  void main.then((application) => application.start(screen), tellFailure);
}

start();
