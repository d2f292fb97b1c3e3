/**
 * The address of the header List-Unsubscribe: `?token=…&kind=…`, without a kind for all mails.
 *
 * GET changes nothing, because mail scanners follow links: it leads to the application's page `unsubscribe.html`, since a
 * hosted project delivers HTML of functions as plain text. POST acts: `List-Unsubscribe=One-Click` of mail programs (RFC
 * 8058), or the page's form fields `token`, `kind` and `action`: `show`, `unsubscribe`, `undo`. It returns `{"kind",
 * "label", "is_off", "language"}`, the label of a registered kind, or 400 for a token that is forged or has ended.
 *
 * Environment: APP_URL. The platform sets SUPABASE_URL and SUPABASE_SECRET_KEYS.
 */
import * as z from 'zod/mini';
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { parseRequest } from '../_shared/runtime/parse.ts';
import { errorResponse, requireSetting, serveFunction } from '../_shared/runtime/runtime.ts';

/** Only the token authorizes; pages of every origin may read the response. */
const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' };

const formSchema = z.object({
  token: z.optional(z.string()),
  kind: z.optional(z.string()),
  action: z.optional(z.enum(['show', 'unsubscribe', 'undo'])),
});
const subscriptionSchema = z.nullable(
  z.object({
    kind: z.nullable(z.string()),
    label: z.nullable(z.string()),
    is_off: z.boolean(),
    language: z.string(),
  }),
);

export default serveFunction({ methods: ['GET', 'POST'], headers }, async (request, runtime) => {
  const query = new URL(request.url).searchParams;
  if (request.method === 'GET') {
    const appUrl = requireSetting(runtime.env, 'APP_URL').replace(/\/+$/, '');
    // The token is in the fragment: it reaches no log of the application's host.
    return new Response(null, {
      status: 303,
      headers: { location: `${appUrl}/unsubscribe.html#${query.toString()}` },
    });
  }
  const form = new URLSearchParams(await request.text());
  const { token = '', kind = '', action } = parseRequest(formSchema, Object.fromEntries([...query, ...form]));
  const subscription = await createDatabaseCaller(runtime)(
    'unsubscribe_from_mails',
    {
      token,
      kind,
      undo: action === 'undo',
      dry_run: action === 'show',
      called_at: new Date(runtime.now()).toISOString(),
    },
    subscriptionSchema,
  );
  return subscription === null
    ? errorResponse(400, 'token_invalid', 'The link has expired or is incomplete')
    : Response.json(subscription);
});
