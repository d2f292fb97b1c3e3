import { execFile, execFileSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** A PostgreSQL of this run alone. */
export interface Cluster {
  readonly socketFolder: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Names the socket's file only: the cluster listens on no network address. */
const PORT = 61_316;
const SETTINGS = [
  'listen_addresses=',
  'fsync=off',
  'max_connections=120',
  'shared_buffers=256MB',
  'max_wal_size=4GB',
];

const run = promisify(execFile);

/** Creates and starts a cluster in a temporary folder. PostgreSQL refuses to run as root: then `postgres` owns it. */
export async function startCluster(binaryFolder: string): Promise<Cluster> {
  const binaries = resolve(binaryFolder);
  const folder = await mkdtemp(join(tmpdir(), 'scale-postgres-'));
  const owner = process.getuid?.() === 0 ? idsOf('postgres') : undefined;
  if (owner) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const options = [...SETTINGS, `port=${PORT}`, `unix_socket_directories=${folder}`].map(
    (setting) => `-c ${setting}`,
  );
  const pgCtl = (...args: readonly string[]) =>
    run(join(binaries, 'pg_ctl'), ['-D', data, '-w', ...args], { cwd: folder, ...owner });
  await run(join(binaries, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'supabase_admin'], {
    cwd: folder,
    ...owner,
  });
  // Without a log file pg_ctl's own output would stay open with the server's.
  await pgCtl('-l', join(folder, 'log'), '-o', options.join(' '), 'start');
  return {
    socketFolder: folder,
    port: PORT,
    async stop() {
      await pgCtl('-m', 'immediate', 'stop');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function idsOf(user: string): { readonly uid: number; readonly gid: number } {
  const id = (option: string) => Number(execFileSync('id', [option, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
