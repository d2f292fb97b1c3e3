import { getEventListeners } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import {
  createFunctionsClient,
  FunctionsError,
  type InvokeOptions,
} from '../../src/functions-client/index.ts';
import { FunctionsClient } from '../../src/compat/functions.ts';
import { createRecordingTab, projectUrl } from '../rest-client/support/recording-client.ts';
import { json, never } from '../support/wire/replies.ts';
import type { Reply } from '../support/wire/scripted-wire.ts';

function createClient(
  replies: readonly Reply[] = [json({ ok: true })],
  apiKey = 'sb_publishable_x',
  token: string | null = null,
) {
  const { tab, requests, world } = createRecordingTab(replies);
  const getAccessToken = async () => token;
  return {
    functions: createFunctionsClient({ url: projectUrl, apiKey, platform: tab, getAccessToken }),
    requests,
    world,
  };
}

describe('a call', () => {
  test('a JSON response that cannot be parsed is an error with the text', async () => {
    const broken = new Response('{"a":', { headers: { 'Content-Type': 'application/json' } });
    const { functions } = createClient([broken]);
    await expect(functions.invoke('f')).rejects.toMatchObject({
      code: 'invalid-result',
      status: 200,
      body: '{"a":',
    });
  });

  test('is a POST to the name of the function', async () => {
    const { functions, requests } = createClient();
    expect(await functions.invoke('hello world/x')).toEqual({ ok: true });
    expect([requests[0]?.method, requests[0]?.url]).toEqual([
      'POST',
      `${projectUrl}/functions/v1/hello%20world/x`,
    ]);
  });

  test('keeps a slash at the end, which the function sees', async () => {
    const { functions, requests } = createClient([json({})]);
    await functions.invoke('f/');
    expect(requests[0]?.url).toBe(`${projectUrl}/functions/v1/f/`);
    await expect(functions.invoke('f//')).rejects.toMatchObject({ code: 'invalid-name' });
    await expect(functions.invoke('/')).rejects.toMatchObject({ code: 'invalid-name' });
  });

  test('keeps a query after the name, together with that of the region', async () => {
    const { functions, requests } = createClient([json({}), json({})]);
    await functions.invoke('report/today?tz=UTC&q=a%20b?');
    await functions.invoke('report?tz=UTC', { region: 'eu-central-1' });
    expect(requests.map(({ url }) => url.replace(`${projectUrl}/functions/v1/`, ''))).toEqual([
      'report/today?tz=UTC&q=a%20b?',
      'report?tz=UTC&forceFunctionRegion=eu-central-1',
    ]);
  });

  test.each([
    [{ a: 1 }, 'application/json', '{"a":1}'],
    ['text', 'text/plain', 'text'],
    [new Uint8Array([104, 105]), 'application/octet-stream', 'hi'],
    [new Blob(['x'], { type: 'image/png' }), 'image/png', 'x'],
    [new Blob(['flow']).stream(), 'application/octet-stream', 'flow'],
    [new URLSearchParams({ a: 'b c' }), 'application/x-www-form-urlencoded;charset=UTF-8', 'a=b+c'],
  ])('sends its body with its own type', async (body, type, text) => {
    const { functions, requests } = createClient();
    await functions.invoke('f', { body });
    expect(requests[0]?.headers.get('content-type')).toBe(type);
    expect(await requests[0]?.text()).toBe(text);
  });

  test('a call with a body that cannot be sent is refused before the request', async () => {
    const { functions, requests } = createClient();
    await expect(functions.invoke('f', { body: { n: 1n } })).rejects.toMatchObject({
      name: 'FunctionsError',
      code: 'invalid-body',
      cause: expect.any(TypeError),
    });
    expect(requests).toHaveLength(0);
  });

  test('sends a header of the caller instead of the default, in any case of letters', async () => {
    const { functions, requests } = createClient(undefined, 'sb_publishable_x', 'token');
    const headers = { 'CONTENT-TYPE': 'application/xml', authorization: 'Bearer mine' };
    await functions.invoke('f', { body: '<x/>', headers });
    const sent = requests[0]?.headers;
    expect([sent?.get('content-type'), sent?.get('authorization')]).toEqual([
      'application/xml',
      'Bearer mine',
    ]);
  });

  test('lets the service choose the location for the region any', async () => {
    const { functions, requests } = createClient();
    await functions.invoke('f', { region: 'any' });
    expect(requests[0]?.url).toBe(`${projectUrl}/functions/v1/f`);
    expect(requests[0]?.headers.get('x-region')).toBeNull();
  });

  test('sends a form with its parts', async () => {
    const { functions, requests } = createClient();
    const body = new FormData();
    body.set('name', 'value');
    await functions.invoke('f', { body });
    expect(requests[0]?.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/);
  });

  test('takes a method, headers and a region', async () => {
    const { functions, requests } = createClient();
    await functions.invoke('f', { method: 'GET', headers: { 'X-A': '1' }, region: 'eu-central-1' });
    const request = requests[0] as Request;
    expect([request.method, request.url]).toEqual([
      'GET',
      `${projectUrl}/functions/v1/f?forceFunctionRegion=eu-central-1`,
    ]);
    expect([request.headers.get('x-a'), request.headers.get('x-region')]).toEqual(['1', 'eu-central-1']);
  });

  test('never sends a publishable key as a token', async () => {
    const authorization = async (...args: [string, string | null]) => {
      const { functions, requests } = createClient(undefined, ...args);
      await functions.invoke('f');
      return requests[0]?.headers.get('authorization');
    };
    expect(await authorization('sb_publishable_x', null)).toBeNull();
    expect(await authorization('sb_secret_x', 'user')).toBe('Bearer user');
    expect(await authorization('aa.bb.cc', null)).toBe('Bearer aa.bb.cc');
  });

  test.each(['', '..', 'a/../b', 'a//b'])(
    'a call of the name %j is refused before anything is sent',
    async (name) => {
      const { functions, requests } = createClient();
      await expect(functions.invoke(name)).rejects.toMatchObject({ code: 'invalid-name' });
      expect(requests).toHaveLength(0);
    },
  );

  test.each<[string, InvokeOptions]>([
    ['a function', { body: () => 1 }],
    ['a symbol', { body: Symbol('x') }],
    ['a value whose toJSON returns nothing', { body: { toJSON: () => undefined } }],
    ['a GET request', { method: 'GET', body: { a: 1 } }],
  ])('fails as invalid-body for %s, and sends nothing', async (_what, options) => {
    const { functions, requests } = createClient();
    await expect(functions.invoke('f', options)).rejects.toMatchObject({ code: 'invalid-body' });
    expect(requests).toHaveLength(0);
  });

  test('sends a number sign in its query', async () => {
    const { functions, requests } = createClient();
    await functions.invoke('f?color=#fff&x=1');
    expect(requests[0]?.url).toMatch(/\/f\?color=%23fff&x=1$/);
  });
});

