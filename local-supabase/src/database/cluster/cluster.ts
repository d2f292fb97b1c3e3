import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import type { ExtensionFile } from '../extension-files.ts';
import { StartError } from '../../platform/start-error.ts';
import type { PostgresBinaries } from './binaries.ts';
import { copyInstallation } from './installation.ts';
import { ADMIN, initializeData, startPostmaster, type Postmaster } from './postmaster.ts';
import { findRunUser, type RunUser } from './run-user.ts';

export interface ClusterOptions {
  readonly binaries: PostgresBinaries;
  /** The files of extensions in SQL. */
  readonly extensions: readonly ExtensionFile[];
  /** The folder of the data. Default: a temporary one, removed at the end. */
  readonly dataDir?: string | undefined;
  /** The port on 127.0.0.1; 0 takes a free one. */
  readonly port: number;
}

/** A PostgreSQL with one project's database, and copies of it. */
export interface Cluster {
  /** The URL for the services: the superuser, by a socket that only this user can open. */
  adminUrl(name: string): string;
  /** The URL for other programs, as the vendor's local stack has it. */
  url(name: string): string;
  /** Refuses connections to the project's database, so that it can be copied at any time. */
  freeze(): Promise<void>;
  /** Copies the project's database, or takes a prepared copy. @returns the copy's name. */
  copy(): Promise<string>;
  /** Prepares the next copy, in the background. */
  prepare(): void;
  drop(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** The project's database, as migrations name it: `alter database postgres set …`. */
export const DATABASE = 'postgres';

/** Connections by the socket need no password; its folder is private. */
const ACCESS = `local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n`;

/** The settings and grants of a database, which PostgreSQL does not copy. */
const COPY_SETTINGS = `
  set allow_system_table_mods = on;
  insert into pg_db_role_setting
    select copy.oid, setrole, setconfig from pg_db_role_setting
      join pg_database original on original.oid = setdatabase and original.datname = '${DATABASE}'
      join pg_database copy on copy.datname = $NAME;
  update pg_database copy set datacl = original.datacl, datdba = original.datdba
    from pg_database original where original.datname = '${DATABASE}' and copy.datname = $NAME;`;

/** Starts PostgreSQL, with new files unless the folder has some. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const user = findRunUser();
  const folder = await createPrivateFolder(user);
  try {
    const installation = join(folder, 'postgresql');
    await copyInstallation(options.binaries, installation, options.extensions);
    if (user) await giveFolders(installation, user);
    const dataDir = options.dataDir ?? join(folder, 'data');
    if (!existsSync(join(dataDir, 'PG_VERSION')))
      await createData({ installation, dataDir, user, isKept: options.dataDir !== undefined });
    const postmaster = await startPostmaster({
      installation,
      dataDir,
      socketDir: folder,
      port: options.port,
      user,
      temporary: folder,
      isKept: options.dataDir !== undefined,
    });
    return createCluster(postmaster, folder);
  } catch (problem) {
    await rm(folder, { recursive: true, force: true });
    throw problem;
  }
}

async function createPrivateFolder(user: RunUser | undefined): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'local-supabase-'));
  if (user) await chown(folder, user.uid, user.gid);
  return folder;
}

/** The guard, which runs as this user, removes the folders at the end. */
async function giveFolders(folder: string, { uid, gid }: RunUser): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  await Promise.all([folder, ...folders].map((each) => chown(each, uid, gid)));
}

/** The files get their name when they are complete, because a process may be killed meanwhile. */
async function createData({
  installation,
  dataDir,
  user,
  isKept,
}: {
  readonly installation: string;
  readonly dataDir: string;
  readonly user: RunUser | undefined;
  readonly isKept: boolean;
}): Promise<void> {
  const incomplete = `${dataDir}.new`;
  await rm(incomplete, { recursive: true, force: true });
  await mkdir(incomplete, { mode: 0o700 });
  if (user) {
    await chown(incomplete, user.uid, user.gid);
    // The folders above belong to root; the files in them stay private.
    if (isKept) await chmod(dirname(dataDir), 0o711);
  }
  await initializeData(installation, incomplete, user, isKept).catch((problem: unknown) => {
    if (!user || !isKept || !(problem instanceof StartError)) throw problem;
    throw new StartError(
      `${problem.message}. PostgreSQL refuses to run as root: its user needs access to the folders above ${dataDir}`,
      problem,
    );
  });
  await writeFile(join(incomplete, 'pg_hba.conf'), ACCESS);
  await rename(incomplete, dataDir);
}

function createCluster({ port, stop }: Postmaster, socketDir: string): Cluster {
  let lastCopy = 0;
  let prepared: Promise<string> | undefined;
  const run = async (...statements: readonly string[]) => {
    const client = new Client({ host: socketDir, port, user: ADMIN, database: 'template1' });
    // The statement that the error ends reports it.
    client.on('error', () => undefined);
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const create = async () => {
    const name = `${DATABASE}_${(lastCopy += 1)}`;
    await run(`create database ${name} template ${DATABASE}`, COPY_SETTINGS.replaceAll('$NAME', `'${name}'`));
    return name;
  };
  return {
    adminUrl: (name) =>
      `postgresql://${ADMIN}@localhost/${name}?host=${encodeURIComponent(socketDir)}&port=${port}`,
    url: (name) => `postgresql://${DATABASE}:postgres@127.0.0.1:${port}/${name}`,
    freeze: () => run(`alter database ${DATABASE} allow_connections false`),
    copy() {
      const copy = prepared ?? create();
      prepared = undefined;
      return copy;
    },
    prepare() {
      prepared ??= create();
      prepared.catch(() => undefined);
    },
    drop: (name) => run(`drop database if exists ${name} with (force)`),
    stop,
  };
}
