/**
 * Replaces a lost second factor: uses up a recovery code of the caller, removes the caller's factors and ends all other
 * sessions.
 *
 * POST `{"code"}` with the caller's access token, `aal1` is enough. Answers 200 `{"factors_removed"}`, or an error with a
 * `code`: 400 `validation_failed`, 401 `session_invalid`, 403 `recovery_code_invalid`, 409 `second_factor_missing`, 429
 * `recovery_limit_exceeded` with `retry-after`, 502 `factors_not_removed`, after which the same code may be sent again.
 *
 * The platform sets SUPABASE_URL, SUPABASE_ANON_KEY and SUPABASE_SERVICE_ROLE_KEY.
 */
import * as z from 'zod/mini';
import { createAuthAdmin } from '../_shared/runtime/auth-admin.ts';
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { parseRequestJson } from '../_shared/runtime/parse.ts';
import { answerError, serveFunction } from '../_shared/runtime/runtime.ts';

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, apikey, content-type, x-client-info',
  'access-control-allow-methods': 'POST',
};

const requestSchema = z.object({ code: z.string().check(z.maxLength(1000)) });
const useSchema = z.object({
  outcome: z.enum(['accepted', 'invalid', 'limited', 'no_factor']),
  retry_after_seconds: z.optional(z.number()),
});

export default serveFunction({ methods: ['POST'], headers: corsHeaders }, async (request, runtime) => {
  const auth = createAuthAdmin(runtime);
  const session = await auth.verifySession(request.headers.get('authorization') ?? '');
  if (session === null)
    return answerError(401, 'session_invalid', 'The session has ended, or its token is not valid');
  const { code } = parseRequestJson(requestSchema, await request.text());
  const { outcome, retry_after_seconds: retryAfterSeconds = 3600 } = await createDatabaseCaller(runtime)(
    'use_recovery_code',
    {
      user_id: session.userId,
      session_id: session.sessionId,
      code,
      called_at: new Date(runtime.now()).toISOString(),
    },
    useSchema,
  );
  switch (outcome) {
    case 'invalid':
      return answerError(403, 'recovery_code_invalid', 'The recovery code is not valid');
    case 'limited':
      return answerError(429, 'recovery_limit_exceeded', 'Too many wrong recovery codes', {
        'retry-after': String(retryAfterSeconds),
      });
    case 'no_factor':
      return answerError(409, 'second_factor_missing', 'The account has no verified factor');
    case 'accepted':
      return removeFactors(() => auth.removeFactors(session.userId));
  }
});

async function removeFactors(remove: () => Promise<number>): Promise<Response> {
  try {
    return Response.json({ factors_removed: await remove() });
  } catch (problem) {
    console.error(problem);
    return answerError(502, 'factors_not_removed', 'The factors were not removed. Send the same code again.');
  }
}