describe('a response', () => {
  const invokeWith = (body: BodyInit | null, type: string) =>
    createClient([new Response(body, { headers: { 'Content-Type': type } })]).functions.invoke('f');

  test('is read by its type', async () => {
    expect(await invokeWith('{"a":1}', 'application/json; charset=utf-8')).toEqual({ a: 1 });
    expect(await invokeWith('{"a":1}', 'application/problem+json')).toEqual({ a: 1 });
    expect(await invokeWith('{"a":1}', 'Application/JSON')).toEqual({ a: 1 });
    expect(await invokeWith('hi', 'text/html')).toBe('hi');
    expect(await invokeWith(new Uint8Array([1, 2]), 'application/pdf')).toBeInstanceOf(Blob);
  });

  test('is validated and typed by a schema', async () => {
    const schema = z.object({ ok: z.boolean() });
    const result: { ok: boolean } = await createClient().functions.invoke('f', { schema });
    expect(result).toEqual({ ok: true });
    const wrong = createClient([json({ ok: 'yes' })]).functions.invoke('f', { schema });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid-result', body: { ok: 'yes' } });
  });
});

describe('an error', () => {
  test('has the response of the function', async () => {
    const { functions } = createClient([json({ why: 'no' }, { status: 422 })]);
    const error = await functions.invoke('f').catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(FunctionsError);
    expect(error).toMatchObject({ code: 'http', status: 422, body: { why: 'no' } });
    const text = createClient([new Response('sorry', { status: 500 })]).functions.invoke('f');
    await expect(text).rejects.toMatchObject({ code: 'http', status: 500, body: 'sorry' });
  });

  test('an error of the relay has its own kind', async () => {
    const { functions } = createClient([
      new Response('boot failed', { status: 500, headers: { 'x-relay-error': 'true' } }),
    ]);
    await expect(functions.invoke('f')).rejects.toMatchObject({ code: 'relay' });
  });

  test('a timeout, a network failure and an abort have different codes', async () => {
    await expect(createClient([new TypeError('x')]).functions.invoke('f')).rejects.toMatchObject({
      code: 'network',
    });
    const { functions, world } = createClient([never]);
    await expect(functions.invoke('f', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    });
    const late = functions.invoke('f', { timeoutMs: 500 }).catch((problem: unknown) => problem);
    await world.clock.advance(500);
    expect(await late).toMatchObject({ code: 'timeout' });
  });
});

