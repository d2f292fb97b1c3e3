import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { createGzip } from 'node:zlib';

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

/** Serves a built application as a host does: compressed, and every page by index.html. */
export async function serveCompressed(folder: string): Promise<Site> {
  const server = createServer((request, response) => {
    void answer(new URL(request.url ?? '/', 'http://site').pathname);
    async function answer(path: string): Promise<void> {
      const file = join(folder, path);
      const isFile = await stat(file).then(
        (found) => found.isFile(),
        () => false,
      );
      response.setHeader('Content-Encoding', 'gzip');
      response.setHeader(
        'Content-Type',
        types[isFile ? extname(path) : '.html'] ?? 'application/octet-stream',
      );
      const zip = createGzip();
      zip.pipe(response);
      if (isFile) createReadStream(file).pipe(zip);
      else zip.end(await readFile(join(folder, 'index.html')));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}
