import { describe, expect, test } from 'vitest';
import type { HttpLogEvent } from '../../src/platform/log.ts';
import { createTraceparent } from '../../src/platform/trace-context.ts';
import { shareReads } from '../../src/rest-client/share-reads/share-reads.ts';
import type { RestError } from '../../src/rest-client/index.ts';
import { createRecordingClient, createRecordingTab } from './support/recording-client.ts';
import { json, never, refusal } from '../support/wire/replies.ts';

const offline = () => {
  throw new TypeError('fetch failed');
};
const note = () => json([{ id: '1' }]);

/** Expects a rejection before it occurs, so that it is never unhandled. */
async function fails(query: Promise<unknown>, like: Record<string, unknown>): Promise<void> {
  await expect(query).rejects.toMatchObject(like);
}

/** Starts a query and moves time until it has ended. */
async function settle<T>(
  { world }: Pick<ReturnType<typeof createRecordingClient>, 'world'>,
  query: Promise<T>,
  ms = 60_000,
): Promise<T | RestError> {
  const ended = query.then(
    (value) => value,
    (problem: unknown) => problem as RestError,
  );
  await world.clock.advance(ms);
  return ended;
}

describe('a write that may outlive the page', () => {
  test('is sent with keepalive, and no other request is', async () => {
    const { db, requests } = createRecordingClient([new Response(null, { status: 204 })]);
    await db.from('notes').delete().eq('id', '1').execute({ keepalive: true });
    await db.from('notes').delete().eq('id', '1').execute();
    expect(requests.map(({ keepalive }) => keepalive)).toEqual([true, false]);
  });
});

describe('an execution without retries', () => {
  test('fails at once, and the next execution retries', async () => {
    const recorded = createRecordingClient([offline, offline, note()]);
    const query = recorded.db.from('notes').select();
    await fails(query.execute({ retry: false }), { code: 'network' });
    expect(recorded.requests).toHaveLength(1);
    expect(await settle(recorded, query.execute())).toEqual([{ id: '1' }]);
    expect(recorded.requests).toHaveLength(3);
  });
});

describe('credentials', () => {
  test('are the key alone for a signed-out caller with a key of the newer form', async () => {
    const { db, requests } = createRecordingClient();
    await db.from('notes').select();
    expect(requests[0]?.headers.get('apikey')).toBe('sb_publishable_test');
    expect(requests[0]?.headers.get('authorization')).toBeNull();
  });

  test('include a legacy key as the bearer token', async () => {
    const { db, requests } = createRecordingClient(undefined, { apiKey: 'aa.bb.cc' });
    await db.from('notes').select();
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer aa.bb.cc');
  });

  test('are the token of the signed-in user, which toRequest() does not show', async () => {
    const { db, requests } = createRecordingClient(undefined, { getAccessToken: async () => 'secret-token' });
    const query = db.from('notes').select();
    await query;
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer secret-token');
    expect(JSON.stringify(query)).not.toMatch(/secret-token|sb_publishable/);
  });

  test('credentials that fail end the query without a request', async () => {
    const { db, requests } = createRecordingClient(undefined, {
      getAccessToken: () => Promise.reject(new Error('storage is gone')),
    });
    await expect(db.from('notes').select()).rejects.toMatchObject({
      code: 'token-unavailable',
      cause: new Error('storage is gone'),
    });
    expect(requests).toHaveLength(0);
  });
});

/** PostgREST's refusal of a claim: the same words in the body and in the header. */
const tokenRefusal = (message: string, { method = 'GET' } = {}) =>
  new Response(
    method === 'HEAD' ? null : JSON.stringify({ code: 'PGRST303', message, details: null, hint: null }),
    {
      status: 401,
      headers: {
        'Proxy-Status': 'PostgREST; error=PGRST303',
        'WWW-Authenticate': `Bearer error="invalid_token", error_description="${message}"`,
      },
    },
  );

