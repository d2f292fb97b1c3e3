import { AuthError } from 'supabase-protocol-clients/auth-client';
import { type ServerClients, verifyRequest } from 'supabase-protocol-clients/server';

/** The project. In tests `fetch` is that of the embedded Supabase. */
export interface Project {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** The result of a route, for every framework. */
export interface RouteResponse {
  readonly status: number;
  readonly body: unknown;
}

/** The routes of the example application: sign in, callback, sign out, and a page for the signed-in user. */
export async function respond(
  { auth, rest }: ServerClients,
  request: { readonly method: string; readonly url: string },
  readBody: () => Promise<{ readonly email: string; readonly password: string }>,
): Promise<RouteResponse> {
  const { pathname } = new URL(request.url);
  switch (`${request.method} ${pathname}`) {
    case 'POST /login': {
      const { email, password } = await readBody();
      const { user } = await auth.signInWithPassword({ email, password });
      return { status: 200, body: { email: user.email } };
    }
    case 'GET /callback': {
      const { status, callbackError } = await auth.handleCallback(request.url);
      return { status: callbackError ? 400 : 200, body: { status, code: callbackError?.code ?? null } };
    }
    case 'POST /logout':
      return { status: 200, body: await auth.signOut({ scope: 'local' }) };
    case 'GET /me': {
      if (!(await auth.getAccessToken())) return { status: 401, body: null };
      const { email } = await auth.getUser();
      const unread = await rest.from('notifications').count();
      return { status: 200, body: { email, hasCount: typeof unread === 'number' } };
    }
    default:
      return { status: 404, body: null };
  }
}

/** The route of the example's API, for a user's bearer token or a session in cookies. */
export async function respondToApi(request: Request, project: Project): Promise<Response> {
  const headers = new Headers();
  try {
    const options = { ...project, allow: 'user', responseHeaders: headers } as const;
    const { claims, rest } = await verifyRequest(request, options);
    const count = await rest.from('notifications').count();
    return Response.json({ user: claims?.sub, hasCount: typeof count === 'number' }, { headers });
  } catch (problem) {
    if (!(problem instanceof AuthError && problem.code === 'no_authorization')) throw problem;
    return Response.json({ error: problem.message }, { status: problem.status ?? 401, headers });
  }
}

/** Returns the response with further headers; those of redirects are immutable. */
export function withHeaders(response: Response, headers: Headers): Response {
  const changed = new Response(response.body, response);
  headers.forEach((value, name) => changed.headers.append(name, value));
  return changed;
}
