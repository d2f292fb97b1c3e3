import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { createBrowserPlatform } from '../../../src/platform/index.ts';
import { createServerClients, parseCookieHeader, serializeCookie } from '../../../src/clients/server.ts';
import { answer, type Project } from './routes.ts';

/** Express. */
export function createExpressApp({ url, apiKey, fetch }: Project) {
  const platform = createBrowserPlatform({ fetch });
  const handle = async (request: Request, response: Response) => {
    const clients = createServerClients({
      url,
      apiKey,
      platform,
      cookies: {
        getAll: () => parseCookieHeader(request.headers.cookie ?? ''),
        setAll: (cookies, headers) =>
          response.append('Set-Cookie', cookies.map(serializeCookie)).set({ ...headers }),
      },
    });
    const absolute = { method: request.method, url: `https://app.test${request.originalUrl}` };
    const { status, body } = await answer(clients, absolute, async () => request.body as never);
    response.status(status).json(body);
  };
  return express()
    .use(express.json())
    .use((request, response, next) => {
      // eslint-disable-next-line promise/no-callback-in-promise -- Express 4 and 5 take errors by a callback
      handle(request, response).catch((problem: unknown) => next(problem));
    });
}

/** Starts the app on a free port; the returned function sends it a request. */
export async function startExpressServer(project: Project) {
  const server = await new Promise<Server>((resolve) => {
    const started = createExpressApp(project).listen(0, '127.0.0.1', () => resolve(started));
  });
  const { port } = server.address() as AddressInfo;
  return {
    close: () => new Promise((resolve) => server.close(resolve)),
    async send(request: globalThis.Request): Promise<globalThis.Response> {
      const { pathname, search } = new URL(request.url);
      const body = request.method === 'POST' ? await request.text() : null;
      const { method, headers } = request;
      return globalThis.fetch(`http://127.0.0.1:${port}${pathname}${search}`, { method, headers, body });
    },
  };
}
