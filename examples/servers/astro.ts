import {
  createRequestCookies,
  createServerClients,
  type ServerClients,
} from 'supabase-protocol-clients/server';
import { respond, respondToApi, type Project, withHeaders } from './routes.ts';

/** The used part of Astro's `APIContext`; an application imports `MiddlewareHandler` and `APIRoute`. */
export interface AstroContext {
  readonly request: Request;
  /** Declared in `src/env.d.ts`: `interface Locals { clients: ServerClients<Database> }`. */
  readonly locals: { clients: ServerClients };
}

/** `onRequest` of `src/middleware.ts`, for pages that are rendered on demand: provides the request's clients. */
export function createOnRequest(project: Project) {
  return async (context: AstroContext, next: () => Promise<Response>): Promise<Response> => {
    const headers = new Headers();
    const cookies = createRequestCookies(context.request, headers);
    context.locals.clients = createServerClients({ ...project, cookies });
    return withHeaders(await next(), headers);
  };
}

/** `GET` and `POST` of an endpoint. */
export async function handleContext({ request, locals }: AstroContext): Promise<Response> {
  const { status, body } = await respond(locals.clients, request, () => request.json() as never);
  return Response.json(body, { status });
}

/** `GET` of `src/pages/api/me.ts`. */
export const handleApiContext =
  (project: Project) =>
  ({ request }: Pick<AstroContext, 'request'>): Promise<Response> =>
    respondToApi(request, project);
