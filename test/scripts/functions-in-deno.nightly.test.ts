import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it(
  'the function notification-mails runs unchanged in Deno and mails what is due',
  { timeout: 300_000 },
  async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', 'scripts/run-functions-in-deno.ts'],
      { env: { ...process.env, FUNCTION_PORT: '6210', SMTP_PORT: '6211' } },
    );
    expect(stdout).toMatch(/Deno sent \{"sent":[1-9]\d*,"failed":0,"skipped":0\}/);
  },
);
