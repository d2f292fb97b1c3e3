import { describe, expect, test } from 'vitest';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createStorageClient } from '../../src/storage-client/index.ts';
import { createForeignPlatform, foreignKinds, project, words } from '../support/wire/foreign-responses.ts';
import { type ServiceCalls, serviceCalls } from '../support/wire/service-calls.ts';

const refusals = {
  page: { code: 'not-the-service', status: 200, found: `(HTTP 200, text/html): Wi-Fi ${words}` },
  empty: { code: 'not-the-service', status: 200, found: '(HTTP 200, no body)' },
  json: { code: 'not-the-service', status: 200, found: '(HTTP 200, application/json)' },
  none: { code: 'not-the-service', status: 204, found: '(HTTP 204, no body)' },
};

const describeRefusal = (problem: unknown) => {
  const { code, status, message } = problem as { code: unknown; status: unknown; message: string };
  return { code, status, found: message.replace(/^Not a response of the \w+ service /, '') };
};

function itRefuses({ name, rows }: ServiceCalls): void {
  const cases = rows.flatMap(({ method, call, accepted }) =>
    foreignKinds.map((kind) => ({ method, kind, call, isAccepted: accepted.includes(kind) })),
  );
  test.each(cases)(`${name}.$method recognizes a foreign $kind`, async ({ kind, call, isAccepted }) => {
    const outcome = await call(createForeignPlatform(kind)).then(() => 'accepted', describeRefusal);
    expect(outcome).toEqual(isAccepted ? 'accepted' : refusals[kind]);
  });
}

/** Every method has a row, or is one of those that send nothing or are made of others. */
function itIsComplete({ name, methods, rows, others }: ServiceCalls): void {
  if (!methods) return;
  test(`every method of ${name} has a row`, () => {
    expect([...methods].sort()).toEqual([...rows.map(({ method }) => method), ...others].sort());
  });
}

describe('the message about a foreign response', () => {
  const quoteOf = async (body: string) => {
    const platform = createPlatform({ fetch: async () => new Response(body) });
    const problem: unknown = await createStorageClient({ ...project, platform })
      .listBuckets()
      .catch((error: unknown) => error);
    return describeRefusal(problem).found.replace('(HTTP 200, text/plain)', '').replace(/^: /, '');
  };
  const longest = 'w'.repeat(30);

  test.each([
    ['quotes a word of 30 characters', `see ${longest} there`, `see ${longest} there`],
    ['leaves out a longer word, which may be a secret', `see ${longest}w there`, 'see … there'],
    ['quotes 100 characters', `${'ab '.repeat(33)}c`, `${'ab '.repeat(33)}c`],
    ['cuts a longer text', `${'ab '.repeat(33)}cd`, `${'ab '.repeat(33)}c…`],
    [
      'quotes no scripts, styles, comments and tags',
      '<script>a()</script><style>b{}</style><!--c--><p>d</p>',
      'd',
    ],
    ['quotes no JSON, which may have secrets', ' {"token": "a"', ''],
  ])('%s', async (_title, body, quote) => {
    expect(await quoteOf(body)).toBe(quote);
  });

  test('names a missing content type', async () => {
    const bytes = new TextEncoder().encode('page');
    const platform = createPlatform({ fetch: async () => new Response(bytes) });
    await expect(createStorageClient({ ...project, platform }).listBuckets()).rejects.toThrow(
      'Not a response of the storage service (HTTP 200, no type): page',
    );
  });
});

describe.each(Object.entries(serviceCalls))('%s', (_title, clients) => {
  clients.forEach((client) => {
    itRefuses(client);
    itIsComplete(client);
  });
});
