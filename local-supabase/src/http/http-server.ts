import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { ConnectionLost } from './in-process.ts';
import type { OwnHosts } from './own-host.ts';
import { StartError } from '../platform/start-error.ts';
import { setRequestLine } from './request-line.ts';

/** A port on 127.0.0.1. */
export interface HttpServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly server: Server;
  /** Ends every connection at once; the port stays open. */
  dropConnections(): void;
  close(): Promise<void>;
}

/** Larger bodies are refused, except for those that a service reads in parts. */
const MAX_BODY_BYTES = 100 * 1024 * 1024;

/**
 * nginx's default. With Node's 5 s, a client that paused for longer would fail at its next request (UND_ERR_SOCKET,
 * ECONNRESET).
 */
const keepAliveMs = 75_000;

/**
 * Listens on 127.0.0.1, and accepts only requests whose Host is allowed.
 *
 * @param port 0 selects any free port.
 * @param isStreamed whether the body of a request to this target is passed on while it arrives, whatever its size.
 * @throws {StartError} if the port is taken.
 */
export async function listen(
  port: number,
  { isHost }: OwnHosts,
  handle: (request: Request) => Promise<Response>,
  isStreamed: (target: string) => boolean = () => false,
): Promise<HttpServer> {
  const sockets = new Set<Socket>();
  const admit = async (request: Request) =>
    isHost(request.headers.get('host'))
      ? handle(request)
      : new Response('Forbidden host: see the option allowedHosts', { status: 403 });
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing, admit, isStreamed));
  server.keepAliveTimeout = keepAliveMs;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (problem) => reject(listenError(problem, port)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  const dropConnections = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${taken}`,
    server,
    dropConnections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        dropConnections();
      }),
  };
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
  isStreamed: (target: string) => boolean,
): Promise<void> {
  const body = isStreamed(incoming.url ?? '/') ? streamOf(incoming) : undefined;
  try {
    await send(await handle(await readRequest(incoming, body?.stream)), outgoing);
  } catch (problem) {
    // Check the socket, because `incoming.destroyed` is already true once the body was read.
    if (problem instanceof BodyTooLarge) {
      // Close the connection instead of reading the rest of the body.
      const body = { message: `A request has at most ${MAX_BODY_BYTES / 1024 / 1024} MiB` };
      await send(Response.json(body, { status: 413, headers: { connection: 'close' } }), outgoing);
      incoming.resume();
      return;
    }
    if (problem instanceof ConnectionLost || outgoing.headersSent || incoming.socket.destroyed) {
      outgoing.destroy();
      return;
    }
    console.error(problem);
    await send(Response.json({ message: 'An unexpected error occurred' }, { status: 500 }), outgoing);
  } finally {
    body?.skipRest();
  }
}

async function readRequest(incoming: IncomingMessage, stream: BodyStream | undefined): Promise<Request> {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  // Services limit requests by client address; keep the header of a proxy.
  if (!headers.has('x-forwarded-for'))
    headers.set('x-forwarded-for', incoming.socket.remoteAddress ?? '127.0.0.1');
  const { method = 'GET', url: target = '/' } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const address = `http://${headers.get('host') ?? 'localhost'}${target}`;
  const request = new Request(address, {
    method: FORBIDDEN_METHODS.has(method) ? 'OPTIONS' : method,
    headers,
    ...(hasBody ? { body: stream ?? (await readBody(incoming)), duplex: 'half' } : {}),
  });
  setRequestLine(request, { method, target });
  return request;
}

/** Methods that `Request` rejects; the service reads them from the request line. */
const FORBIDDEN_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK']);

class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

async function readBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw new BodyTooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The maximum number of bytes that wait for a service to read them. */
const WAITING_BYTES = 1024 * 1024;

type BodyStream = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The body as it arrives. Unlike `Readable.toWeb`, a reader that stops early leaves the connection open. */
function streamOf(incoming: IncomingMessage): { readonly stream: BodyStream; skipRest(): void } {
  let isWanted = true;
  const skipRest = () => {
    isWanted = false;
    incoming.resume();
  };
  const stream: BodyStream = new ReadableStream(
    {
      start(controller) {
        incoming.on('data', (chunk: Buffer) => {
          if (!isWanted) return;
          controller.enqueue(new Uint8Array(chunk));
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.once('end', () => isWanted && controller.close());
        incoming.once('error', (problem) => isWanted && controller.error(problem));
        incoming.pause();
      },
      pull: () => void incoming.resume(),
      cancel: skipRest,
    },
    { highWaterMark: WAITING_BYTES, size: (chunk) => chunk?.length ?? 0 },
  );
  return { stream, skipRest };
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  const cookies = response.headers.getSetCookie();
  const headers = Object.fromEntries(response.headers);
  outgoing.writeHead(response.status, cookies.length > 0 ? { ...headers, 'set-cookie': cookies } : headers);
  if (!response.body) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  await pipeline(Readable.fromWeb(response.body as NodeStream), outgoing).catch(() => outgoing.destroy());
}

export function listenError(problem: Error, port: number): StartError {
  const { code } = problem as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return new StartError(`Port ${port} is taken by another program`, problem);
  return new StartError(`Port ${port} cannot be opened: ${problem.message}`, problem);
}
