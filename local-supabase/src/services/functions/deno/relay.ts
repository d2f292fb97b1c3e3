import { request as sendRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable, type Duplex } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { FunctionProcess } from './function-process.ts';

const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'host',
]);

/**
 * Sends a request to the process of a function, and streams the response's body.
 *
 * @param path the function's own path: `/<name>/…`.
 * @throws {Error} if the process ends before it responds.
 */
export function relayRequest(
  { port, secret }: FunctionProcess,
  request: Request,
  path: string,
  onEnd: () => void,
): Promise<Response> {
  const { host } = new URL(request.url);
  const own = [...request.headers].filter(([name]) => !hopByHop.has(name));
  const headers = {
    ...Object.fromEntries(own),
    host,
    'x-forwarded-host': host.replace(/:\d+$/, ''),
    'x-forwarded-proto': 'http',
    'x-local-supabase-secret': secret,
  };
  return new Promise((resolve, reject) => {
    const outgoing = sendRequest({ host: '127.0.0.1', port, path, method: request.method, headers });
    const cancel = () => outgoing.destroy();
    request.signal.addEventListener('abort', cancel, { once: true });
    outgoing.once('close', () => {
      request.signal.removeEventListener('abort', cancel);
      onEnd();
    });
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => resolve(toResponse(incoming)));
    if (request.body)
      Readable.fromWeb(request.body as NodeStream)
        .on('error', reject)
        .pipe(outgoing);
    else outgoing.end();
  });
}

function toResponse(incoming: IncomingMessage): Response {
  const { statusCode: status = 500, statusMessage: statusText = '' } = incoming;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    if (hopByHop.has(name)) continue;
    for (const value of values ?? []) headers.append(name, value);
  }
  const hasBody = ![101, 204, 205, 304].includes(status) && incoming.headers['content-length'] !== '0';
  if (!hasBody) incoming.resume();
  const body = hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null;
  return new Response(body, { status, statusText, headers });
}

/** Connects a socket that requests an upgrade, such as a WebSocket, to the process of a function. */
export function relayUpgrade(
  { port, secret }: FunctionProcess,
  { method, rawHeaders }: IncomingMessage,
  path: string,
  socket: Duplex,
  head: Buffer,
  onEnd: () => void,
): void {
  const target = connect(port, '127.0.0.1', () => {
    const lines = [`${method} ${path} HTTP/1.1`, `x-local-supabase-secret: ${secret}`];
    for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
    target.write(`${lines.join('\r\n')}\r\n\r\n`);
    target.write(head);
    target.pipe(socket).pipe(target);
  });
  const end = () => {
    target.destroy();
    socket.destroy();
  };
  target.once('close', () => {
    end();
    onEnd();
  });
  target.once('error', end);
  socket.once('close', end);
  socket.once('error', end);
}
