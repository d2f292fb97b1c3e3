import { createServer } from 'node:net';
import { build, preview } from 'vite';
import {
  createLocalSupabase,
  type LocalSupabase,
  type LocalSupabaseOptions,
} from '../../../local-supabase/server.ts';

export interface Stage {
  readonly appUrl: string;
  readonly supabase: LocalSupabase;
  close(): Promise<void>;
}

/** Starts an embedded Supabase and serves a production build of the application that talks to it. */
export async function startStage({
  outDir,
  ...options
}: LocalSupabaseOptions & { readonly outDir: string }): Promise<Stage> {
  const appPort = await findFreePort();
  const appUrl = `http://localhost:${appPort}`;
  const supabase = await createLocalSupabase({ port: 0, mailboxPort: 0, siteUrl: appUrl, ...options });
  process.env.VITE_SUPABASE_URL = supabase.url;
  process.env.VITE_SUPABASE_ANON_KEY = supabase.anonKey;
  process.env.VITE_SITE_URL = appUrl;
  await build({ logLevel: 'error', build: { outDir, emptyOutDir: true } });
  const server = await preview({
    logLevel: 'error',
    build: { outDir },
    preview: { port: appPort, strictPort: true },
  });
  return {
    appUrl,
    supabase,
    async close() {
      await server.close();
      await supabase.close();
    },
  };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
