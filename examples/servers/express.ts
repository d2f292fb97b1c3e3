import express, { type Request, type Response } from 'express';
import { createServerClients, parseCookieHeader, serializeCookie } from 'supabase-protocol-clients/server';
import { respond, respondToApi, type Project } from './routes.ts';

export function createExpressApp(project: Project) {
  const addressOf = (request: Request) => `https://app.test${request.originalUrl}`;
  const handle = async (request: Request, response: Response) => {
    const clients = createServerClients({
      ...project,
      cookies: {
        getAll: () => parseCookieHeader(request.headers.cookie ?? ''),
        setAll: (cookies, headers) =>
          response.append('Set-Cookie', cookies.map(serializeCookie)).set({ ...headers }),
      },
    });
    const absolute = { method: request.method, url: addressOf(request) };
    const { status, body } = await respond(clients, absolute, async () => request.body as never);
    response.status(status).json(body);
  };
  const handleApi = async (request: Request, response: Response) => {
    const { authorization = '', cookie = '' } = request.headers;
    const headers = { authorization, cookie };
    const result = await respondToApi(new globalThis.Request(addressOf(request), { headers }), project);
    const { 'set-cookie': _cookies, ...others } = Object.fromEntries(result.headers);
    // A response that refreshes a session has headers that prevent caching.
    response.status(result.status).set(others).append('Set-Cookie', result.headers.getSetCookie());
    response.json(await result.json());
  };
  return express()
    .use(express.json())
    .get('/api/me', (request, response, next) => {
      // oxlint-disable-next-line promise/no-callback-in-promise -- Express 4 and 5 take errors by a callback
      handleApi(request, response).catch((problem: unknown) => next(problem));
    })
    .use((request, response, next) => {
      // oxlint-disable-next-line promise/no-callback-in-promise -- Express 4 and 5 take errors by a callback
      handle(request, response).catch((problem: unknown) => next(problem));
    });
}
