import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalSupabase, type LocalSupabase } from '../../src/server/server.ts';

const MIB = 1024 * 1024;
const LIMIT_MIB = 115;
let folder: string;
let supabase: LocalSupabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'large-'));
  supabase = await createLocalSupabase({
    config: false,
    dataDir: folder,
    port: 0,
    storage: { fileSizeLimitBytes: LIMIT_MIB * MIB },
  });
  await ask('/bucket', { method: 'POST', body: '{"name":"large"}', type: 'application/json' });
}, 120_000);
afterAll(async () => {
  await supabase.close();
  await rm(folder, { recursive: true, force: true });
});

interface Asked {
  readonly method?: string;
  readonly body?: BodyInit;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
const ask = (path: string, { method = 'GET', body, type, headers }: Asked = {}) =>
  fetch(`${supabase.url}/storage/v1${path}`, {
    method,
    headers: {
      apikey: supabase.serviceRoleKey,
      authorization: `Bearer ${supabase.serviceRoleKey}`,
      ...(type !== undefined && { 'content-type': type }),
      ...headers,
    },
    ...(body !== undefined && { body, duplex: 'half' }),
  });

/** A body that is generated while it is sent, and the peak memory of buffers meanwhile. */
function countingBody(sizeMib: number): { readonly body: ReadableStream; maxMib(): number } {
  const before = process.memoryUsage().arrayBuffers;
  let [sent, most] = [0, 0];
  const chunk = new Uint8Array(MIB).fill(7);
  const body = new ReadableStream({
    pull(controller) {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      if (sent === sizeMib) controller.close();
      else controller.enqueue(chunk);
      sent += 1;
    },
  });
  return { body, maxMib: () => most / MIB };
}

describe('an upload above 100 MiB', { timeout: 300_000 }, () => {
  it('is stored and read in parts, up to the limit of the project', async () => {
    const { body, maxMib } = countingBody(110);
    const stored = await ask('/object/large/a.bin', { method: 'POST', body, type: 'application/json' });
    expect([stored.status, await stored.json()]).toEqual([
      200,
      { Id: expect.any(String) as string, Key: 'large/a.bin' },
    ]);
    expect(maxMib()).toBeLessThan(100);
    const whole = await ask('/object/large/a.bin');
    let received = 0;
    for await (const chunk of whole.body ?? []) received += (chunk as Uint8Array).length;
    expect(received).toBe(110 * MIB);
    const range = await ask('/object/large/a.bin', { headers: { range: 'bytes=-3' } });
    expect([...new Uint8Array(await range.arrayBuffer())]).toEqual([7, 7, 7]);
    expect(range.headers.get('content-range')).toBe(`bytes ${110 * MIB - 3}-${110 * MIB - 1}/${110 * MIB}`);
  });

  it("is refused in storage's words above the limit, and leaves no file behind", async () => {
    const files = () => readdir(join(folder, 'storage'));
    const before = await files();
    const { body } = countingBody(LIMIT_MIB + 10);
    const refused = await ask('/object/large/b.bin', { method: 'POST', body });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        statusCode: '413',
        code: 'EntityTooLarge',
        error: 'Payload too large',
        message: 'The object exceeded the maximum allowed size',
      },
    ]);
    expect(await files()).toEqual(before);
    expect((await ask('/bucket/large')).status).toBe(200);
  });

  it('to a bucket that does not exist is refused without being read', async () => {
    const { body } = countingBody(110);
    const refused = await ask('/object/none/a.bin', { method: 'POST', body });
    await expect(refused.json()).resolves.toMatchObject({ code: 'NoSuchBucket' });
  });
});

it('a body of 200 MiB to another service gets 413, and the next request is served', async () => {
  const upload = (bytes: number) =>
    fetch(`${supabase.url}/rest/v1/none`, {
      method: 'POST',
      headers: { apikey: supabase.serviceRoleKey },
      body: new Uint8Array(bytes),
    });
  expect((await upload(200 * MIB)).status).toBe(413);
  expect([400, 404]).toContain((await upload(10)).status);
});
