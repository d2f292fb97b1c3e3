import { followChunkFailures } from './app/chunks/chunk-failures.ts';
import { preloadPath } from './app/chunks/screen-chunks.ts';
import { reloadIfReplaced } from './ui/state/reload.ts';

/** Shows a message when the application's code cannot be loaded. */
async function showLoadFailure(): Promise<void> {
  if (await reloadIfReplaced()) return;
  const message = document.querySelector('.boot > p');
  if (!message) return;
  message.setAttribute('role', 'alert');
  message.textContent =
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
  // The cookie of the session, or the first of its chunks.
  const hasSession = /-auth-token(\.0)?=/.test(document.cookie);
  const screen = preloadPath(location.pathname, hasSession);
  void main.then((application) => application.start(screen), showLoadFailure);
}

start();
