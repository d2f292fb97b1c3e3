/**
 * One mail worker in a process of its own: runs the function `notification-mails` until nothing is due. Its calls go to
 * the PostgreSQL of PGHOST and PGPORT directly, without the data service in between. Prints the number of mails sent.
 *
 * Environment: that of the function, and CLOCK_OFFSET_MS, which is added to the system's clock.
 */
import { Pool } from 'pg';
import handle from '../../supabase/functions/notification-mails/index.ts';

const { env } = process;
const clockOffsetMs = Number(env['CLOCK_OFFSET_MS']);
const pool = new Pool({ max: 6 });

/** Answers `POST /rest/v1/rpc/<name>` with the result of the function. */
async function callFunction(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const name = new URL(request.url).pathname.split('/').at(-1) ?? '';
  const args = Object.entries((await request.json()) as Record<string, unknown>);
  const named = args.map(([key], index) => `${key} => $${index + 1}`).join(', ');
  const { rows } = await pool.query<{ result: unknown }>({
    name,
    text: `select public.${name}(${named}) as result`,
    values: args.map(([, value]) => value),
  });
  return Response.json(rows[0]?.result ?? null);
}

let sent = 0;
for (;;) {
  const response = await handle(
    new Request('http://localhost/notification-mails', {
      method: 'POST',
      headers: { authorization: `Bearer ${env['SUPABASE_SERVICE_ROLE_KEY']}` },
    }),
    { env, fetch: callFunction, now: () => Date.now() + clockOffsetMs },
  );
  if (!response.ok) throw new Error(await response.text());
  const report = (await response.json()) as { readonly sent: number; readonly failed: number };
  if (report.failed > 0) throw new Error(`${report.failed} mails failed`);
  if (report.sent === 0) break;
  sent += report.sent;
}
await pool.end();
console.log(sent);
