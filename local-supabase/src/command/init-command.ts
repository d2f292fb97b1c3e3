import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { StartError } from '../platform/start-error.ts';

const configOf = (
  project: string,
): string => `# Settings of the local Supabase, as the vendor's CLI reads them too.
# Reference: https://supabase.com/docs/guides/local-development/cli/config

project_id = ${JSON.stringify(basename(resolve(project)))}

[api]
port = 54321
schemas = ["public"]
max_rows = 1000

[db]
port = 54322

[local_smtp]
port = 54324

[auth]
site_url = "http://localhost:5173"

[auth.email]
enable_confirmations = false
`;

/**
 * Writes an empty `supabase/`.
 *
 * @throws {StartError} if it exists.
 */
export function initProject(project: string): readonly string[] {
  const folder = join(project, 'supabase');
  if (existsSync(join(folder, 'config.toml'))) throw new StartError(`${folder} has a config.toml already`);
  mkdirSync(join(folder, 'migrations'), { recursive: true });
  const files = {
    'config.toml': configOf(project),
    'seed.sql': '-- Rows of a new database, after its migrations.\n',
  };
  const written = Object.entries(files).filter(([name]) => !existsSync(join(folder, name)));
  for (const [name, text] of written) writeFileSync(join(folder, name), text);
  return written.map(([name]) => `supabase/${name}`);
}
