import { H3 } from 'h3';
import { createRequestCookies, createServerClients } from 'supabase-protocol-clients/server';
import { respond, respondToApi, type Project } from './routes.ts';

/**
 * H3 2, the server of Nitro 3 and Nuxt 5. In Nuxt 4 with H3 1, use `toWebRequest(event)` as the request, and add
 * `headers` with `appendResponseHeader(event, name, value)`.
 */
export function createH3App(project: Project) {
  return new H3()
    .get('/api/me', (event) => respondToApi(event.req, project))
    .all('/**', async (event) => {
      const headers = new Headers();
      const cookies = createRequestCookies(event.req, headers);
      const clients = createServerClients({ ...project, cookies });
      const { status, body } = await respond(clients, event.req, () => event.req.json() as never);
      return Response.json(body, { status, headers });
    });
}
