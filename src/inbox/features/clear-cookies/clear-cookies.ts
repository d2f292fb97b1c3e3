/** The script of the static page /clear-cookies. It imports nothing of the application, so that it works without it. */
import { clearBrowserData } from './browser-data.ts';

const isGerman = document.documentElement.lang === 'de';
if (isGerman) document.title = 'Cookies löschen · Tidings';

const ask = document.querySelector<HTMLElement>('#ask');
const done = document.querySelector<HTMLElement>('#done');
const problem = document.querySelector('#problem');

function showDone(failed: readonly string[] = []): void {
  if (ask) ask.hidden = true;
  if (done) done.hidden = failed.length > 0;
  if (problem && failed.length > 0) {
    const names = failed.join(', ');
    problem.textContent = isGerman
      ? `Nicht entfernt: ${names}. Lösche die Daten dieser Seite in den Einstellungen deines Browsers.`
      : `Couldn’t remove: ${names}. Clear this site’s data in your browser’s settings.`;
  }
  document.querySelector('h1')?.focus();
}

// The server has cleared the data itself (Clear-Site-Data).
if (new URLSearchParams(location.search).has('done')) showDone();

document.querySelector('form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  void clearBrowserData({
    document,
    hostname: location.hostname,
    path: location.pathname,
    localStorage: () => localStorage,
    sessionStorage: () => sessionStorage,
    indexedDB: globalThis.indexedDB,
    caches: globalThis.caches,
    serviceWorkers: navigator.serviceWorker,
  }).then(showDone);
});
