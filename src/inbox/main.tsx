import { StrictMode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { App } from './app/app.tsx';
import { watchConnection } from './app/connection/watch-connection.ts';
import { createClients } from './app/data/clients.ts';
import { isChunkFailure } from './app/chunks/chunk-failures.ts';
import { followErrors, reportProblem } from './app/error-reports.ts';
import { guardRestoredPage } from './app/restored-page.ts';
import { decideRoute } from './app/route-decision.ts';
import type { Clients } from './shared/clients/clients-context.ts';
import { parseConfiguration, type Configuration } from './shared/clients/env.ts';
import { needsSecondFactor } from './shared/token-claims.ts';
import { paths, plainPath } from './shared/routes.ts';
import { whenSignedIn } from './app/when-signed-in.ts';
import { preloadOnIntent } from './app/chunks/screen-chunks.ts';
import { createPlatform, type Platform } from 'supabase-protocol-clients/platform';

/** The service worker downloads the whole application, which must not compete with the first lists. */
const workerDelayMs = 5_000;

/**
 * The composition root: the only place that reads globals.
 *
 * @param screen settles when the code of the opened screen is loaded.
 */
export function start(screen: Promise<unknown>): void {
  const container = document.querySelector<HTMLElement>('#root');
  if (!container) throw new Error('index.html has no #root');
  // A host without the rewrite for /clear-cookies serves this page instead of the static one.
  if (plainPath(location.pathname) === paths.clearCookies)
    return location.replace(`${paths.clearCookies}.html`);
  const root = createRoot(container, {
    // Errors that an error page shows are reported, too, except a missing chunk, which means a new version or no network.
    onCaughtError: (problem) => {
      if (!isChunkFailure(problem)) reportProblem(problem);
    },
  });
  const configuration = readConfiguration(root);
  sendErrorReports(configuration);
  const platform = watchConnection(createPlatform({ report: reportProblem }), configuration);
  const clients = createClients({ configuration, platform });
  preloadOnIntent(document);
  guardRestoredPage({
    page: window,
    root: container,
    readSession: () =>
      document.cookie
        .split('; ')
        .filter((pair) => pair.includes('-auth-token'))
        .join(),
    reload: () => location.reload(),
  });
  // index.html shows `Loading...` until both have settled.
  void Promise.allSettled([startSession(clients, configuration), screen]).then(() => {
    root.render(
      <StrictMode>
        <App clients={clients} configuration={configuration} />
      </StrictMode>,
    );
    // Safari has no requestIdleCallback.
    const whenIdle = globalThis.requestIdleCallback ?? setTimeout;
    const startWhenIdle = () =>
      setTimeout(() => whenIdle(() => void startServiceWorker(platform)), workerDelayMs);
    // A visitor of /login may never use the application, but an existing worker must check for new versions.
    if (navigator.serviceWorker?.controller) startWhenIdle();
    else whenSignedIn(clients.auth, startWhenIdle);
  });
}

/** Renders the problem of a configuration that is invalid, and throws it. */
function readConfiguration(root: Root): Configuration {
  try {
    return parseConfiguration(import.meta.env);
  } catch (problem) {
    const message = problem instanceof Error ? problem.message : String(problem);
    void import('./app/configuration-screen.tsx').then(({ ConfigurationScreen }) =>
      root.render(<ConfigurationScreen message={message} />),
    );
    throw problem;
  }
}

function sendErrorReports({ errorReportsUrl }: Configuration): void {
  if (errorReportsUrl === null) return;
  followErrors({
    page: window,
    now: Date.now,
    // The media type needs no preflight, and a beacon is sent even from a page that is being closed.
    send: (report) => void navigator.sendBeacon(errorReportsUrl, JSON.stringify(report)),
  });
}

/** Restores the session, and starts the reads of a screen that needs one. */
async function startSession(clients: Clients, configuration: Configuration): Promise<void> {
  const { status, session } = await clients.auth.start();
  if (status !== 'signed-in') return;
  const rest = await clients.loadRest();
  const { pathname: path, search: query, hash, origin } = location;
  const decision = decideRoute({
    status,
    needsSecondFactor: needsSecondFactor(session),
    hasLeft: false,
    path,
    query,
    hash,
    origin,
  });
  if (decision.type !== 'private') return;
  // The first reads are sent before the first render, which takes long on slow devices.
  const { getUserData } = await import('./app/data/get-user-data.ts');
  getUserData(clients, rest, configuration, session.user.id).start();
}

/** Offline support is optional: if its code fails to load, the application still works with a network. */
async function startServiceWorker(platform: Platform): Promise<void> {
  const code = await import('./app/service-worker.ts').catch(() => null);
  await code?.registerServiceWorker(platform);
}