describe('an expired token', () => {
  const rotating = () => {
    const tokens: (string | undefined)[] = [];
    return {
      tokens,
      getAccessToken: async (options?: { readonly rejectedToken?: string }) => {
        tokens.push(options?.rejectedToken);
        return options?.rejectedToken === 'old' ? 'new' : 'old';
      },
    };
  };

  test('is refreshed once and the query sent again, writes included', async () => {
    const { tokens, getAccessToken } = rotating();
    const { db, requests } = createRecordingClient(
      [tokenRefusal('JWT expired'), new Response(null, { status: 201 })],
      {
        getAccessToken,
      },
    );
    await db.from('notes').insert({ title: 'x' });
    expect(tokens).toEqual([undefined, 'old']);
    expect(requests.map((request) => request.headers.get('authorization'))).toEqual([
      'Bearer old',
      'Bearer new',
    ]);
  });

  test('rejects when the new token is refused too', async () => {
    const { db, requests } = createRecordingClient([tokenRefusal('JWT expired')], rotating());
    await expect(db.from('notes').select()).rejects.toMatchObject({ code: 'token-expired', status: 401 });
    expect(requests).toHaveLength(2);
  });

  test('is not assumed for a denied row', async () => {
    const { tokens, getAccessToken } = rotating();
    const { db } = createRecordingClient([refusal(401, '42501')], { getAccessToken });
    await expect(db.from('notes').select()).rejects.toMatchObject({ code: 'denied', serverCode: '42501' });
    expect(tokens).toEqual([undefined]);
  });
});

describe('a token whose claims are refused', () => {
  const tokens = () => {
    const rejected: (string | undefined)[] = [];
    const getAccessToken = async (options?: { readonly rejectedToken?: string }) => {
      if (options?.rejectedToken) rejected.push(options.rejectedToken);
      return 'token';
    };
    return { rejected, getAccessToken };
  };

  test.each(['JWT issued at future', 'JWT not yet valid'])(
    'is sent again after a moment, and not renewed: %s',
    async (message) => {
      for (const method of ['GET', 'HEAD', 'POST'] as const) {
        const { rejected, getAccessToken } = tokens();
        const success = new Response(null, { status: 201, headers: { 'Content-Range': '*/3' } });
        const replies = [tokenRefusal(message, { method }), method === 'GET' ? note() : success];
        const { db, requests, world } = createRecordingClient(replies, { getAccessToken });
        const notes = db.from('notes');
        const queries = {
          GET: () => notes.select().execute(),
          HEAD: () => notes.count().execute(),
          POST: () => notes.insert({ title: 'x' }).execute(),
        };
        const succeeded: Promise<unknown> = queries[method]();
        await world.clock.advance(900);
        expect(requests).toHaveLength(1);
        await world.clock.advance(400);
        await succeeded;
        expect(requests.map((request) => request.method)).toEqual([method, method]);
        expect(rejected).toEqual([]);
      }
    },
  );

  test.each(['JWT issued at future', 'JWT not yet valid'])(
    'has a separate code if it stays refused: %s',
    async (message) => {
      const { rejected, getAccessToken } = tokens();
      const recorded = createRecordingClient([tokenRefusal(message)], { getAccessToken });
      const error = await settle(recorded, recorded.db.from('notes').select().execute());
      expect(error).toMatchObject({ code: 'token-not-yet-valid', status: 401, serverCode: 'PGRST303' });
      expect(recorded.requests).toHaveLength(4);
      expect(rejected).toEqual([]);
    },
  );

  test.each(['JWT not in audience', 'Parsing claims failed', "The JWT 'exp' claim must be a number"])(
    'is neither renewed nor sent again: %s',
    async (message) => {
      const { rejected, getAccessToken } = tokens();
      const { db, requests } = createRecordingClient([tokenRefusal(message)], { getAccessToken });
      await fails(db.from('notes').select().execute(), { code: 'invalid-claims', message });
      expect(requests).toHaveLength(1);
      expect(rejected).toEqual([]);
    },
  );

  test('is renewed where PostgREST 12 calls it expired, by the code of other refusals', async () => {
    const { rejected, getAccessToken } = tokens();
    const old = () => refusal(401, 'PGRST301', { message: 'JWT expired' });
    const { db } = createRecordingClient([old], { getAccessToken });
    await fails(db.from('notes').select().execute(), { code: 'token-expired' });
    expect(rejected).toEqual(['token']);
  });
});

