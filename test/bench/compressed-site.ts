import { readFile, stat } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, createGzip, gzip } from 'node:zlib';

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
    void respond(new URL(request.url ?? '/', 'http://site').pathname);
    async function respond(path: string): Promise<void> {
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

/** A proxy in front of a project's services that compresses their JSON, as the gateway of a hosted project does. */
export async function serveCompressedApi(projectUrl: string): Promise<Site> {
  const { hostname, port } = new URL(projectUrl);
  const server = createServer((request, response) => {
    const { url = '/', method = 'GET', headers } = request;
    const sent = send({ hostname, port, path: url, method, headers }, (incoming) => {
      const isJson = String(incoming.headers['content-type']).includes('json');
      const { 'content-length': _length, ...kept } = incoming.headers;
      response.writeHead(
        incoming.statusCode ?? 502,
        isJson ? { ...kept, 'content-encoding': 'gzip' } : incoming.headers,
      );
      const fail = (problem: Error | null | undefined) => problem && response.destroy(problem);
      if (isJson) pipeline(incoming, createGzip(), response, fail);
      else pipeline(incoming, response, fail);
    });
    pipeline(request, sent, (problem) => problem && response.destroy(problem));
  });
  server.on('upgrade', ({ url, headers }, socket, head) => {
    const service = connect(Number(port), hostname, () => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
      service.write(`GET ${url ?? '/'} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      service.write(head);
    });
    pipeline(socket, service, socket, () => service.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
