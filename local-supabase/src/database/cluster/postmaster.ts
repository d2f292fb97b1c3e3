import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { StartError } from '../../platform/start-error.ts';
import type { RunUser } from './run-user.ts';

export interface PostmasterOptions {
  /** The folder with `bin`. */
  readonly installation: string;
  readonly dataDir: string;
  /** The folder of the Unix socket. */
  readonly socketDir: string;
  /** The port on 127.0.0.1. */
  readonly port: number;
  readonly user: RunUser | undefined;
  /** A folder to remove at the end. */
  readonly temporary: string;
  /** Whether the data is kept. */
  readonly isKept: boolean;
}

/** A running PostgreSQL. */
export interface Postmaster {
  readonly port: number;
  /** Ends PostgreSQL and its sessions; resolves when none is left. The removal of its files may take longer. */
  stop(): Promise<void>;
}

/** The superuser of the cluster. */
export const ADMIN = 'supabase_admin';

const START_MS = 30_000;
const POLL_MS = 10;
/** The time that PostgreSQL may take to end after its host was killed, before the next one starts on the same data. */
const PREDECESSOR_MS = 10_000;

const SETTINGS = [
  'max_connections=100',
  'shared_buffers=32MB',
  'wal_level=logical',
  'shared_preload_libraries=pg_stat_statements',
  'timezone=UTC',
  'log_timezone=UTC',
  // Statements that fail are reported to those who sent them.
  'log_min_messages=log',
  'log_min_error_statement=panic',
  'log_checkpoints=off',
];
/** Data that is not kept needs no protection from a power failure, and no vacuum besides that of the services. */
const TEMPORARY_SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'];

/**
 * Ends PostgreSQL with its host, even if the host is killed: its end closes the pipe with number 3. The first argument
 * is the signal for it, the second the folder to remove, and the others are the command.
 */
const GUARD = `
signal=$1 folder=$2; shift 2
"$@" 3<&- &
postmaster=$!
{ read -r _ <&3; kill -s "$signal" "$postmaster"; } >/dev/null 2>&1 &
exec 3<&-
wait "$postmaster"
exec 2>&-
rm -rf "$folder"
`;

/** A minimal environment, because variables such as `PGDATA` may refer to another PostgreSQL. */
const ENVIRONMENT = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };

/** Starts PostgreSQL on an initialized folder. @throws {StartError} with its last message. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const deadlineMs = performance.now() + PREDECESSOR_MS;
  for (;;) {
    try {
      return await startOnce(options);
    } catch (problem) {
      const isTaken = problem instanceof StartError && problem.message.includes('postmaster.pid');
      if (!isTaken || performance.now() > deadlineMs) throw problem;
      await delay(POLL_MS);
    }
  }
}

async function startOnce(options: PostmasterOptions): Promise<Postmaster> {
  const { installation, dataDir, socketDir, user, temporary, isKept } = options;
  const port = options.port === 0 ? await findFreePort() : options.port;
  const settings = [...SETTINGS, ...(isKept ? [] : TEMPORARY_SETTINGS)];
  const command = [
    join(installation, 'bin/postgres'),
    '-D',
    dataDir,
    ...[
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${socketDir}`,
      ...settings,
    ].flatMap((setting) => ['-c', setting]),
  ];
  const signal = isKept ? 'INT' : 'QUIT';
  const guard = spawn('sh', ['-c', GUARD, 'sh', signal, temporary, ...command], {
    // Ctrl-C in a terminal reaches the host alone, which ends PostgreSQL after its services.
    detached: true,
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    ...user,
  });
  const lifeline = guard.stdio[3] as Socket;
  lifeline.on('error', () => undefined);
  const lastLine = readLastLine(guard);
  const stderr = guard.stderr as Socket;
  const ended = once(stderr, 'close');
  const stop = async () => {
    stderr.ref();
    lifeline.destroy();
    await ended;
  };
  try {
    await waitUntilReady(guard, socketDir, port);
  } catch (problem) {
    await stop();
    throw new StartError(`PostgreSQL did not start: ${lastLine() ?? String(problem)}`, problem);
  }
  // The host may end while PostgreSQL runs.
  guard.unref();
  for (const stream of [stderr, lifeline]) stream.unref();
  return { port, stop };
}

/** @returns a function that returns the last message for the log. */
function readLastLine({ stderr }: ChildProcess): () => string | undefined {
  let last: string | undefined;
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    const fatal = chunk.split('\n').findLast((line) => /\b(?:FATAL|ERROR|error):/.test(line));
    last = fatal?.replace(/^.*?\b(?:FATAL|ERROR|error):\s*/, '') ?? last;
  });
  return () => last;
}

async function waitUntilReady(guard: ChildProcess, socketDir: string, port: number): Promise<void> {
  const deadlineMs = performance.now() + START_MS;
  for (;;) {
    if (guard.exitCode !== null || guard.signalCode !== null) throw new Error('its process has ended');
    const client = new Client({ host: socketDir, port, user: ADMIN, database: 'template1' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (problem) {
      if (performance.now() > deadlineMs) throw problem;
      await delay(POLL_MS);
    }
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Creates the files of a cluster. @throws {StartError} with the program's last message. */
export async function initializeData(
  installation: string,
  dataDir: string,
  user: RunUser | undefined,
  isKept: boolean,
): Promise<void> {
  const characters = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  const args = [
    '-D',
    dataDir,
    '-U',
    ADMIN,
    '-E',
    'UTF8',
    '--no-instructions',
    '-A',
    'trust',
    ...(isKept ? [] : ['-N']),
  ];
  const program = spawn(
    join(installation, 'bin/initdb'),
    [...args, '--locale-provider=libc', '--locale=C', `--lc-ctype=${characters}`],
    { cwd: '/', env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'], ...user },
  );
  const lastLine = readLastLine(program);
  const [code] = (await once(program, 'close')) as [number | null];
  if (code !== 0)
    throw new StartError(`PostgreSQL's files could not be created: ${lastLine() ?? `code ${code}`}`);
}
