import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The requests of other commands to a running instance. Each returns a text to print. */
export interface Controls {
  stop(): Promise<string>;
  /** Rebuilds the database; without the seed with `seed=false` in the query. */
  reset(query: URLSearchParams): Promise<string>;
  migrate(): Promise<string>;
  /** Serves the functions with other files, or without token checks, as the query says. */
  functions(query: URLSearchParams): Promise<string>;
}

export interface ControlServer {
  readonly url: string;
  readonly token: string;
  /** Stores a line for `logs`. */
  log(line: string): void;
  close(): void;
}

const MAX_LINES = 2000;

/** Accepts commands with the right token on a free port of 127.0.0.1. */
export async function startControlServer(controls: Controls): Promise<ControlServer> {
  const token = crypto.randomUUID();
  const lines: string[] = [];
  const followers = new Set<ServerResponse>();
  const run = async ({ method, url = '/' }: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    if (pathname === '/') return response.end('ok');
    if (pathname === '/logs') {
      if (!searchParams.has('new')) response.write(lines.map((line) => `${line}\n`).join(''));
      response.flushHeaders();
      if (!searchParams.has('follow')) return response.end();
      followers.add(response);
      return response.once('close', () => followers.delete(response));
    }
    const name = pathname.slice(1);
    if (method !== 'POST' || !isControl(name)) return response.writeHead(404).end('Unknown command');
    return response.end(await controls[name](searchParams));
  };
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    run(request, response).catch((problem: unknown) =>
      response.writeHead(409).end(problem instanceof Error ? problem.message : String(problem)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    log(line) {
      lines.push(line);
      if (lines.length > MAX_LINES) lines.shift();
      for (const follower of followers) follower.write(`${line}\n`);
    },
    close() {
      for (const follower of followers) follower.end();
      server.close();
      server.closeIdleConnections();
    },
  };
}

const isControl = (name: string): name is keyof Controls =>
  ['stop', 'reset', 'migrate', 'functions'].includes(name);
