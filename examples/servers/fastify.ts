import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { createServerClients, parseCookieHeader, serializeCookie } from 'supabase-protocol-clients/server';
import { respond, respondToApi, type Project } from './routes.ts';

export function createFastifyApp(project: Project) {
  const app = Fastify();
  const addressOf = (request: FastifyRequest) => `https://app.test${request.url}`;

  app.get('/api/me', (request) => {
    const { authorization = '', cookie = '' } = request.headers;
    // Fastify accepts a Response.
    return respondToApi(new Request(addressOf(request), { headers: { authorization, cookie } }), project);
  });
  app.all('/*', async (request: FastifyRequest, reply: FastifyReply) => {
    const clients = createServerClients({
      ...project,
      cookies: {
        getAll: () => parseCookieHeader(request.headers.cookie ?? ''),
        setAll: (cookies, headers) =>
          reply.header('Set-Cookie', cookies.map(serializeCookie)).headers({ ...headers }),
      },
    });
    const absolute = { method: request.method, url: addressOf(request) };
    const { status, body } = await respond(clients, absolute, async () => request.body as never);
    return reply.code(status).header('Content-Type', 'application/json').send(JSON.stringify(body));
  });
  return app;
}
