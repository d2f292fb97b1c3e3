import { expect, test } from 'vitest';
import { createClient, PostgrestError } from '../../src/compat/index.ts';
import { json } from '../support/wire/replies.ts';

/** The vendor's client returns an error as the server sent it, and throws an instance. */
function respondWith(reply: () => Response) {
  const fetch = async () => reply();
  return createClient('https://project.test', 'anon-key', { global: { fetch } }).from('notes').select('id');
}
const body = { code: '42501', message: 'permission denied', details: null, hint: null };
const refused = () => respondWith(() => json(body, { status: 403 }));

test('a returned error is a plain object with the fields of the server, including nulls', async () => {
  const { error, status } = await refused();
  expect(error).toEqual(body);
  expect(Object.assign({}, error)).toEqual(body);
  expect([error instanceof Error, status]).toEqual([false, 403]);
});

test('a returned error has the native one as a hidden member', async () => {
  const { error } = await refused();
  expect((error as unknown as Error).cause).toMatchObject({ name: 'RestError', code: 'denied' });
  expect(JSON.parse(JSON.stringify(error))).toEqual(body);
});

test('a thrown error is an instance', async () => {
  await expect(refused().throwOnError()).rejects.toBeInstanceOf(PostgrestError);
  await expect(refused().throwOnError()).rejects.toMatchObject(body);
});

test('details that are a list stay a list', async () => {
  const details = [{ embedding: 'notes with people' }];
  const { error } = await respondWith(() => json({ ...body, details }, { status: 300 }));
  expect(error?.details).toEqual(details);
});

test('a failure of the network has its cause, and an abort by a signal is reported as such', async () => {
  const failing = respondWith(() => {
    throw new TypeError('fetch failed', {
      cause: Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }),
    });
  });
  const { error, status } = await failing.retry(false);
  expect([error?.message, error?.code, error?.hint, status]).toEqual(['TypeError: fetch failed', '', '', 0]);
  expect(error?.details).toContain('Caused by: Error: connect ECONNREFUSED 127.0.0.1:1 (ECONNREFUSED)');
  const aborted = await respondWith(() => json([])).abortSignal(AbortSignal.abort());
  expect(aborted.error?.message).toMatch(/^AbortError: /);
  expect(aborted.error?.hint).toBe('Request was aborted (timeout or manual cancellation)');
});

test('rows of single() have no hidden member besides their columns', async () => {
  const { data } = await respondWith(() => json({ id: '1' })).single();
  expect(Object.getOwnPropertyNames(data)).toEqual(['id']);
});

test.each([
  ['', 'supabaseUrl is required.'],
  ['  ', 'supabaseUrl is required.'],
  ['project.test', 'Invalid supabaseUrl: Must be a valid HTTP or HTTPS URL.'],
  ['ftp://project.test', 'Invalid supabaseUrl: Must be a valid HTTP or HTTPS URL.'],
  ['http://project.test:99999', 'Invalid supabaseUrl: Provided URL is malformed.'],
])('the URL “%s” is refused with the vendor’s message', (url, message) => {
  expect(() => createClient(url, 'anon-key')).toThrow(message);
});

test('a URL may have white space around it and a scheme in capitals', async () => {
  const urls: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    urls.push(new Request(input).url);
    return json([]);
  };
  await createClient(' HTTPS://project.test ', 'anon-key', { global: { fetch } }).from('notes').select();
  expect(urls).toEqual(['https://project.test/rest/v1/notes?select=*']);
});
