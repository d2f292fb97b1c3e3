import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { createRequestCookies, createServerClients } from 'supabase-protocol-clients/server';
import { respond, respondToApi, type Project } from './routes.ts';

/**
 * React Router 7 in framework mode, and Remix: the `loader` and the `action` of a route. A loader that renders a page
 * returns `data(rows, { headers })`, and its route forwards them: `export const headers = ({ loaderHeaders }) =>
 * loaderHeaders`.
 */
export function createRoute(project: Project) {
  const handle = async ({ request }: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response> => {
    const headers = new Headers();
    const cookies = createRequestCookies(request, headers);
    const clients = createServerClients({ ...project, cookies });
    const { status, body } = await respond(clients, request, () => request.json() as never);
    return Response.json(body, { status, headers });
  };
  return {
    page: { loader: handle, action: handle },
    api: { loader: ({ request }: LoaderFunctionArgs) => respondToApi(request, project) },
  };
}