describe('a denied request', () => {
  test('is sent again, once, with a token that has replaced its own meanwhile', async () => {
    const tokens = ['aal1', 'aal2', 'aal2'];
    const { db, requests } = createRecordingClient([refusal(403, 'PT403'), note()], {
      getAccessToken: async () => tokens.shift() ?? null,
    });
    expect(await db.from('notes').select('id')).toEqual([{ id: '1' }]);
    expect(requests.map((request) => request.headers.get('authorization'))).toEqual([
      'Bearer aal1',
      'Bearer aal2',
    ]);
  });

  test('is not sent again with the same token', async () => {
    const { db, requests } = createRecordingClient([refusal(403, 'PT403'), note()], {
      getAccessToken: async () => 'aal1',
    });
    await expect(db.from('notes').select()).rejects.toMatchObject({ serverCode: 'PT403', status: 403 });
    expect(requests).toHaveLength(1);
  });
});

describe('a read with a transient failure', () => {
  test.each([429, 502, 503, 504, 520, 521, 522, 523, 524, 530])('is retried after a %i', async (status) => {
    const client = createRecordingClient([new Response('<html>', { status }), note()]);
    expect(await settle(client, client.db.from('notes').select('id'))).toEqual([{ id: '1' }]);
    expect(client.requests).toHaveLength(2);
  });

  test.each([429, 503, 522])('sends no second request after a refused count: %i', async (status) => {
    const client = createRecordingClient([new Response(null, { status })]);
    expect(await settle(client, client.db.from('notes').count().execute())).toMatchObject({
      code: status === 429 ? 'rate-limited' : 'unavailable',
    });
    expect(client.requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD', 'HEAD', 'HEAD']);
  });

  test('is retried after a network fault, three times at most', async () => {
    const client = createRecordingClient([offline]);
    const error = await settle(client, client.db.from('notes').select());
    expect(error).toMatchObject({
      code: 'network',
      message: "No response: check the connection and the project's URL",
      status: null,
    });
    expect(client.requests).toHaveLength(4);
  });

  test('is not retried while the page is offline', async () => {
    const client = createRecordingClient([offline]);
    client.tab.setOnline(false);
    expect(await settle(client, client.db.from('notes').select())).toMatchObject({ code: 'network' });
    expect(client.requests).toHaveLength(1);
  });

  test('is retried after a 503 while the page reports that it is offline, because a response arrived', async () => {
    const client = createRecordingClient([new Response('', { status: 503 }), note()]);
    client.tab.setOnline(false);
    expect(await settle(client, client.db.from('notes').select('id'))).toEqual([{ id: '1' }]);
  });

  test('is retried after a random part of the delay, so that clients do not return at once', async () => {
    const recorded = createRecordingTab([offline]);
    const random = { ...recorded.tab.random, number: () => 0 };
    const client = createRecordingClient([], { platform: { ...recorded.tab, random } });
    client.db
      .from('notes')
      .select()
      .execute()
      .catch(() => undefined);
    for (let retry = 0; retry < 3; retry += 1) await recorded.world.clock.advance(1);
    expect(recorded.requests).toHaveLength(4);
  });

  test('is not retried after a definitive error', async () => {
    const client = createRecordingClient([refusal(400, 'PGRST100')]);
    expect(await settle(client, client.db.from('notes').select())).toMatchObject({ code: 'invalid-request' });
    expect(client.requests).toHaveLength(1);
  });

  test('waits for the seconds in Retry-After', async () => {
    const client = createRecordingClient([
      new Response(null, { status: 503, headers: { 'Retry-After': '7' } }),
      note(),
    ]);
    const query = client.db.from('notes').select().execute();
    await client.world.clock.advance(6_999);
    expect(client.requests).toHaveLength(1);
    await client.world.clock.advance(1);
    expect(client.requests).toHaveLength(2);
    await query;
  });

  test('waits until the date in Retry-After', async () => {
    const at = new Date(Date.UTC(2026, 0, 1) + 4_000).toUTCString();
    const client = createRecordingClient([
      new Response(null, { status: 503, headers: { 'Retry-After': at } }),
      note(),
    ]);
    const query = client.db.from('notes').select().execute();
    await client.world.clock.advance(3_999);
    expect(client.requests).toHaveLength(1);
    await client.world.clock.advance(1);
    expect(client.requests).toHaveLength(2);
    await query;
  });

  test('rejects at once when Retry-After exceeds the deadline', async () => {
    const client = createRecordingClient([
      new Response(null, { status: 503, headers: { 'Retry-After': '31' } }),
    ]);
    const error = await settle(client, client.db.from('notes').select(), 0);
    expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 31 });
  });
});

