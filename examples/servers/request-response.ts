import { createRequestCookies, createServerClients } from 'supabase-protocol-clients/server';
import { respond, respondToApi, type Project } from './routes.ts';

/** Plain Request and Response: Deno, Bun, Cloudflare Workers, … */
export function createFetchServer(project: Project) {
  return async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname === '/api/me') return respondToApi(request, project);
    const headers = new Headers();
    const cookies = createRequestCookies(request, headers);
    const clients = createServerClients({ ...project, cookies });
    const { status, body } = await respond(clients, request, () => request.json() as never);
    return Response.json(body, { status, headers });
  };
}
