import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import {
  createRequestCookies,
  createServerClients,
  type ServerClients,
} from 'supabase-protocol-clients/server';
import { respond, respondToApi, type Project } from './routes.ts';

/** Hono: one middleware provides each handler with the request's clients. */
export function createHonoServer(project: Project) {
  const withClients = createMiddleware<{ Variables: { clients: ServerClients } }>(async (context, next) => {
    const headers = new Headers();
    const cookies = createRequestCookies(context.req.raw, headers);
    context.set('clients', createServerClients({ ...project, cookies }));
    await next();
    headers.forEach((value, name) => context.res.headers.append(name, value));
  });
  const app = new Hono()
    .get('/api/me', (context) => respondToApi(context.req.raw, project))
    .all('*', withClients, async (context) => {
      const { status, body } = await respond(context.var.clients, context.req.raw, () => context.req.json());
      return context.json(body as object, status as 200);
    });
  return async (request: Request): Promise<Response> => app.fetch(request);
}
