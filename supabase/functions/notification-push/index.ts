/**
 * Sends the push messages that are due. Called every ten seconds by `private.call_push_worker()`, with the service key.
 *
 * POST without a body. Answers `{"sent", "failed", "skipped"}`.
 *
 * Environment: VAPID_SUBJECT (a `mailto:` or `https:` address of the operator), VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY;
 * PUSH_HOSTS where other push services than the browsers' own are allowed. The platform sets SUPABASE_URL and
 * SUPABASE_SERVICE_ROLE_KEY.
 */
import { createPushTransport } from '../_shared/push/push-transport.ts';
import { sendDuePushMessages } from '../_shared/push/send-due-push-messages.ts';
import { createDatabaseCaller } from '../_shared/runtime/database-functions.ts';
import { MissingSettingError, serveFunction } from '../_shared/runtime/runtime.ts';
import { hasServiceKey } from '../_shared/runtime/service-key.ts';

/** A run ends before the platform ends it. */
const runMs = 50_000;

export default serveFunction(async (request, runtime) => {
  if (request.method !== 'POST') return answer(405, { message: 'Only POST is allowed' });
  try {
    if (!hasServiceKey(request, runtime.env)) return answer(403, { message: 'The service key is needed' });
    const report = await sendDuePushMessages({
      callDatabase: createDatabaseCaller(runtime),
      transport: createPushTransport(runtime),
      now: runtime.now,
      stopAtMs: performance.now() + runMs,
    });
    return answer(200, report);
  } catch (problem) {
    if (problem instanceof MissingSettingError) return answer(500, { message: problem.message });
    throw problem;
  }
});

function answer(status: number, body: object): Response {
  return Response.json(body, { status });
}
