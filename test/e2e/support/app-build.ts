import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';

/** The settings of a build of the application. */
export interface AppConfiguration {
  readonly supabaseUrl: string;
  readonly anonKey: string;
  readonly siteUrl: string;
  /** Default: none, and so no captcha. */
  readonly captchaSiteKey?: string;
  /** How changes of rows arrive. Default: `broadcast`. */
  readonly liveSource?: 'broadcast' | 'postgres-changes';
}

const placeholders: Readonly<Record<keyof AppConfiguration, string>> = {
  supabaseUrl: 'http://supabase.placeholder',
  anonKey: 'anon-key-placeholder',
  siteUrl: 'http://site.placeholder',
  captchaSiteKey: 'captcha-key-placeholder',
  liveSource: 'live-source-placeholder',
};

export function applyToEnvironment(
  configuration: Readonly<Partial<Record<keyof AppConfiguration, string>>>,
): void {
  process.env.VITE_SUPABASE_URL = configuration.supabaseUrl;
  process.env.VITE_SUPABASE_ANON_KEY = configuration.anonKey;
  process.env.VITE_SITE_URL = configuration.siteUrl;
  process.env.VITE_CAPTCHA_SITE_KEY = configuration.captchaSiteKey ?? '';
  process.env.VITE_LIVE_SOURCE = configuration.liveSource ?? '';
}

/** Runs a command of Vite, which sets NODE_ENV to production; the embedded Supabase, in this process too, refuses that. */
export async function withOwnNodeEnv<T>(run: () => Promise<T>): Promise<T> {
  const before = process.env.NODE_ENV;
  try {
    return await run();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

/** A production build for {@link configureApp} to fill in: one build serves every stage of a run. @returns its folder. */
export async function buildApp(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inbox-build-'));
  await buildAppInto(folder);
  return folder;
}

/** The same build in a separate folder. @returns the chunks and assets. */
export function buildAppInto(folder: string): Promise<Rolldown.RolldownOutput> {
  applyToEnvironment(placeholders);
  return withOwnNodeEnv(async () => {
    const output = await build({ logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
    return output as Rolldown.RolldownOutput;
  });
}

/** A copy of a build that talks to one Supabase. @returns its folder. */
export async function configureApp(built: string, configuration: AppConfiguration): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'inbox-app-'));
  await cp(built, folder, { recursive: true, filter: (path) => !path.endsWith('.map') });
  const values = { captchaSiteKey: '', liveSource: '', ...configuration };
  const keys = Object.keys(placeholders) as (keyof AppConfiguration)[];
  for (const entry of await readdir(folder, { recursive: true })) {
    if (!entry.endsWith('.js')) continue;
    const path = join(folder, entry);
    const code = await readFile(path, 'utf8');
    const filled = keys.reduce((text, key) => text.replaceAll(placeholders[key], values[key]), code);
    if (filled !== code) await writeFile(path, filled);
  }
  return folder;
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
