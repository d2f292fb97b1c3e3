/**
 * The address of the header List-Unsubscribe: `?token=…&kind=…`, without a kind for all mails.
 *
 * GET changes nothing, because mail scanners follow links: it leads to the application's page `unsubscribe.html`, since a
 * hosted project delivers HTML of functions as plain text. POST acts: `List-Unsubscribe=One-Click` of mail programs
 * (RFC 8058), or the page's form fields `token`, `kind` and `action`: `show`, `unsubscribe`, `undo`. It answers
 * `{"kind", "is_off", "language"}`, or 400 for a token that is forged or has ended.
 *
 * Environment: APP_URL. The platform sets SUPABASE_URL and SUPABASE_SERVICE_ROLE_KEY.
 */
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { MissingSettingError, requireSetting, serveFunction } from '../_shared/runtime/runtime.ts';

/** Kinds that have a switch of their own. */
const switchedKinds: ReadonlySet<string> = new Set(['mention', 'message', 'comment', 'edit', 'invite']);

export default serveFunction(async (request, runtime) => {
  const query = new URL(request.url).searchParams;
  try {
    if (request.method === 'GET') {
      const appUrl = requireSetting(runtime.env, 'APP_URL').replace(/\/+$/, '');
      // The token is in the fragment: it reaches no log of the application's host.
      return new Response(null, {
        status: 303,
        headers: { location: `${appUrl}/unsubscribe.html#${query.toString()}` },
      });
    }
    if (request.method !== 'POST') return answer(405, { message: 'Only GET and POST are allowed' });
    const form = new URLSearchParams(await request.text());
    const action = form.get('action') ?? 'unsubscribe';
    const kind = form.get('kind') ?? query.get('kind') ?? '';
    const subscription = await createDatabaseCaller(runtime)('unsubscribe_from_mails', {
      token: form.get('token') ?? query.get('token') ?? '',
      kind: switchedKinds.has(kind) ? kind : null,
      undo: action === 'undo',
      dry_run: action === 'show',
      called_at: new Date(runtime.now()).toISOString(),
    });
    return subscription
      ? answer(200, subscription)
      : answer(400, { message: 'The link has expired or is incomplete' });
  } catch (problem) {
    if (problem instanceof MissingSettingError) return answer(500, { message: problem.message });
    throw problem;
  }
});

/** The token alone entitles; pages of every origin may read the answer. */
function answer(status: number, body: object): Response {
  return Response.json(body, {
    status,
    headers: { 'access-control-allow-origin': '*', 'cache-control': 'no-store' },
  });
}
