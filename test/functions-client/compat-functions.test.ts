import { expect, test } from 'vitest';
import { createClient } from '../../src/compat/index.ts';
import { json } from '../support/wire/replies.ts';

test('a token that was set replaces the header of the client', async () => {
  const sent: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push(new Request(input, init).headers.get('authorization'));
    return json({});
  };
  const global = { fetch, headers: { Authorization: 'Bearer of the client' } };
  const { functions } = createClient('https://project.test', 'anon-key', { global });
  await functions.invoke('f');
  functions.setAuth('set');
  await functions.invoke('f');
  await functions.invoke('f', { headers: { authorization: 'Bearer of the call' } });
  expect(sent).toEqual(['Bearer of the client', 'Bearer set', 'Bearer of the call']);
});

test('an error of a function is written to a log with its message', async () => {
  const fetch: typeof globalThis.fetch = async () => new Response('down', { status: 500 });
  const { functions } = createClient('https://project.test', 'anon-key', { global: { fetch } });
  const { error } = await functions.invoke('f');
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({
    name: 'FunctionsHttpError',
    message: 'Edge Function returned a non-2xx status code',
  });
});

test('a stream of events is returned as the live response', async () => {
  let source: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      source = controller;
    },
  });
  const headers = { 'Content-Type': 'text/event-stream' };
  const fetch: typeof globalThis.fetch = async () => new Response(body, { headers });
  const { functions } = createClient('https://project.test', 'anon-key', { global: { fetch } });
  const { data, error } = await functions.invoke<Response>('f');
  expect(error).toBeNull();
  const reader = data?.body?.getReader();
  source?.enqueue(new TextEncoder().encode('data: 1\n\n'));
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n');
});

test('a call that its signal or its deadline ends has an AbortError as context', async () => {
  const fetch: typeof globalThis.fetch = (_input, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  const { functions } = createClient('https://project.test', 'anon-key', { global: { fetch } });
  const leaving = new AbortController();
  const aborted = functions.invoke('f', { signal: leaving.signal });
  leaving.abort();
  for (const { error } of [await aborted, await functions.invoke('f', { timeout: 5 })]) {
    expect([error.name, error.context.name]).toEqual(['FunctionsFetchError', 'AbortError']);
  }
});
