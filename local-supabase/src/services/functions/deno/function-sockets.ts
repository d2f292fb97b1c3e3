import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { statusTexts } from '../../../http/status-text.ts';
import { functionName, type FunctionsService } from '../functions-service.ts';
import { failureResponse, WorkerFailure } from '../worker-failure.ts';
import type { DenoRunner } from './deno-runner.ts';

export interface FunctionSocketsOptions {
  readonly functions: FunctionsService;
  readonly runner: DenoRunner;
  /** Whether the page that sends the request may open a socket. */
  readonly admits: (request: IncomingMessage) => boolean;
}

/**
 * Connects upgrades of `server` on /functions/v1/<name>, such as WebSockets, to the functions.
 *
 * @returns a function that detaches it.
 */
export function attachFunctionSockets(server: Server, options: FunctionSocketsOptions): () => void {
  const { functions, runner, admits } = options;
  const upgrade = async (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const headers = new Headers();
    for (const [name, values] of Object.entries(incoming.headersDistinct))
      for (const value of values ?? []) headers.append(name, value);
    const request = new Request(`http://${headers.get('host') ?? 'localhost'}${incoming.url ?? '/'}`, {
      headers,
    });
    const refusal = admits(incoming)
      ? await functions.refuse(request)
      : Response.json({ message: 'Forbidden origin' }, { status: 403 });
    if (refusal) return end(socket, refusal);
    try {
      return await runner.upgrade(functionName(request), incoming, socket, head);
    } catch (problem) {
      if (!(problem instanceof WorkerFailure)) throw problem;
      return end(socket, failureResponse(problem));
    }
  };
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!request.url?.startsWith('/functions/v1/')) return;
    socket.on('error', () => socket.destroy());
    upgrade(request, socket, head).catch(() => socket.destroy());
  };
  server.on('upgrade', onUpgrade);
  return () => server.off('upgrade', onUpgrade);
}

async function end(socket: Duplex, response: Response): Promise<void> {
  const body = await response.text();
  const head = [
    `HTTP/1.1 ${response.status} ${statusTexts[response.status] ?? 'Error'}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