describe('a token source', () => {
  const connect = (getAccessToken: () => Promise<string | null>) => {
    const { tab, requests, world } = createRecordingTab();
    const functions = createFunctionsClient({ url: projectUrl, apiKey: 'k', platform: tab, getAccessToken });
    return { functions, requests, world };
  };

  test('a token source that fails, or throws at once, is an error of this client', async () => {
    const throwing = () => {
      throw new Error('gone');
    };
    for (const getAccessToken of [throwing, async () => throwing()]) {
      await expect(connect(getAccessToken).functions.invoke('f')).rejects.toMatchObject({
        name: 'FunctionsError',
        code: 'token-unavailable',
      });
    }
  });

  test('a token source that never settles delays neither abort nor deadline', async () => {
    const { functions, requests, world } = connect(() => new Promise(() => undefined));
    const controller = new AbortController();
    const aborted = functions.invoke('f', { signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
    const late = functions.invoke('f', { timeoutMs: 500 }).catch((problem: unknown) => problem);
    await world.clock.advance(500);
    expect(await late).toMatchObject({ code: 'timeout' });
    expect([requests.length, world.clock.pendingTimers]).toEqual([0, 0]);
  });
});

describe('server-sent events', () => {
  const streaming = (parts: readonly string[]) => {
    const bytes = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of parts) controller.enqueue(bytes.encode(part));
        controller.close();
      },
    });
    return createClient([new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })]);
  };
  const read = async (parts: readonly string[]) => {
    const events = [];
    for await (const event of streaming(parts).functions.events('f')) events.push(event);
    return events;
  };
  const stream = ': hello\n\nevent: tick\nid: 7\ndata: one\ndata: two\n\ndata:three\n\ndata: cut short';
  const expected = [
    { event: 'tick', data: 'one\ntwo', id: '7' },
    { event: 'message', data: 'three', id: '7' },
  ];

  test('keep the last id, and have the type message by default', async () => {
    expect(await read(['id: 1\n\nevent:\ndata: a\n\nid: b\0c\ndata: b\n\nid\ndata: c\n\n'])).toEqual([
      { event: 'message', data: 'a', id: '1' },
      { event: 'message', data: 'b', id: '1' },
      { event: 'message', data: 'c', id: '' },
    ]);
  });

  test('lose one space after the colon of a field, and keep every other character', async () => {
    expect(await read(['event:  tick\nid:  7\ndata:  a \ndata\ndata:b: c\n\n'])).toEqual([
      { event: ' tick', data: ' a \n\nb: c', id: ' 7' },
    ]);
  });

  test('end with the stream, also with a carriage return alone', async () => {
    expect(await read(['data: a\r\r'])).toMatchObject([{ data: 'a' }]);
    expect(await read(['data: a\r\n\r'])).toMatchObject([{ data: 'a' }]);
  });

  test('have their types and ids; an incomplete event is dropped', async () => {
    expect(await read([stream])).toEqual(expected);
  });

  test('are independent of chunk boundaries and line endings', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(stream.length), { maxLength: 6 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        async (cuts, lineEnd) => {
          const text = stream.replaceAll('\n', lineEnd);
          const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
          expect(await read(places.slice(1).map((end, index) => text.slice(places[index], end)))).toEqual(
            expected,
          );
        },
      ),
    );
  });

  test('have data of any size, each part of which is searched once', { timeout: 10_000 }, async () => {
    const part = 'x'.repeat(16_384);
    const [event] = await read(['data: ', ...Array.from({ length: 1_000 }, () => part), '\n\n']);
    expect(event?.data).toHaveLength(16_384_000);
  });

  test('cancel the request when the loop ends', async () => {
    const { functions, requests } = streaming(['data: 1\n\ndata: 2\n\n']);
    for await (const event of functions.events('f')) {
      expect(event.data).toBe('1');
      break;
    }
    expect(requests[0]?.headers.get('accept')).toBe('text/event-stream');
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  /** A stream that the test writes, and that fails when the request is aborted, as fetch's does. */
  const createLive = () => {
    let source: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        source = controller;
      },
    });
    const { functions, requests, world } = createClient([
      new Response(body, { headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } }),
    ]);
    const write = (text: string) => source?.enqueue(new TextEncoder().encode(text));
    return { functions, requests, world, write };
  };

  test('may last longer than the deadline, while something arrives', async () => {
    const { functions, world, write } = createLive();
    const events = functions.events('f', { timeoutMs: 1_000 });
    for (let count = 1; count <= 5; count += 1) {
      const next = events.next();
      await world.clock.advance(900);
      write(': still here\n');
      await world.clock.advance(900);
      write(`data: ${count}\n\n`);
      expect(await next).toMatchObject({ value: { data: String(count) } });
    }
  });

  test('time out when nothing arrives, and end the request', async () => {
    const { functions, requests, world, write } = createLive();
    const events = functions.events('f', { timeoutMs: 1_000 });
    write('data: 1\n\n');
    await events.next();
    const silent = events.next().catch((problem: unknown) => problem);
    await world.clock.advance(1_000);
    expect(await silent).toMatchObject({ name: 'FunctionsError', code: 'timeout' });
    expect([requests[0]?.signal.aborted, world.clock.pendingTimers]).toEqual([true, 0]);
  });

  test("end with the caller's signal while the stream is open", async () => {
    const { functions, write } = createLive();
    const leaving = new AbortController();
    const events = functions.events('f', { signal: leaving.signal });
    write('data: 1\n\n');
    await events.next();
    const next = events.next().catch((problem: unknown) => problem);
    leaving.abort();
    expect(await next).toMatchObject({ code: 'aborted' });
  });

  test('a response that is not an event stream is an error', async () => {
    for (const type of ['text/html', 'application/json']) {
      const { functions } = createClient([new Response('[]', { headers: { 'Content-Type': type } })]);
      await expect(functions.events('f').next()).rejects.toMatchObject({
        code: 'not-the-service',
        status: 200,
      });
    }
  });

  test('server-sent events that are refused throw the error', async () => {
    const { functions } = createClient([json({ why: 'no' }, { status: 403 })]);
    await expect(functions.events('f').next()).rejects.toMatchObject({ code: 'http', status: 403 });
  });
});

