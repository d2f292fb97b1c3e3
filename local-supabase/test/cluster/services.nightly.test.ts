import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Runs tests of the services, and the daily audits, on PostgreSQL 17 in place of PGlite. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const files = [
  'rest',
  'storage',
  'storage/versions',
  'storage/listings',
  'storage/resumable-uploads',
  'storage/large-uploads',
  'delivery',
  'functions',
  'hooks',
  'gateway',
  'vendor-clients',
  'mailbox',
  'request-path',
  'foreign-pages',
  'types/types',
  'smtp-mailer',
].map((name) => `local-supabase/test/${name}.test.ts`);

it(
  'the tests of the services and the daily audits pass on PostgreSQL 17',
  { timeout: 1_200_000 },
  async () => {
    const { NIGHTLY: _, ...environment } = process.env;
    const run = spawn(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        ...files,
        'conformance/test/local.test.ts',
        'test/integration/rest',
      ],
      {
        cwd: root,
        env: { ...environment, LOCAL_SUPABASE_POSTGRES: '17', NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const ended = once(run, 'close');
    const output = await text(run.stdout);
    await ended;
    expect(output).toMatch(/Tests +\d+ passed \(/);
    expect(output.match(/^.*[×].*$/gm) ?? []).toEqual([]);
  },
);
