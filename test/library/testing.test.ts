import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { libraryName } from '../../scripts/library/library-entries.ts';
import { createFakeClock, createRecordedWire, createTestClients } from '../../src/testing/index.ts';
import { readExamples } from './examples.ts';
import { createPostgresChanges } from '../../src/realtime-client/changes/postgres-changes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Examples that import a test runner run in `test/library/page`.
const examples = readExamples(root, ['src/testing', 'docs/clients/testing.md']).filter(
  ({ code }) => code.includes(`${libraryName}/testing'`) && !code.includes(`from 'vitest'`),
);

describe('the examples of the testing entry', () => {
  it.each(examples.map(({ where, code }) => [where, code] as const))('%s runs', async (_where, code) => {
    const folder = await mkdtemp(join(tmpdir(), 'testing-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'node_modules'));
    await symlink(inject('library').folder, join(folder, 'node_modules', libraryName));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    // The example represents a test: its types are erased, and its assertions throw.
    await writeFile(join(folder, 'example.ts'), code);
    const tsx = join(root, 'node_modules/tsx/dist/loader.mjs');
    const { status, stderr } = spawnSync(process.execPath, ['--import', tsx, 'example.ts'], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('createTestClients', () => {
  it('refreshes the token when its hour ends', async () => {
    const { auth, wire, clock, close } = await createTestClients();
    onTestFinished(close);
    const first = await auth.getAccessToken();
    await clock.advance(3_600_000);
    expect(await auth.getAccessToken()).not.toBe(first);
    expect(wire.requests.some(({ path }) => path.includes('grant_type=refresh_token'))).toBe(true);
  });

  it('is signed out where user is null', async () => {
    const { auth, close } = await createTestClients({ user: null });
    onTestFinished(close);
    expect(auth.getSnapshot().status).toBe('signed-out');
  });

  it('sends a change only to the channels whose event and filter match', async () => {
    const { realtime, clock, emitChange, close } = await createTestClients();
    onTestFinished(close);
    const received: string[] = [];
    for (const owner of ['ada', 'grace']) {
      const channel = realtime.channel(owner);
      const binding = { event: 'INSERT', table: 'notes', filter: `owner=eq.${owner}` } as const;
      createPostgresChanges(channel).on(binding, () => received.push(owner));
      channel.join();
    }
    await clock.advance(1_000);
    emitChange({ type: 'INSERT', table: 'notes', record: { id: 1, owner: 'ada' } });
    emitChange({ type: 'UPDATE', table: 'notes', record: { id: 1, owner: 'grace' }, oldRecord: { id: 1 } });
    emitChange({ type: 'INSERT', table: 'other', record: { id: 1, owner: 'grace' } });
    await clock.advance(1_000);
    expect(received).toEqual(['ada']);
  });
});

describe('createRecordedWire', () => {
  it('responds from the queue, then from routes, and refuses what the script lacks', async () => {
    const wire = createRecordedWire();
    wire.on('POST /a', ({ body }) => Response.json({ got: body }));
    wire.next(new Response('first'));
    expect(await (await wire.fetch('http://x.test/a?b=1')).text()).toBe('first');
    const posted = await wire.fetch('http://x.test/a', { method: 'POST', body: '{"c":2}' });
    expect(await posted.json()).toEqual({ got: { c: 2 } });
    await expect(wire.fetch('http://x.test/a')).rejects.toThrow('no reply to GET /a');
    expect(wire.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /a?b=1',
      'POST /a',
      'GET /a',
    ]);
  });

  it('ends a pending request that is aborted', async () => {
    const wire = createRecordedWire();
    wire.on('GET /a', () => new Promise<Response>(() => {}));
    const call = new AbortController();
    const reply = wire.fetch('http://x.test/a', { signal: call.signal });
    call.abort(new Error('Aborted by the caller'));
    await expect(reply).rejects.toThrow('Aborted by the caller');
  });
});

describe('createFakeClock', () => {
  it('runs timers in the order of their moments, also those that timers set', async () => {
    const clock = createFakeClock(0);
    const ran: string[] = [];
    clock.setTimer(() => ran.push(`late ${clock.now()}`), 30);
    clock.setTimer(() => {
      ran.push(`early ${clock.now()}`);
      clock.setTimer(() => ran.push(`nested ${clock.now()}`), 10);
    }, 10);
    clock.setTimer(() => ran.push('canceled'), 5).cancel();
    await clock.advance(25);
    expect(ran).toEqual(['early 10', 'nested 20']);
    await clock.advance(5);
    expect(ran).toEqual(['early 10', 'nested 20', 'late 30']);
    expect(clock.pendingTimers).toBe(0);
  });
});