describe("the caller's signal", () => {
  const open = () => {
    const { tab, requests } = createRecordingTab([new Response('data: 1\n\n', events)]);
    const { signal } = new AbortController();
    const options = { url: projectUrl, apiKey: 'sb_publishable_x', platform: tab };
    return {
      functions: createFunctionsClient(options),
      compat: new FunctionsClient(options),
      requests,
      signal,
    };
  };
  const events = { headers: { 'content-type': 'text/event-stream' } };

  test('keeps no listener after a call', async () => {
    const { functions, compat, signal } = open();
    await functions.invoke('f', { signal });
    await functions.fetch('f', { signal });
    await functions.events('f', { signal }).next();
    for await (const event of functions.events('f', { signal })) expect(event.data).toBe('1');
    await compat.invoke('f', { signal, body: 'x' });
    // A stream of events that is still open: that of `next()`, and that of the vendor's form.
    expect(getEventListeners(signal, 'abort')).toHaveLength(2);
  });

  test('ends the reading of a response also where signals cannot be joined', async () => {
    const { functions, requests } = open();
    vi.stubGlobal('AbortSignal', {});
    const leaving = new AbortController();
    await functions.fetch('f', { signal: leaving.signal });
    leaving.abort(new Error('left'));
    expect(requests[0]?.signal.aborted).toBe(true);
    vi.unstubAllGlobals();
  });
});

describe('the response of a function', () => {
  test('has its headers and an unread body', async () => {
    const pdf = new Response('%PDF', { headers: { 'Content-Type': 'application/pdf', 'X-Pages': '3' } });
    const { functions, requests } = createClient([pdf]);
    const response = await functions.fetch('report', { method: 'GET' });
    expect([response.headers.get('x-pages'), response.bodyUsed, await response.text()]).toEqual([
      '3',
      false,
      '%PDF',
    ]);
    expect(requests[0]?.method).toBe('GET');
  });

  test("ends with the caller's signal after it has begun, and has no deadline then", async () => {
    const { functions, requests, world } = createClient([new Response('x')]);
    const leaving = new AbortController();
    await functions.fetch('report', { signal: leaving.signal, timeoutMs: 1_000 });
    await world.clock.advance(2_000);
    expect(requests[0]?.signal.aborted).toBe(false);
    leaving.abort();
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  test('is an error for a refusal', async () => {
    const { functions } = createClient([json({ why: 'no' }, { status: 403 })]);
    await expect(functions.fetch('f')).rejects.toMatchObject({ code: 'http', body: { why: 'no' } });
  });
});
