/**
 * Runs the function `notification-mails` once in a separate process, as an edge runtime does: environment and network
 * are the process's, and NOW_MS is its clock.
 */
import handle from '../../supabase/functions/notification-mails/index.ts';

const { env } = process;
const nowMs = Number(env['NOW_MS']);
const request = new Request(`${env['SUPABASE_URL']}/functions/v1/notification-mails`, {
  method: 'POST',
  headers: { apikey: env['SUPABASE_SERVICE_ROLE_KEY'] ?? '' },
});
const response = await handle(request, { env, fetch, now: () => nowMs });
console.log(await response.text());
process.exitCode = response.ok ? 0 : 1;
