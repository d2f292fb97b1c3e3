import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { createClients } from './app/clients.ts';
import { parseConfiguration, type Configuration } from './app/env.ts';
import { paths } from './app/routes.ts';
import { preloadOnIntent, preloadPath } from './app/screens.ts';
import { createCookieStore } from './auth-client/index.ts';
import { createBrowserPlatform } from './platform/browser-platform.ts';

/** The composition root: the only place that reads globals. */
function start(): void {
  const container = document.querySelector('#root');
  if (!container) throw new Error('index.html has no #root');
  // A host without the rewrite of /clear-cookies sends this page instead of the static one.
  if (location.pathname === paths.clearCookies) return location.replace(`${paths.clearCookies}.html`);
  const root = createRoot(container);
  let configuration: Configuration;
  try {
    configuration = parseConfiguration(import.meta.env);
  } catch (problem) {
    const message = problem instanceof Error ? problem.message : String(problem);
    void import('./app/configuration-screen.tsx').then(({ ConfigurationScreen }) =>
      root.render(<ConfigurationScreen message={message} />),
    );
    throw problem;
  }
  const clients = createClients({
    configuration,
    platform: createBrowserPlatform(),
    store: createCookieStore({ jar: document, secure: location.protocol === 'https:' }),
    address: {
      href: () => location.href,
      replace: (url) => history.replaceState(history.state, '', url),
    },
  });
  preloadPath(location.pathname);
  preloadOnIntent(document);
  reloadOnce();
  void clients.auth.start();
  root.render(
    <StrictMode>
      <App clients={clients} />
    </StrictMode>,
  );
}

/** A chunk that is gone means a newer version was published: one reload fetches it; a second would be a loop. */
function reloadOnce(): void {
  addEventListener('vite:preloadError', () => {
    const key = 'reloaded-at';
    if (Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return;
    sessionStorage.setItem(key, String(Date.now()));
    location.reload();
  });
}

start();
