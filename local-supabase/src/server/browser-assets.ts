import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { accountChanges, codeMailKinds } from '../services/auth/mail/mail-template.ts';
import type { MailKind } from '../services/auth/mail/mail-template.ts';
import {
  archiveOf,
  MANIFEST,
  POSTGRES_FILES,
  POSTGRES_MODULE,
  SNAPSHOT_FILE,
  type ProjectAssets,
} from './assets.ts';
import { makeInterruptible } from '../database/interruptible-wasm.ts';
import { loadProjectSnapshot, snapshotName } from '../project/database-snapshot.ts';
import { createTemplateReader } from '../project/mail-templates.ts';
import { readProjectConfig } from '../project/project-config.ts';
import { supabaseFolder } from '../project/project-folder.ts';
import { readProjectSql } from '../project/project-sql.ts';

export interface BrowserAssetsOptions {
  /** The folder that contains `supabase/`. Default: the working directory. */
  readonly project?: string | URL;
  /** The output folder, such as the site's folder of public files. */
  readonly outDir: string;
}

const compress = promisify(gzip);

/**
 * Writes the files that a browser needs to run a project: PostgreSQL, a snapshot of the database with migrations and
 * seed, the settings and the mail templates. All files but `project.json` are gzip-compressed.
 *
 * @returns the size of each file in bytes.
 * @throws {SchemaError} for a migration that PostgreSQL rejects.
 */
export async function buildBrowserAssets({
  project,
  outDir,
}: BrowserAssetsOptions): Promise<Readonly<Record<string, number>>> {
  const sources = supabaseFolder(project);
  const { options } = readProjectConfig({ project });
  const { apiKeys = {}, seed = true, auth = {}, rest = {}, storage = {}, functionSettings = {} } = options;
  const { siteUrl, redirectUrls } = options;
  // Omit the private keys, which may be those of a hosted project: every visitor can read the assets.
  const { signingKeys: _, ...publicApiKeys } = apiKeys;
  const sql = await readProjectSql(sources, options.databaseSettings);
  await mkdir(outDir, { recursive: true });
  const files: Record<string, number> = {};
  const write = async (name: string, bytes: Uint8Array) => {
    files[name] = bytes.length;
    await writeFile(join(outDir, name), bytes);
  };
  const pglite = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  const wasm = await readFile(join(pglite, 'pglite.wasm'));
  await write(POSTGRES_MODULE, await compress(makeInterruptible(wasm)));
  await write(POSTGRES_FILES, await compress(await readFile(join(pglite, 'pglite.data'))));
  await write(SNAPSHOT_FILE, await compress(await loadProjectSnapshot(sql, seed)));
  for (const [name, archive] of Object.entries(sql.extensions.bundled))
    await write(archiveOf(name), await readFile(archive));
  const assets: ProjectAssets = {
    snapshot: snapshotName(sql, seed),
    files,
    bundled: Object.keys(sql.extensions.bundled),
    extensionFiles: sql.extensions.files,
    apiKeys: publicApiKeys,
    settings: {
      auth,
      rest,
      storage,
      functionSettings,
      ...(siteUrl !== undefined && { siteUrl }),
      ...(redirectUrls !== undefined && { redirectUrls }),
    },
    templates: await readTemplates(sources, options.mailTemplates),
  };
  await writeFile(join(outDir, MANIFEST), JSON.stringify(assets));
  return files;
}

async function readTemplates(
  sources: URL,
  own: Parameters<typeof createTemplateReader>[1],
): Promise<ProjectAssets['templates']> {
  const read = createTemplateReader(new URL('templates/', sources), own);
  const kinds: readonly MailKind[] = [
    ...codeMailKinds,
    ...accountChanges.map((change) => `${change}_notification` as const),
  ];
  const templates = await Promise.all(kinds.map(async (kind) => [kind, await read(kind)] as const));
  return Object.fromEntries(templates.filter(([, { html, subject }]) => html !== null || subject !== null));
}
