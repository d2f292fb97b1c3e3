import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalSupabase } from '../src/entries/index.ts';
import { takeHostPicture } from './host-picture.ts';

/** PGlite lacks the encoding conversions: each call crashes PostgreSQL. */
const crash = `select convert('a'::bytea, 'UTF8', 'LATIN1')`;

const openServers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap');

describe('the process that starts an embedded Supabase', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'local-supabase-host-'));
    process.exitCode = 3;
  });
  afterEach(async () => {
    process.exitCode = undefined;
    await rm(folder, { recursive: true });
  });

  it('keeps its exit code and globals during a start, after close() and after a second close()', async () => {
    const picture = takeHostPicture();
    const starting = createLocalSupabase({
      config: false,
      port: 0,
      databasePort: 0,
      mailboxPort: 0,
      smtpPort: 0,
    });
    expect(takeHostPicture()).toEqual(picture);
    const supabase = await starting;
    expect(takeHostPicture()).toEqual(picture);
    await supabase.close();
    expect(takeHostPicture()).toEqual(picture);
    await supabase.close();
    expect(takeHostPicture()).toEqual(picture);
    await expect.poll(openServers).toEqual([]);
  });

  it('keeps its exit code and globals during and after a crash of PostgreSQL', async () => {
    const picture = takeHostPicture();
    const supabase = await createLocalSupabase({ config: false });
    await expect(supabase.database.query(crash)).rejects.toMatchObject({ code: '57P02' });
    expect(takeHostPicture()).toEqual(picture);
    await supabase.close();
    expect(takeHostPicture()).toEqual(picture);
  });

  it('keeps the exit code that it sets while an instance starts or closes', async () => {
    const starting = createLocalSupabase({ config: false });
    await Promise.resolve();
    process.exitCode = 4;
    const supabase = await starting;
    expect(process.exitCode).toBe(4);
    const closing = supabase.close();
    process.exitCode = 5;
    await closing;
    expect(process.exitCode).toBe(5);
  });

  it('keeps its exit code and globals with a data folder, which listens for the exit only while it is open', async () => {
    const picture = takeHostPicture();
    const supabase = await createLocalSupabase({ config: false, dataDir: join(folder, 'data') });
    const { exit = 0 } = picture.listeners;
    expect(takeHostPicture()).toEqual({ ...picture, listeners: { ...picture.listeners, exit: exit + 1 } });
    await supabase.close();
    expect(takeHostPicture()).toEqual(picture);
  });

  it('keeps the exit code of a worker thread', async () => {
    const script = new URL('host-worker.ts', import.meta.url).href;
    const source = `import('tsx/esm/api').then(({ register }) => (register(), import(${JSON.stringify(script)})))`;
    const worker = new Worker(source, { eval: true });
    const [code] = (await once(worker, 'exit')) as [number];
    expect(code).toBe(3);
  });
});
