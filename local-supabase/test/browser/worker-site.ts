import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildBrowserAssets } from '../../src/entries/index.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.bin': 'application/octet-stream',
};

/** A site with one page and a worker that runs this repository's project. */
export interface WorkerSite {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Bundles a page and its worker under their file names, and serves them with the project in `/supabase/`.
 *
 * @param page the path of the page's module.
 * @param worker the path of the worker's module.
 */
export async function startWorkerSite(page: string, worker: string): Promise<WorkerSite> {
  const folder = await mkdtemp(join(tmpdir(), 'worker-site-'));
  await buildBrowserAssets({ project, outDir: join(folder, 'supabase') });
  await build({
    entryPoints: { page, [nameOf(worker)]: worker },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
  });
  const server = createServer(({ url = '/' }, response) => {
    const type = types[extname(url)];
    if (!type)
      return response
        .setHeader('content-type', 'text/html')
        .end('<script type=module src=/page.js></script>');
    return void readFile(join(folder, url)).then(
      (bytes) => response.setHeader('content-type', type).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const nameOf = (path: string): string => path.replace(/^.*\//, '').replace(/\.ts$/, '');
