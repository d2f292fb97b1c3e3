import { describe, expect, it } from 'vitest';
import { createFunctionsClient } from '../../src/functions-client/index.ts';
import { createBrowserPlatform } from '../../src/platform/browser-platform.ts';
import { CallUser } from '../../src/platform/call-user.ts';
import { decodeJwtClaims } from '../../src/platform/jwt.ts';
import { sendBroadcast } from '../../src/realtime-client/broadcast/http-broadcast.ts';
import { createRealtimeClient } from '../../src/realtime-client/index.ts';
import { createRestClient } from '../../src/rest-client/index.ts';
import { inChunks, pages } from '../../src/rest-client/long-reads/long-reads.ts';
import { createStorageClient } from '../../src/storage-client/index.ts';
import { uploadResumable } from '../../src/storage-client/resumable.ts';
import { tokenOf } from '../support/wire/replies.ts';

const url = 'http://project.test';
const part = 6 * 1024 * 1024;
const rows = (...ids: readonly number[]) => Response.json(ids.map((id) => ({ id })));
const expired = Response.json(
  { code: 'PGRST303', message: 'JWT expired', details: null, hint: null },
  { status: 401 },
);
const denied = Response.json(
  { code: '42501', message: 'denied', details: null, hint: null },
  { status: 403 },
);

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}

type Options = Parameters<typeof createRestClient>[0];

interface Step {
  /** The response to the first request, after which another user is signed in. */
  readonly first: () => Response;
  readonly later?: () => Response;
  readonly call: (options: Options) => Promise<unknown>;
}

/** Every place where a call sends a request after its first one. */
const steps: Readonly<Record<string, Step>> = {
  'rest: the renewal of an expired token': {
    first: () => expired.clone(),
    call: (options) => createRestClient(options).from('notes').insert({ body: 'x' }).execute(),
  },
  'rest: a refusal with 403': {
    first: () => denied.clone(),
    call: (options) => createRestClient(options).from('notes').insert({ body: 'x' }).execute(),
  },
  'rest: the next chunk': {
    first: () => rows(1),
    call: (options) => {
      const query = createRestClient(options).from('notes').delete().in('id', ['1', '2']).select('id');
      return inChunks(query, { size: 1 });
    },
  },
  'rest: the next page': {
    first: () => rows(1),
    call: (options) =>
      collect(pages(createRestClient(options).from('notes').select('id'), { by: ['id'], size: 1 })),
  },
  'storage: the renewal of an expired token': {
    first: () =>
      Response.json({ statusCode: '403', error: 'Unauthorized', message: 'jwt expired' }, { status: 400 }),
    call: (options) => createStorageClient(options).from('b').remove(['a']),
  },
  'storage: the next page': {
    first: () => Response.json([{ name: 'a' }]),
    call: (options) => collect(createStorageClient(options).from('b').pages('', { limit: 1 })),
  },
  'storage: the next thousand of signed URLs': {
    first: () => Response.json([]),
    call: (options) =>
      createStorageClient(options)
        .from('b')
        .createSignedUrls(
          Array.from({ length: 1001 }, (_, at) => `${at}`),
          60,
        ),
  },
  'storage: the next thousand of a removal': {
    first: () => Response.json([]),
    later: () => Response.json([]),
    call: (options) =>
      createStorageClient(options)
        .from('b')
        .remove(Array.from({ length: 1001 }, (_, at) => `${at}`)),
  },
  'storage: the parts of a resumable upload': {
    first: () =>
      new Response(null, {
        status: 201,
        headers: { location: `${url}/storage/v1/upload/resumable/u1`, 'tus-resumable': '1.0.0' },
      }),
    later: () =>
      new Response(null, { status: 204, headers: { 'upload-offset': `${part}`, 'tus-resumable': '1.0.0' } }),
    call: (options) => uploadResumable(options, 'b', 'a', new Blob([new Uint8Array(part)])),
  },
  'functions: the second of two calls that share a user': {
    first: () => Response.json({}),
    async call(options) {
      const user = new CallUser();
      const functions = createFunctionsClient(options);
      await functions.invoke('one', { user });
      return functions.invoke('two', { user });
    },
  },
  'realtime: a broadcast by HTTP that shares its user with a read': {
    first: () => rows(1),
    later: () => new Response(null, { status: 202 }),
    async call(options) {
      const user = new CallUser();
      await createRestClient(options).from('notes').select('id').execute({ user });
      const message = { topic: 'room', event: 'note', payload: {} };
      return sendBroadcast(createRealtimeClient(options as never), message, { user });
    },
  },
};

async function play(
  { first, later = () => rows(), call }: Step,
  before: string | null,
  after: string | null,
) {
  let token = before;
  const subjects: unknown[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, { ...init, duplex: 'half' } as RequestInit);
    const bearer = request.headers.get('authorization')?.replace('Bearer ', '');
    subjects.push((bearer && decodeJwtClaims(bearer)?.['sub']) ?? null);
    token = after;
    return subjects.length === 1 ? first() : later();
  };
  const platform = createBrowserPlatform({ fetch, createXhr: undefined });
  const outcome = await call({
    url,
    apiKey: 'sb_publishable_x',
    platform,
    getAccessToken: async () => token,
  }).then(
    () => 'resolved',
    (problem: { readonly code?: string }) => problem.code,
  );
  return { outcome, subjects };
}

const ada = tokenOf('ada', 1);

describe.each(Object.entries(steps))('%s', (name, step) => {
  it.each([
    ['another user has signed in', ada, tokenOf('bob', 1)],
    ['an anonymous caller has signed in', null, ada],
  ])('is not sent after %s', async (_what, before, after) => {
    const { outcome, subjects } = await play(step, before, after);
    expect(subjects).toEqual([before === null ? null : 'ada']);
    // A refused request without a token ends with its refusal.
    const isRefusal = before === null && /renewal|403/.test(name);
    expect(outcome === 'user-changed').toBe(!isRefusal);
    expect(outcome).not.toBe('resolved');
  });

  it('is not sent after a sign-out', async () => {
    const { outcome, subjects } = await play(step, ada, null);
    expect(subjects).toEqual(['ada']);
    expect(outcome).not.toBe('resolved');
  });

  it('is sent with a renewed token of the same user', async () => {
    const { subjects } = await play(step, ada, tokenOf('ada', 2));
    expect(subjects.length).toBeGreaterThan(1);
    expect(new Set(subjects)).toEqual(new Set(['ada']));
  });
});
