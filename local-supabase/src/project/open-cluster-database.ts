import { join } from 'node:path';
import { findBinaries, type PostgresVersion } from '../database/cluster/binaries.ts';
import { DATABASE, startCluster, type Cluster } from '../database/cluster/cluster.ts';
import { exists, findCreation } from './creation-mark.ts';
import { snapshotName } from './database-snapshot.ts';
import { availableStandIns, sqlExtensions } from './extensions.ts';
import type { DatabaseOptions, OpenDatabase } from './open-database.ts';
import { openServerDatabase, type ServerDatabaseOptions } from './open-server-database.ts';
import { readPart, readProjectSql } from './project-sql.ts';
import { supabaseFolder } from './project-folder.ts';

export interface ClusterDatabaseOptions extends DatabaseOptions {
  /** The major version of PostgreSQL. */
  readonly postgres: PostgresVersion;
  /** The port on 127.0.0.1; 0 takes a free one. */
  readonly port: number;
}

/** Clusters with a frozen database of one project each, for the instances of this process. */
const shared = new Map<string, { readonly cluster: Promise<Cluster>; leases: number }>();

/**
 * Opens a database of a PostgreSQL that runs beside the services, from the user's package. Without `dataDir`, instances
 * of the same project share it, and each has a copy of the project's database.
 *
 * @throws {StartError} if the package is missing, PostgreSQL does not start, or the project's SQL is rejected.
 */
export async function openClusterDatabase(options: ClusterDatabaseOptions): Promise<OpenDatabase> {
  const { dataDir, port, postgres, project = supabaseFolder(), pool } = options;
  const binaries = findBinaries(postgres, [project, new URL(import.meta.url)]);
  const sql = await readProjectSql(project, options.settings);
  const extensions = sqlExtensions(sql.extensions);
  const furtherPart = await readPart('database/cluster/privileged-statements.sql');
  const opening = { ...options, furtherPart };
  const start = () => startCluster({ binaries, extensions, dataDir, port });
  if (dataDir !== undefined) return openKept(start, dataDir, opening);

  const key = [binaries.version, port, furtherPart.hash, snapshotName(sql, options.seed ?? true)].join(' ');
  const take = () => takeLease(key, () => startFrozen(start, opening));
  const { cluster, release } = await take();
  await pool?.hold(key, async () => (await take()).release);
  const name = await cluster.copy().catch(async (problem: unknown) => {
    await release();
    throw problem;
  });
  const opened = await openOne(cluster, name, { ...opening, isCurrent: true }, async () => {
    await cluster.drop(name);
    await release();
  });
  if (pool) cluster.prepare();
  return opened;
}

async function openKept(
  start: () => Promise<Cluster>,
  dataDir: string,
  options: ServerDatabaseOptions,
): Promise<OpenDatabase> {
  const creation = await findCreation(dataDir);
  const isNew = !(await exists(join(dataDir, 'PG_VERSION')));
  if (isNew) await creation.begin();
  const cluster = await start();
  const opened = await openOne(cluster, DATABASE, options, cluster.stop);
  if (isNew) await creation.end();
  return opened;
}

/** Starts a cluster, and makes the project's database in it for copies. */
async function startFrozen(start: () => Promise<Cluster>, options: ServerDatabaseOptions): Promise<Cluster> {
  const cluster = await start();
  try {
    const { database } = await openServerDatabase(cluster.adminUrl(DATABASE), options);
    await database.close();
    await cluster.freeze();
    return cluster;
  } catch (problem) {
    await cluster.stop();
    throw problem;
  }
}

/** @param release called after the database was closed, or could not be opened. */
async function openOne(
  cluster: Cluster,
  name: string,
  options: ServerDatabaseOptions,
  release: () => Promise<void>,
): Promise<OpenDatabase> {
  try {
    const opened = await openServerDatabase(cluster.adminUrl(name), options);
    const close = async () => {
      await opened.database.close();
      await release();
    };
    return {
      ...opened,
      database: { ...opened.database, close },
      serverUrl: cluster.url(name),
      standIns: availableStandIns,
    };
  } catch (problem) {
    await release();
    throw problem;
  }
}

async function takeLease(
  key: string,
  start: () => Promise<Cluster>,
): Promise<{ readonly cluster: Cluster; readonly release: () => Promise<void> }> {
  const entry = shared.get(key) ?? { cluster: start(), leases: 0 };
  shared.set(key, entry);
  entry.leases += 1;
  const release = async () => {
    entry.leases -= 1;
    if (entry.leases > 0) return;
    shared.delete(key);
    const cluster = await entry.cluster.catch(() => undefined);
    await cluster?.stop();
  };
  try {
    return { cluster: await entry.cluster, release };
  } catch (problem) {
    await release();
    throw problem;
  }
}
