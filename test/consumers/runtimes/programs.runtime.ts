import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { beforeAll, expect, it } from 'vitest';
import { ada, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { useConsumer } from '../support/consumer.ts';
import { commandOf, installRuntimes, type RuntimeName, runtimeNames } from '../support/runtimes.ts';

const supabase = useLocalSupabase({ port: 0 });
const consumer = useConsumer('runtimes', ['ws', '@types/ws', '@types/node']);
beforeAll(installRuntimes);
beforeAll(() => consumer().compile(['journey.ts', 'main.ts', 'common.cts']));

/** Runs a script of the consumer, and inserts a row when its channel is live. */
async function run(runtime: RuntimeName, script: string) {
  const { url, anonKey, database } = supabase();
  const { program, flags } = commandOf(runtime);
  const child = spawn(program, [...flags, script, url, anonKey, ada.email, seedPassword], {
    cwd: consumer().folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const steps: unknown[] = [];
  for await (const line of createInterface(child.stdout)) {
    const step = JSON.parse(line) as object;
    steps.push(step);
    if ('live' in step)
      await database.query(`insert into public.notifications (recipient_id, content) values ($1, $2)`, [
        ada.id,
        `for ${runtime}`,
      ]);
  }
  const exitCode = await ended;
  if (exitCode !== 0) throw new Error(`${runtime} ended with ${String(exitCode)}: ${errors}`);
  return steps;
}

it.each(runtimeNames)('signs in, reads, receives a change and signs out in %s', async (runtime) => {
  const steps = await run(runtime, 'main.js');
  expect(steps).toEqual([
    { signedIn: ada.email, rows: 1 },
    { live: true },
    { arrived: `for ${runtime}` },
    { revoked: true, status: 'signed-out' },
  ]);
});

it.each(runtimeNames)('is loaded by require in %s, with the types of CommonJS', async (runtime) => {
  const steps = await run(runtime, 'common.cjs');
  expect(steps).toEqual([{ code: 'invalid_credentials' }, { signedIn: ada.email }]);
});
