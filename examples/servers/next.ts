import { RequestCookies, ResponseCookies } from '@edge-runtime/cookies';
import { createServerClients } from 'supabase-protocol-clients/server';
import { respond, respondToApi, type Project } from './routes.ts';

/**
 * The used parts of `next/server` and `next/headers`, built from the package that implements Next's cookies, because
 * Next itself is 226 MB.
 */
class NextRequest extends Request {
  readonly cookies = new RequestCookies(this.headers);
}
class NextResponse extends Response {
  readonly cookies = new ResponseCookies(this.headers);
}

/** Next's app router. In an application the two functions are in `proxy.ts` and `app/[...path]/route.ts`. */
export function createNextServer(project: Project) {
  /** Refreshes the session before rendering, for the page (request) and for the browser (response). */
  const middleware = async (request: NextRequest) => {
    const response = new NextResponse();
    const { auth } = createServerClients({
      ...project,
      cookies: {
        getAll: () => request.cookies.getAll(),
        setAll(cookies, headers) {
          for (const { name, value, options } of cookies) {
            if (options.maxAge > 0) request.cookies.set(name, value);
            else request.cookies.delete(name);
            response.cookies.set(name, value, options);
          }
          for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
        },
      },
    });
    await auth.getAccessToken().catch(() => null);
    return response;
  };

  /** A route handler; `cookieStore` is `await cookies()` from `next/headers`. */
  const routeHandler = async (
    request: NextRequest,
    cookieStore: RequestCookies,
    response: ResponseCookies,
  ) => {
    const clients = createServerClients({
      ...project,
      cookies: {
        getAll: () => cookieStore.getAll(),
        setAll: (cookies) =>
          cookies.forEach(({ name, value, options }) => response.set(name, value, options)),
      },
    });
    const { status, body } = await respond(clients, request, () => request.json() as never);
    return { status, body };
  };

  return async (incoming: Request): Promise<Response> => {
    const request = new NextRequest(incoming);
    if (new URL(request.url).pathname === '/api/me') return respondToApi(request, project);
    const fromMiddleware = await middleware(request);
    const headers = new Headers(fromMiddleware.headers);
    const { status, body } = await routeHandler(request, request.cookies, new ResponseCookies(headers));
    return Response.json(body, { status, headers });
  };
}
