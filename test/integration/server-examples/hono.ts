import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { createBrowserPlatform } from '../../../src/platform/index.ts';
import {
  createRequestCookies,
  createServerClients,
  type ServerClients,
} from '../../../src/clients/server.ts';
import { answer, type Project } from './routes.ts';

/** Hono: one middleware gives each handler the clients of its request. */
export function createHonoServer({ url, apiKey, fetch }: Project) {
  const platform = createBrowserPlatform({ fetch });
  const withClients = createMiddleware<{ Variables: { clients: ServerClients } }>(async (context, next) => {
    const headers = new Headers();
    const cookies = createRequestCookies(context.req.raw, headers);
    context.set('clients', createServerClients({ url, apiKey, cookies, platform }));
    await next();
    headers.forEach((value, name) => context.res.headers.append(name, value));
  });
  const app = new Hono().all('*', withClients, async (context) => {
    const { status, body } = await answer(context.var.clients, context.req.raw, () => context.req.json());
    return context.json(body as object, status as 200);
  });
  return async (request: Request): Promise<Response> => app.fetch(request);
}