describe('a write that fails', () => {
  test.each(['PGRST000', 'PGRST002', 'PGRST003', '40001', '40P01'])(
    'is retried when %s proves that nothing was executed',
    async (code) => {
      const client = createRecordingClient([refusal(503, code), new Response(null, { status: 201 })]);
      expect(await settle(client, client.db.from('notes').insert({ title: 'x' }))).toBeUndefined();
      expect(client.requests).toHaveLength(2);
    },
  );

  test.each(['PGRST001', '57P01', '53300'])(
    'is not retried after %s, which proves nothing',
    async (serverCode) => {
      const client = createRecordingClient([refusal(503, serverCode)]);
      expect(await settle(client, client.db.from('notes').insert({ title: 'x' }))).toMatchObject({
        code: 'unavailable',
        serverCode,
      });
      expect(client.requests).toHaveLength(1);
    },
  );

  test('is not retried after a network fault', async () => {
    const client = createRecordingClient([offline]);
    expect(await settle(client, client.db.rpc('greet', { name: 'x' }))).toMatchObject({ code: 'network' });
    expect(client.requests).toHaveLength(1);
  });
});

describe('a deadline', () => {
  test('a deadline of one attempt ends it, and the next may succeed', async () => {
    const client = createRecordingClient([never, note()], { attemptTimeoutMs: 1_000 });
    expect(await settle(client, client.db.from('notes').select('id'))).toEqual([{ id: '1' }]);
  });

  test('a deadline of the whole query ends it with its retries', async () => {
    const client = createRecordingClient([never], { attemptTimeoutMs: 4_000, timeoutMs: 6_000 });
    expect(await settle(client, client.db.from('notes').select(), 6_000)).toMatchObject({
      code: 'timeout',
      status: null,
    });
  });

  test('includes the wait for a token', async () => {
    const client = createRecordingClient([note()], { getAccessToken: () => new Promise(() => undefined) });
    expect(await settle(client, client.db.from('notes').select(), 30_000)).toMatchObject({ code: 'timeout' });
  });

  test('leaves no timer behind', async () => {
    const client = createRecordingClient([offline, note()]);
    await settle(client, client.db.from('notes').select(), 10_000);
    expect(client.world.clock.pendingTimers).toBe(0);
  });
});

describe("the caller's abort", () => {
  test('ends the query with its reason, distinct from a timeout', async () => {
    const client = createRecordingClient([never]);
    const controller = new AbortController();
    const query = client.db.from('notes').select().execute({ signal: controller.signal });
    const reason = new Error('left the page');
    controller.abort(reason);
    await expect(query).rejects.toMatchObject({ code: 'aborted', cause: reason });
  });

  test('ends the wait for the next attempt', async () => {
    const client = createRecordingClient([offline]);
    const controller = new AbortController();
    const query = client.db.from('notes').select().execute({ signal: controller.signal });
    const failed = fails(query, { code: 'aborted' });
    await client.world.settle();
    controller.abort();
    await failed;
    expect(client.requests).toHaveLength(1);
  });

  test('sends nothing when the signal is aborted before the execution', async () => {
    const client = createRecordingClient();
    const query = client.db.from('notes').select().execute({ signal: AbortSignal.abort() });
    await expect(query).rejects.toMatchObject({ code: 'aborted' });
    expect(client.requests).toHaveLength(0);
  });
});

