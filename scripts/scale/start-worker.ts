import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { dueAt } from './queue-digests.ts';

export interface WorkerProcess {
  readonly process: ChildProcess;
  /** How many mails it sent; null where it was killed. Rejects where it failed. */
  readonly ended: Promise<number | null>;
}

/** Starts a mail worker that ends when nothing is due. Its clock begins at the time at which the digests are due. */
export function startWorker(
  { host, port, user, database }: Client,
  smtpPort: number,
  env: Readonly<Record<string, string>> = {},
): WorkerProcess {
  const worker = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('mail-worker.ts', import.meta.url))],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        PGHOST: host,
        PGPORT: String(port),
        PGUSER: user,
        PGDATABASE: database,
        CLOCK_OFFSET_MS: String(Date.parse(dueAt) - Date.now()),
        SUPABASE_URL: 'http://localhost',
        SUPABASE_SERVICE_ROLE_KEY: 'service',
        APP_URL: 'http://localhost:5173',
        MAIL_FROM: 'Tidings <notifications@example.com>',
        SMTP_HOST: '127.0.0.1',
        SMTP_PORT: String(smtpPort),
        ...env,
      },
    },
  );
  const exited = new Promise<NodeJS.Signals | number | null>((resolve) => {
    worker.once('exit', (code, signal) => resolve(signal ?? code));
  });
  const finish = async () => {
    const printed = await text(worker.stdout);
    const result = await exited;
    if (result === 'SIGKILL') return null;
    if (result !== 0) throw new Error(`A mail worker ended with ${result}`);
    return Number(printed);
  };
  return { process: worker, ended: finish() };
}
