import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

export interface Site {
  readonly url: string;
  close(): void;
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

/**
 * Serves a built application as a host does: every page by index.html, and each file compressed once, with Brotli where the
 * browser accepts it.
 */
export async function serveCompressed(folder: string): Promise<Site> {
  const compressed = new Map<string, Promise<Buffer>>();
  const server = createServer((request, response) => {
    void answer(new URL(request.url ?? '/', 'http://site').pathname);
    async function answer(path: string): Promise<void> {
      const isFile = await stat(join(folder, path)).then(
        (found) => found.isFile(),
        () => false,
      );
      const file = isFile ? path : '/index.html';
      const encoding = String(request.headers['accept-encoding']).includes('br') ? 'br' : 'gzip';
      const key = `${encoding} ${file}`;
      const body = compressed.get(key) ?? readFile(join(folder, file)).then(compress[encoding]);
      compressed.set(key, body);
      response.setHeader('Content-Encoding', encoding);
      response.setHeader('Content-Type', types[extname(file)] ?? 'application/octet-stream');
      response.end(await body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}
