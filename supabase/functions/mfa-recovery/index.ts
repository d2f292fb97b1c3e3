/**
 * Replaces a lost second factor: uses up a recovery code of the caller, removes the caller's factors and ends all other
 * sessions.
 *
 * POST `{"code"}` with the caller's access token, `aal1` is enough. Answers 200 `{"factors_removed"}`, or an error with a
 * `code`: 401 `session_invalid`, 403 `recovery_code_invalid`, 409 `second_factor_missing`, 429
 * `recovery_limit_exceeded` with `retry-after`, 502 `factors_not_removed`, after which the same code may be sent again.
 *
 * The platform sets SUPABASE_URL, SUPABASE_ANON_KEY and SUPABASE_SERVICE_ROLE_KEY.
 */
import { createAuthAdmin } from '../_shared/runtime/auth-admin.ts';
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { MissingSettingError, serveFunction } from '../_shared/runtime/runtime.ts';

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, apikey, content-type, x-client-info',
  'access-control-allow-methods': 'POST',
};

interface RecoveryOutcome {
  readonly outcome: 'accepted' | 'invalid' | 'limited' | 'no_factor';
  readonly retry_after_seconds?: number;
}

export default serveFunction(async (request, runtime) => {
  if (request.method === 'OPTIONS') return new Response('ok', { headers: corsHeaders });
  if (request.method !== 'POST') return fail(405, 'method_not_allowed');
  try {
    const auth = createAuthAdmin(runtime);
    const session = await auth.verifySession(request.headers.get('authorization') ?? '');
    if (session === null) return fail(401, 'session_invalid');
    const code = await readCode(request);
    if (code === null) return fail(400, 'validation_failed');
    const used = (await createDatabaseCaller(runtime)('use_recovery_code', {
      user_id: session.userId,
      session_id: session.sessionId,
      code,
      called_at: new Date(runtime.now()).toISOString(),
    })) as RecoveryOutcome;
    switch (used.outcome) {
      case 'invalid':
        return fail(403, 'recovery_code_invalid');
      case 'limited':
        return fail(429, 'recovery_limit_exceeded', {
          'retry-after': String(used.retry_after_seconds ?? 3600),
        });
      case 'no_factor':
        return fail(409, 'second_factor_missing');
      case 'accepted':
        return await removeFactors(() => auth.removeFactors(session.userId));
    }
  } catch (problem) {
    if (problem instanceof MissingSettingError) return fail(500, 'function_misconfigured');
    throw problem;
  }
});

async function removeFactors(remove: () => Promise<number>): Promise<Response> {
  try {
    return Response.json({ factors_removed: await remove() }, { headers: corsHeaders });
  } catch (problem) {
    console.error(problem);
    return fail(502, 'factors_not_removed');
  }
}

async function readCode(request: Request): Promise<string | null> {
  const text = await request.text();
  if (text.length > 1000) return null;
  try {
    const { code } = JSON.parse(text) as { code?: unknown };
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}

function fail(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ code }, { status, headers: { ...corsHeaders, ...headers } });
}
