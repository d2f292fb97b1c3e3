import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The `supabase/` folder of a project, in the layout of the vendor's CLI.
 *
 * @param project the folder that contains `supabase/`. Default: the working directory.
 */
export function supabaseFolder(project: string | URL = process.cwd()): URL {
  const folder = typeof project === 'string' ? pathToFileURL(resolve(project)) : project;
  return new URL('supabase/', folder.href.endsWith('/') ? folder : `${folder.href}/`);
}