describe('identical reads at the same time', () => {
  const shareInFlight = true;
  const slow = () => {
    let respond: (response: Response) => void = () => undefined;
    const client = createRecordingClient([() => new Promise<Response>((resolve) => (respond = resolve))], {
      shareReads,
    });
    return { ...client, respond: () => respond(note()) };
  };

  test('are refused before sending where the client has no shareReads', async () => {
    const { db, requests } = createRecordingClient();
    await fails(db.from('notes').select().execute({ shareInFlight }), { code: 'invalid-options' });
    expect(requests).toHaveLength(0);
  });

  test('share one request, and each has its own rows', async () => {
    const { db, requests, world, respond } = slow();
    const [first, second] = [
      db.from('notes').select('id').execute({ shareInFlight }),
      db.from('notes').select('id').execute({ shareInFlight }),
    ];
    await world.settle();
    expect(requests).toHaveLength(1);
    respond();
    expect(await first).toEqual(await second);
    expect(await first).not.toBe(await second);
  });

  test('are sent separately unless both set shareInFlight', async () => {
    const { db, requests, world } = createRecordingClient([never], { shareReads });
    const query = db.from('notes').select('id');
    const ended = Promise.allSettled([query.execute({ shareInFlight }), query.execute(), query.execute()]);
    await world.settle();
    expect(requests).toHaveLength(3);
    await world.clock.advance(60_000);
    await ended;
  });

  test('continue for the second caller when the first aborts', async () => {
    const { db, requests, world, respond } = slow();
    const [a, b] = [new AbortController(), new AbortController()];
    const query = db.from('notes').select('id');
    const left = fails(query.execute({ shareInFlight, signal: a.signal }), { code: 'aborted' });
    const stays = query.execute({ shareInFlight, signal: b.signal });
    await world.settle();
    a.abort();
    await left;
    expect(requests[0]?.signal.aborted).toBe(false);
    respond();
    expect(await stays).toEqual([{ id: '1' }]);
  });

  test('are sent again where the runtime has ended the shared request, as Cloudflare Workers does', async () => {
    let flights = 0;
    const endFirst = () => {
      const { join, forget } = shareReads();
      return {
        forget,
        join: ((read, start) =>
          join(read, (signal) => {
            flights += 1;
            return flights === 1 ? Promise.reject(new Error('can never settle')) : start(signal);
          })) satisfies ReturnType<typeof shareReads>['join'],
      };
    };
    const { db, requests, world } = createRecordingClient([() => note()], { shareReads: endFirst });
    const rows = db.from('notes').select('id').execute({ shareInFlight });
    await world.clock.advance(10_000);
    expect(await rows).toEqual([{ id: '1' }]);
    expect(requests).toHaveLength(1);
  });

  test('abort the request when all callers have aborted', async () => {
    const { db, requests, world } = slow();
    const controller = new AbortController();
    const query = db.from('notes').select('id');
    const both = [
      query.execute({ shareInFlight, signal: controller.signal }),
      query.execute({ shareInFlight, signal: controller.signal }),
    ];
    await world.settle();
    controller.abort();
    await Promise.allSettled(both);
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  test('are not shared by callers with different tokens', async () => {
    const tokens = ['one', 'two'];
    const { db, requests, world } = createRecordingClient([never], {
      getAccessToken: async () => tokens.shift() ?? null,
      shareReads,
    });
    const query = db.from('notes').select();
    const queries = [query.execute({ shareInFlight }), query.execute({ shareInFlight })];
    const ended = Promise.allSettled(queries);
    await world.settle();
    expect(requests).toHaveLength(2);
    await world.clock.advance(60_000);
    await ended;
  });

  test('do not join a read that began before a write of the same client', async () => {
    const responses: ((response: Response) => void)[] = [];
    const { db, requests, world } = createRecordingClient(
      [() => new Promise<Response>((resolve) => responses.push(resolve))],
      { shareReads },
    );
    const query = db.from('notes').select('id');
    const before = query.execute({ shareInFlight });
    await world.settle();
    const write = db.from('notes').insert({ title: 'x' }).execute();
    await world.settle();
    const meanwhile = query.execute({ shareInFlight });
    await world.settle();
    responses[1]?.(new Response(null, { status: 201 }));
    await write;
    const after = [query.execute({ shareInFlight }), query.execute({ shareInFlight })];
    await world.settle();
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'GET']);
    responses[0]?.(json([]));
    responses[2]?.(json([]));
    responses[3]?.(note());
    expect([await before, await meanwhile, ...(await Promise.all(after))]).toEqual([
      [],
      [],
      [{ id: '1' }],
      [{ id: '1' }],
    ]);
  });

  test('are not shared for writes', async () => {
    const { db, requests } = createRecordingClient([new Response(null, { status: 201 })]);
    await Promise.all([
      db.from('notes').insert({ title: 'x' }).execute(),
      db.from('notes').insert({ title: 'x' }).execute(),
    ]);
    expect(requests).toHaveLength(2);
  });
});

