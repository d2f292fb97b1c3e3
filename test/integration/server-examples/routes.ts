import type { ServerClients } from '../../../src/clients/server.ts';

/** The project and the fetch of the embedded Supabase. */
export interface Project {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
}

/** What a route answers, in the same way for every framework. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The routes of the example application: sign in, callback, sign out, and a page for the signed-in user. */
export async function answer(
  { auth, rest }: ServerClients,
  request: { readonly method: string; readonly url: string },
  readBody: () => Promise<{ readonly email: string; readonly password: string }>,
): Promise<Answer> {
  const { pathname } = new URL(request.url);
  switch (`${request.method} ${pathname}`) {
    case 'POST /login': {
      const { email, password } = await readBody();
      const { user } = await auth.signInWithPassword({ email, password });
      return { status: 200, body: { email: user.email } };
    }
    case 'POST /login/provider': {
      const { url } = await auth.signInWithOAuth({
        provider: 'github',
        redirectTo: 'https://app.test/callback',
      });
      return { status: 200, body: { url } };
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
