import { createRequestCookies, createServerClients } from '../../../src/clients/server.ts';
import { createBrowserPlatform } from '../../../src/platform/index.ts';
import { answer, type Project } from './routes.ts';

/** Plain Request and Response: Deno, Bun, Cloudflare Workers, SvelteKit, Remix, Astro, … */
export function createFetchServer({ url, apiKey, fetch }: Project) {
  const platform = createBrowserPlatform({ fetch });
  return async (request: Request): Promise<Response> => {
    const headers = new Headers();
    const cookies = createRequestCookies(request, headers);
    const clients = createServerClients({ url, apiKey, cookies, platform });
    const { status, body } = await answer(clients, request, () => request.json() as never);
    return Response.json(body, { status, headers });
  };
}
