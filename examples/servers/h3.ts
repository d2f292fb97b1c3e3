import { H3 } from 'h3';
import { createRequestCookies, createServerClients } from 'supabase-protocol-clients/server';
import { answer, answerApi, type Project } from './routes.ts';

/**
 * H3 2, the server of Nitro 3 and Nuxt 5. In Nuxt 4, whose H3 is version 1, `toWebRequest(event)` is the request, and
 * `appendResponseHeader(event, name, value)` adds what `headers` has got.
 */
export function createH3App(project: Project) {
  return new H3()
    .get('/api/me', (event) => answerApi(event.req, project))
    .all('/**', async (event) => {
      const headers = new Headers();
      const cookies = createRequestCookies(event.req, headers);
      const clients = createServerClients({ ...project, cookies });
      const { status, body } = await answer(clients, event.req, () => event.req.json() as never);
      return Response.json(body, { status, headers });
    });
}
