import {
  createRequestCookies,
  createServerClients,
  type ServerClients,
} from 'supabase-protocol-clients/server';
import { respond, respondToApi, type Project, withHeaders } from './routes.ts';

/** The used part of SvelteKit's `RequestEvent`; an application imports `Handle` and `RequestHandler`. */
export interface RequestEvent {
  readonly request: Request;
  /** Declared in `src/app.d.ts`: `interface Locals { clients: ServerClients<Database> }`. */
  readonly locals: { clients: ServerClients };
}

/** `handle` of `src/hooks.server.ts`: provides pages, actions and endpoints with the request's clients. */
export function createHandle(project: Project) {
  return async <Event extends RequestEvent>({
    event,
    resolve,
  }: {
    readonly event: Event;
    readonly resolve: (event: Event) => Response | Promise<Response>;
  }): Promise<Response> => {
    const headers = new Headers();
    const cookies = createRequestCookies(event.request, headers);
    event.locals.clients = createServerClients({ ...project, cookies });
    return withHeaders(await resolve(event), headers);
  };
}

/** `GET` and `POST` of a `+server.ts`. */
export async function handleEvent({ request, locals }: RequestEvent): Promise<Response> {
  const { status, body } = await respond(locals.clients, request, () => request.json() as never);
  return Response.json(body, { status });
}

/** `GET` of `src/routes/api/me/+server.ts`. */
export const handleApiEvent =
  (project: Project) =>
  ({ request }: Pick<RequestEvent, 'request'>): Promise<Response> =>
    respondToApi(request, project);
