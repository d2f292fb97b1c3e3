import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import {
  createLocalSupabase,
  readProjectConfig,
  type LocalSupabase,
  type LocalSupabaseOptions,
} from '../../src/entries/index.ts';

export interface FunctionProject {
  readonly supabase: LocalSupabase;
  readonly folder: string;
  /** The output of the functions, as `<name>: <line>`. */
  readonly output: readonly string[];
  /** Writes a file below `supabase/`. */
  write(path: string, text: string): Promise<void>;
  call(path: string, init?: RequestInit): Promise<Response>;
}

/** Each project is new, so its database has no snapshot yet. */
const START_WITHIN_MS = 180_000;

/** Runs a project with these files below `supabase/` for the tests of a file. */
export function useFunctionProject(
  files: Readonly<Record<string, string>>,
  options: LocalSupabaseOptions = {},
): () => FunctionProject {
  let project: FunctionProject | undefined;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'local-supabase-functions-'));
    const write = async (path: string, text: string) => {
      const file = join(folder, 'supabase', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    };
    for (const [path, text] of Object.entries(files)) await write(path, text);
    const output: string[] = [];
    const supabase = await createLocalSupabase({
      ...readProjectConfig({ project: folder }).options,
      project: folder,
      onFunctionOutput: (name, line) => output.push(`${name}: ${line}`),
      ...options,
    });
    const call = (path: string, init?: RequestInit) =>
      supabase.fetch(`${supabase.url}/functions/v1/${path}`, {
        headers: { authorization: `Bearer ${supabase.anonKey}` },
        ...init,
      });
    project = { supabase, folder, output, write, call };
  }, START_WITHIN_MS);
  afterAll(async () => {
    if (!project) return;
    await project.supabase.close();
    await rm(project.folder, { recursive: true, force: true });
  });
  return () => {
    if (!project) throw new Error('The project has not started yet');
    return project;
  };
}
