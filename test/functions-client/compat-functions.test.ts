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
