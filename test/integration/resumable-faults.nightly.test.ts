import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createPlatform } from '../../src/platform/index.ts';
import type { FetchFunction } from '../../src/platform/platform.ts';
import { createStorageClient, uploadResumable } from '../../src/storage-client/index.ts';
import { useLocalSupabase } from '../support/local-supabase.ts';

const supabase = useLocalSupabase({ port: 0 });

/** Sends the request with this body, or with its own. */
type Forward = (body?: Blob) => Promise<Response>;
type Fault = (forward: Forward, body: unknown) => Promise<Response>;

const statuses = [500, 502, 503, 504, 520, 524, 429, 423, 409];
const disconnect: Fault = () => Promise.reject(new TypeError('fetch failed'));
/** The service has executed the request, but its response is lost. */
const loseResponse: Fault = async (forward, body) => {
  await (await forward()).arrayBuffer();
  return disconnect(forward, body);
};
/** The connection breaks when half of the part has arrived. */
const cutPart: Fault = async (forward, body) => {
  if (body instanceof Blob) await (await forward(body.slice(0, body.size / 2))).arrayBuffer();
  return disconnect(forward, body);
};
const faults: readonly Fault[] = [
  ...statuses.map(
    (status): Fault =>
      async () =>
        new Response('refused', { status }),
  ),
  disconnect,
  loseResponse,
  cutPart,
];

/** Fails a part once, and another one with its request for the offset; then each of them succeeds. */
const pattern = [true, false, false, true, true, false, false];

/** Injects the faults in turn into requests after the creation, until the wanted number was injected. */
function createFaultyFetch(fetch: FetchFunction, wanted: number) {
  let requests = 0;
  let injected = 0;
  const faulty: FetchFunction = async (input, init) => {
    const forward: Forward = (body) => fetch(input, body ? { ...init, body } : init);
    requests += 1;
    const fault = faults[injected % faults.length];
    if (requests === 1 || injected === wanted || !fault || !pattern[(requests - 2) % pattern.length])
      return forward();
    injected += 1;
    return fault(forward, init?.body);
  };
  return { fetch: faulty, countInjected: () => injected };
}

it('an upload of 200 MB through 30 faults arrives byte for byte', { timeout: 600_000 }, async () => {
  const { url, serviceRoleKey: apiKey } = supabase();
  const platform = createPlatform();
  const storage = createStorageClient({ url, apiKey, platform });
  await storage.createBucket('large');
  const bytes = new Uint8Array(200_000_000);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = (index * 31 + (index >> 13)) & 255;
  const { fetch, countInjected } = createFaultyFetch(platform.fetch, 30);
  const faulty = { url, apiKey, platform: createPlatform({ fetch }) };
  const progress: number[] = [];
  await uploadResumable(faulty, 'large', 'film.mp4', new Blob([bytes]), {
    onProgress: (doneBytes) => progress.push(doneBytes),
  });
  expect(countInjected()).toBe(30);
  expect(progress.at(-1)).toBe(bytes.length);
  const stored = await (
    await storage.from('large').download('film.mp4', { timeoutMs: 600_000 })
  ).arrayBuffer();
  const digest = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
  expect(digest(new Uint8Array(stored))).toBe(digest(bytes));
});
