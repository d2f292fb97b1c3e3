/**
 * One mail worker in a separate process: runs the function `notification-mails` until nothing is due. Its calls go to the
 * PostgreSQL of PGHOST and PGPORT directly, without the data service in between. Prints the number of mails sent.
 *
 * Environment: that of the function; CLOCK_OFFSET_MS, which is added to the system's clock; FAILING_SHARE of the acknowledgments that
 * get a 503; KILL_AT a step, and KILL_OCCURRENCE, at which the process kills itself.
 */
import { Pool } from 'pg';
import handle from '../../supabase/functions/notification-mails/index.ts';

const { env } = process;
const clockOffsetMs = Number(env['CLOCK_OFFSET_MS']);
const failingShare = Number(env['FAILING_SHARE'] ?? '0');
const pool = new Pool({ max: 6 });
let reached = 0;

function reach(step: string): void {
  if (step !== env['KILL_AT']) return;
  reached += 1;
  if (reached === Number(env['KILL_OCCURRENCE'])) process.kill(process.pid, 'SIGKILL');
}

/**
 * Responds to `POST /rest/v1/rpc/<name>` with the result of the function. Half of the failing acknowledgments are
 * executed first.
 */
async function callFunction(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const name = new URL(request.url).pathname.split('/').at(-1) ?? '';
  const args = Object.entries((await request.json()) as Record<string, unknown>);
  const step = name.startsWith('claim_') ? 'claim' : 'acknowledgment';
  reach(`before the ${step}`);
  const chance = step === 'claim' ? 1 : Math.random();
  if (chance < failingShare / 2) return new Response(null, { status: 503 });
  const named = args.map(([key], index) => `${key} => $${index + 1}`).join(', ');
  const { rows } = await pool.query<{ result: unknown }>({
    name,
    text: `select public.${name}(${named}) as result`,
    values: args.map(([, value]) => value),
  });
  reach(`after the ${step}`);
  if (chance < failingShare) return new Response(null, { status: 503 });
  return Response.json(rows[0]?.result ?? null);
}

let sent = 0;
for (;;) {
  const response = await handle(
    new Request('http://localhost/notification-mails', {
      method: 'POST',
      headers: { apikey: env['SUPABASE_SERVICE_ROLE_KEY'] ?? '' },
    }),
    { env, fetch: callFunction, now: () => Date.now() + clockOffsetMs },
  );
  if (!response.ok) throw new Error(await response.text());
  const report = (await response.json()) as { readonly sent: number; readonly failed: number };
  if (report.failed > 0 && failingShare === 0) throw new Error(`${report.failed} mails failed`);
  if (report.sent === 0) break;
  sent += report.sent;
}
await pool.end();
console.log(sent);
