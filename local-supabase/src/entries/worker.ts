/**
 * A project in a browser's worker: PostgreSQL and the services, without a server. See README.md.
 *
 * @example
 * ```ts
 * import { serveLocalSupabase } from 'local-supabase/worker';
 *
 * serveLocalSupabase({ assets: '/supabase/' });
 * ```
 */
import { CONNECT } from './browser/messages.ts';
import type { StartProgress, WorkerMessage } from './browser/messages.ts';
import { servePort } from './browser/port-server.ts';
import type { ServedProject } from './browser/port-server.ts';
import { startProject } from './browser/start-project.ts';
import type { WorkerOptions } from './browser/start-project.ts';

export type { WorkerOptions } from './browser/start-project.ts';

/**
 * Runs the project of a build in this worker, and serves the pages that `connectLocalSupabase` connects. Call it
 * synchronously when the worker starts. In a `SharedWorker` all tabs share the project; otherwise one tab at a time
 * runs it, and others wait until that tab is closed.
 */
export function serveLocalSupabase(options: WorkerOptions): void {
  const ports = new Set<MessagePort>();
  let last: WorkerMessage | undefined;
  const send = (message: WorkerMessage) => {
    last = message;
    for (const port of ports) port.postMessage(message);
  };
  const report = (progress: StartProgress) => send({ type: 'progress', progress });
  const started = ownProject(options.name === undefined ? 'project' : options.name, report, () =>
    startProject(options, report),
  );
  started.then(
    ({ addresses }) => send({ type: 'ready', addresses }),
    (problem: unknown) =>
      send({ type: 'unusable', message: problem instanceof Error ? problem.message : String(problem) }),
  );
  const connect = ({ data, ports: [port] }: MessageEvent<unknown>) => {
    if (data !== CONNECT || !port) return;
    ports.add(port);
    if (last) port.postMessage(last);
    servePort(port, started);
  };
  addEventListener('message', connect as EventListener);
  addEventListener('connect', (event) => {
    const [port] = (event as MessageEvent).ports;
    if (port) port.onmessage = connect;
  });
}

/** Starts the project once no other worker of this site runs it, and holds it until it is forgotten. */
function ownProject(
  name: string | null,
  onProgress: (progress: StartProgress) => void,
  start: () => Promise<ServedProject>,
): Promise<ServedProject> {
  if (name === null) return start();
  return new Promise((resolve, reject) => {
    const lock = `local-supabase/${name}`;
    const hold = async () => {
      const project = await start();
      await new Promise<void>((release) => {
        resolve({
          ...project,
          forget: () => project.forget().finally(release),
        });
      });
    };
    navigator.locks
      .request(lock, { ifAvailable: true }, (granted) => {
        if (granted) return hold();
        onProgress({ stage: 'waiting' });
        return false;
      })
      .then(async (outcome) => {
        if (outcome === false) await navigator.locks.request(lock, hold);
      })
      .catch(reject);
  });
}