describe('one execution', () => {
  test('has its own deadline', async () => {
    const client = createRecordingClient([never]);
    const query = client.db.from('notes').select().execute({ timeoutMs: 500 });
    expect(await settle(client, query, 500)).toMatchObject({ code: 'timeout', status: null });
  });

  test('has its own headers, which replace those of the same name', async () => {
    const { db, requests } = createRecordingClient(undefined, {
      headers: { 'X-Tenant': 'a', Prefer: 'x=1' },
    });
    await db
      .from('notes')
      .select()
      .execute({ headers: { 'x-tenant': 'b', 'X-Request-ID': '7' } });
    await db.from('notes').select();
    expect(requests.map(({ headers }) => [headers.get('x-tenant'), headers.get('x-request-id')])).toEqual([
      ['b', '7'],
      ['a', null],
    ]);
  });
});

describe('a log', () => {
  test('receives one event per attempt, without secrets, values and query strings', async () => {
    const events: HttpLogEvent[] = [];
    const client = createRecordingClient([offline, new Response('', { status: 503 }), note()], {
      getAccessToken: async () => 'secret-token',
      log: (event) => events.push(event),
      traceparent: () => '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    await settle(client, client.db.from('notes').select('id').eq('title', 'private'));
    expect(events.map(({ status, failure }) => [status, failure])).toEqual([
      [null, 'network'],
      [503, null],
      [200, null],
    ]);
    expect(events[0]).toMatchObject({ type: 'http', service: 'rest', method: 'GET', path: '/rest/v1/notes' });
    expect(JSON.stringify(events)).not.toMatch(/secret-token|private|sb_publishable/);
    expect(client.requests[2]?.headers.get('traceparent')).toBe(events[2]?.traceparent);
  });

  test('a log that throws does not fail the query', async () => {
    const { db } = createRecordingClient([note()], {
      log() {
        throw new Error('full');
      },
    });
    expect(await db.from('notes').select('id')).toEqual([{ id: '1' }]);
  });
});

describe('a trace', () => {
  test('is a header of the form that W3C Trace Context names', () => {
    const { random } = createRecordingClient().tab;
    const headers = [createTraceparent(random), createTraceparent(random)];
    for (const header of headers) expect(header).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(headers[0]).not.toBe(headers[1]);
  });
});

describe('a refused HEAD', () => {
  test('has the message and the hint of a GET of no rows', async () => {
    const { db, requests } = createRecordingClient([
      new Response(null, { status: 404, headers: { 'Proxy-Status': 'PostgREST; error=PGRST205' } }),
      json(
        {
          code: 'PGRST205',
          message: "Could not find the table 'public.note' in the schema cache",
          hint: "Perhaps you meant the table 'public.notes'",
        },
        { status: 404 },
      ),
    ]);
    await expect(db.from('notes').count().eq('status', 'done')).rejects.toMatchObject({
      code: 'not-found',
      serverCode: 'PGRST205',
      message: "Could not find the table 'public.note' in the schema cache",
      hint: "Perhaps you meant the table 'public.notes'",
    });
    expect(requests.map(({ method, url }) => `${method} ${new URL(url).search}`)).toEqual([
      'HEAD ?status=eq.done',
      'GET ?status=eq.done&limit=0',
    ]);
  });

  test('keeps its own code if the GET succeeds: by Proxy-Status, or by its status', async () => {
    const named = { 'Proxy-Status': 'PostgREST; error=PGRST205' };
    for (const [headers, serverCode] of [[named, 'PGRST205'] as const, [{}, null] as const]) {
      const { db } = createRecordingClient([new Response(null, { status: 404, headers }), json([])]);
      await expect(db.from('notes').count()).rejects.toMatchObject({
        code: 'not-found',
        status: 404,
        serverCode,
      });
    }
  });

  test('is not repeated for an expired token, which the client refreshes first', async () => {
    const tokens = ['old', 'new'];
    const { db, requests } = createRecordingClient(
      [
        tokenRefusal('JWT expired', { method: 'HEAD' }),
        new Response(null, { headers: { 'Content-Range': '*/3' } }),
      ],
      { getAccessToken: async ({ rejectedToken } = {}) => tokens[rejectedToken ? 1 : 0] ?? null },
    );
    expect(await db.from('notes').count()).toBe(3);
    expect(requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  });
});
