import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createFunctionsClient } from '../../src/functions-client/index.ts';
import { createBrowserPlatform } from '../../src/platform/browser-platform.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createRestClient } from '../../src/rest-client/index.ts';
import { createStorageClient } from '../../src/storage-client/index.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';

const platform = createBrowserPlatform({
  fetch: () => Promise.reject(new Error('Nothing is sent')),
});

type Create = (options: never) => unknown;

describe.each<[string, Create, object]>([
  ['REST', createRestClient, { code: 'invalid-options', name: 'RestError' }],
  ['storage', createStorageClient, { code: 'invalid-options', name: 'StorageError' }],
  ['functions', createFunctionsClient, { code: 'invalid-options', name: 'FunctionsError' }],
  ['realtime', createRealtimeClient, { code: 'invalid-options', name: 'RealtimeError' }],
])('the %s client without its configuration', (_name, create, error) => {
  it.each([
    [{ url: '' }, 'Supabase configuration incomplete: url is not set'],
    [{ url: undefined }, 'Supabase configuration incomplete: url is not set'],
    [{ apiKey: '' }, 'Supabase configuration incomplete: apiKey is not set'],
    [
      { url: 'ftp://project.test' },
      'Supabase configuration incomplete: url is not set (it must be an http or https URL)',
    ],
  ])('says what is missing: %j', (missing, message) => {
    const options = { url: 'https://project.test', apiKey: 'key', platform, ...missing } as never;
    expect(() => create(options)).toThrow(expect.objectContaining({ ...error, message }));
  });
});

it('createSupabaseClients names the missing option', () => {
  expect(() => createSupabaseClients({ url: 'https://project.test', apiKey: '', platform })).toThrow(
    expect.objectContaining({
      code: 'invalid-options',
      message: 'Supabase configuration incomplete: apiKey is not set',
    }),
  );
});

describe('a secret with a line break in it, as copied from a wrapped line', () => {
  it('is refused as a key at creation, without being repeated', () => {
    const apiKey = 'sb_secret_first-line\nsecond-line';
    expect(() => createSupabaseClients({ url: 'https://project.test', apiKey, platform })).toThrow(
      expect.objectContaining({
        code: 'invalid-options',
        message:
          'Supabase configuration incomplete: apiKey is not set (it must be one line of ASCII characters)',
      }),
    );
  });

  it('is not repeated by the error of a request that cannot carry it', async () => {
    const rest = createRestClient({
      url: 'https://project.test',
      apiKey: 'sb_publishable_key',
      // As every runtime's fetch does.
      platform: createBrowserPlatform({ fetch: async (input, init) => fetch(new Request(input, init)) }),
      getAccessToken: async () => 'first-line\nsecond-line',
      retry: { limit: 0 },
    });
    const problem: unknown = await rest
      .from('notifications')
      .select()
      .then(null, (thrown: unknown) => thrown);
    expect(inspect(problem, { depth: 9 })).not.toContain('second-line');
    expect(problem).toMatchObject({
      code: 'network',
      cause: { message: 'The header authorization has characters that HTTP does not allow' },
    });
  });
});
