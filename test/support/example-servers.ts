import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStaticHandler } from 'react-router';
import { handleApiContext, handleContext, createOnRequest } from '../../examples/servers/astro.ts';
import { createExpressApp } from '../../examples/servers/express.ts';
import { createFastifyApp } from '../../examples/servers/fastify.ts';
import { createH3App } from '../../examples/servers/h3.ts';
import { createHonoServer } from '../../examples/servers/hono.ts';
import { createNextServer } from '../../examples/servers/next.ts';
import { createRoute } from '../../examples/servers/react-router.ts';
import { createFetchServer } from '../../examples/servers/request-response.ts';
import type { Project } from '../../examples/servers/routes.ts';
import { handleApiEvent, handleEvent, createHandle } from '../../examples/servers/sveltekit.ts';

export interface ExampleServer {
  readonly send: (request: Request) => Promise<Response>;
  readonly close?: () => Promise<unknown>;
}

const isApi = (request: Request) => new URL(request.url).pathname === '/api/me';

/** Starts the Express app on a free port. */
async function startExpress(project: Project): Promise<ExampleServer> {
  const server = await new Promise<Server>((resolve) => {
    const started = createExpressApp(project).listen(0, '127.0.0.1', () => resolve(started));
  });
  const { port } = server.address() as AddressInfo;
  return {
    close: () => new Promise((resolve) => server.close(resolve)),
    async send(request) {
      const { pathname, search } = new URL(request.url);
      const body = request.method === 'POST' ? await request.text() : null;
      const { method, headers } = request;
      return fetch(`http://127.0.0.1:${port}${pathname}${search}`, { method, headers, body });
    },
  };
}

/** Sends requests into the Fastify app without a port. */
async function startFastify(project: Project): Promise<ExampleServer> {
  const app = createFastifyApp(project);
  return {
    close: () => app.close(),
    async send(request) {
      const { pathname, search } = new URL(request.url);
      const responded = await app.inject({
        method: request.method as 'GET',
        url: pathname + search,
        headers: Object.fromEntries(request.headers),
        payload: await request.text(),
      });
      const headers = Object.entries(responded.headers).flatMap(([name, value]) =>
        [value].flat().map((each): [string, string] => [name, String(each)]),
      );
      return new Response(responded.payload, { status: responded.statusCode, headers });
    },
  };
}

/** Runs the loaders and actions as React Router's own server does. */
async function startReactRouter(project: Project): Promise<ExampleServer> {
  const { page, api } = createRoute(project);
  const { queryRoute } = createStaticHandler([
    { path: '/api/me', ...api },
    { path: '*', ...page },
  ]);
  return { send: async (request) => (await queryRoute(request)) as Response };
}

/** The servers of `examples/servers`, with a function that sends a request. */
export const servers: Readonly<Record<string, (project: Project) => Promise<ExampleServer>>> = {
  'Request and Response': async (project) => ({ send: createFetchServer(project) }),
  Hono: async (project) => ({ send: createHonoServer(project) }),
  Express: startExpress,
  Fastify: startFastify,
  'H3 and Nuxt': async (project) => {
    const app = createH3App(project);
    return { send: async (request) => app.fetch(request) };
  },
  'React Router and Remix': startReactRouter,
  'Next (app router, proxy)': async (project) => ({ send: createNextServer(project) }),
  SvelteKit: async (project) => {
    const [handle, api] = [createHandle(project), handleApiEvent(project)];
    return {
      send: (request) =>
        handle({
          event: { request, locals: {} as never },
          resolve: (event) => (isApi(request) ? api(event) : handleEvent(event)),
        }),
    };
  },
  Astro: async (project) => {
    const [onRequest, api] = [createOnRequest(project), handleApiContext(project)];
    return {
      send(request) {
        const context = { request, locals: {} as never };
        return onRequest(context, () => (isApi(request) ? api(context) : handleContext(context)));
      },
    };
  },
};
