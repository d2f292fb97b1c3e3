/**
 * `npm run deno`: runs the function `notification-mails` in Deno, as the edge runtime does, against an embedded Supabase,
 * and fails unless it mails what is due. The package manager downloads Deno; `DENO=path` names another binary.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createLocalSupabase } from 'local-supabase';

const denoPackage = 'deno@2.9.6';
const adaId = 'ada00000-0000-4000-8000-000000000001';
const workerSecret = 'the secret of the workers';
const startWithinMs = 120_000;
const functionPort = Number(process.env['FUNCTION_PORT'] ?? '54329');
const smtpPort = Number(process.env['SMTP_PORT'] ?? '54325');

const supabase = await createLocalSupabase({ port: 0, smtpPort });
const folder = fileURLToPath(new URL('../supabase/functions/notification-mails/', import.meta.url));
const { DENO: binary, ...environment } = process.env;
const command = binary ? [binary] : ['npx', '--yes', `--package=${denoPackage}`, 'deno'];
const child = spawn(
  command[0] ?? 'npx',
  [
    ...command.slice(1),
    'run',
    '--allow-net',
    '--allow-env',
    '--allow-read',
    '--allow-sys',
    '--config',
    `${folder}deno.json`,
    '--no-lock',
    `${folder}index.ts`,
  ],
  {
    stdio: 'inherit',
    detached: true,
    env: {
      ...environment,
      DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${functionPort}`,
      SUPABASE_URL: supabase.url,
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: supabase.secretKey }),
      WORKER_SECRET: workerSecret,
      APP_URL: 'http://localhost:5173',
      MAIL_FROM: 'Tidings <notifications@inbox.test>',
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(smtpPort),
    },
  },
);
try {
  await supabase.database.query(
    `insert into notifications (recipient_id, content) values ($1, '{"type":"mention","data":{"entity_name":"Notes"}}')`,
    [adaId],
  );
  const report = await callFunction();
  const { subject } = await supabase.mailbox.waitFor({ to: 'ada@example.com' });
  console.log(`Deno sent ${report} as “${subject}”.`);
} finally {
  if (child.pid !== undefined) process.kill(-child.pid);
  await supabase.close();
}

/** Repeats the call until Deno listens. */
async function callFunction(): Promise<string> {
  const endMs = performance.now() + startWithinMs;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${functionPort}/notification-mails`, {
      method: 'POST',
      headers: { 'x-worker-secret': workerSecret },
      body: JSON.stringify({ due_before: new Date(Date.now() + 2 * 86_400_000).toISOString() }),
    }).catch(() => null);
    if (response?.ok) return response.text();
    if (response) throw new Error(`notification-mails answered ${response.status}: ${await response.text()}`);
    if (performance.now() > endMs) throw new Error('Deno did not start');
    await new Promise((resolve) => {
      setTimeout(resolve, 250);
    });
  }
}
