import { randomUUID } from 'node:crypto';
import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertStatus, at, createWire } from '../../target/wire.ts';
import { inboxTopicOf, joinOk, newRoom, withSocket } from './audit-socket.ts';
import { httpUrlOf, httpWith } from './broadcast-http.ts';
import { isBroadcast, type FrameSocket } from './frame-socket.ts';

const audit = auditsOf('realtime');
const since = '1.0.0';

const httpOfUser = async (context: AuditContext) =>
  httpWith(context, context.target.anonKey, (await context.newUser()).accessToken);

/** Joins a new room as a new user, for a `task` that posts with the API key alone. */
const withRoom = async (
  context: AuditContext,
  task: (name: string, socket: FrameSocket, send: ReturnType<typeof httpWith>) => Promise<void>,
  name = newRoom(),
): Promise<void> => {
  const user = await context.newUser();
  await withSocket(context, async (socket) => {
    await joinOk(socket, name, user, {});
    await task(name, socket, httpWith(context, context.target.anonKey));
  });
};

const BOUNDARY = 'boundary-of-the-parts-of-a-form';
const BLANK = "can't be blank";
const INVALID = 'is invalid';
const JSON_TYPE = 'application/json; charset=utf-8';
const GOOD = { topic: 'a', event: 'b', payload: {} };

const refusals: readonly Audit[] = [
  audit(
    'RT-193',
    'a batch of broadcasts without messages is refused with 422',
    { source: 'protocol/realtime.md#broadcast' },
    async (context) => {
      const send = await httpOfUser(context);
      for (const body of [{}, { messages: [] }, { messages: [{ topic: 'a' }] }]) {
        const refused = await send('/broadcast', { body });
        assertStatus(refused, 422);
        assert.notEqual(at(refused.json, 'errors', 'messages'), undefined, 'errors.messages of the refusal');
      }
    },
  ),
  audit(
    'RT-194',
    'a single broadcast of another media type is refused with 415',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD' },
    async (context) => {
      const send = await httpOfUser(context);
      const headers = { 'Content-Type': 'text/plain' };
      assertStatus(await send('/broadcast/a/events/b', { headers, body: 'text' }), 415);
    },
  ),
  audit(
    'RT-195',
    'a single private broadcast without a policy for writing is refused with 403',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD' },
    async (context) => {
      const send = await httpOfUser(context);
      const query = { private: 'true' };
      assertStatus(await send('/broadcast/a/events/b', { query, body: {} }), 403);
    },
  ),
];

/** Messages of a batch, each with its errors. */
const FIELDS: readonly (readonly [message: object, errors: object])[] = [
  [
    { topic: 5, event: null, payload: [] },
    { topic: [INVALID], event: [BLANK], payload: [INVALID] },
  ],
  [
    { topic: null, event: true, payload: 5 },
    { topic: [BLANK], event: [INVALID], payload: [INVALID] },
  ],
  [
    { topic: '', event: '\t', payload: {} },
    { topic: [BLANK], event: [BLANK] },
  ],
  [{}, { topic: [BLANK], event: [BLANK], payload: [BLANK] }],
  [{ ...GOOD, private: 2 }, { private: [INVALID] }],
  [{ ...GOOD, id: 5 }, { id: [INVALID] }],
  [{ ...GOOD, id: null }, {}],
  [{ ...GOOD, private: 'TRUE' }, { private: [INVALID] }],
  ...[true, false, null, 'true', 'false', '1', '0'].map(
    (value) => [{ ...GOOD, private: value }, {}] as const,
  ),
];

const bodies: readonly Audit[] = [
  audit(
    'RT-382',
    'each kind of invalid field in a batch has its error, and a sound message none',
    { source: 'protocol/realtime.md#broadcast', since },
    async (context) => {
      const send = httpWith(context, context.target.anonKey);
      const refused = await send('/broadcast', { body: { messages: FIELDS.map(([message]) => message) } });
      assert.deepEqual(
        [refused.status, refused.json],
        [422, { errors: { messages: FIELDS.map(([, errors]) => errors) } }],
        'the status and the body',
      );
      for (const [messages, error] of [
        [undefined, BLANK],
        [null, INVALID],
        [[], BLANK],
        [{}, BLANK],
        ['text', INVALID],
        [5, INVALID],
        [[GOOD, 5], INVALID],
      ] as const) {
        const { status, json } = await send('/broadcast', { body: { messages } });
        assert.deepEqual(
          [status, json],
          [422, { errors: { messages: [error] } }],
          `the status and the body for ${JSON.stringify(messages)}`,
        );
      }
    },
  ),
  audit(
    'RT-383',
    'the body of a broadcast by HTTP is read by its media type',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD', since },
    (context) =>
      withRoom(context, async (name, socket, send) => {
        const post = (event: string, type: string, body: unknown) =>
          send(`/broadcast/${name}/events/${event}`, { body, headers: { 'Content-Type': type } });
        assertStatus(await post('json', 'application/json; charset=utf-8', { b: 1, a: { d: 2, c: 3 } }), 202);
        assertStatus(await post('empty', 'application/json', ''), 202);
        assertStatus(await post('no bytes', 'application/octet-stream', ''), 202);
        const broken = await post('broken', 'application/json', '{');
        assert.deepEqual([broken.status, broken.text], [400, 'Bad Request'], 'the refusal of invalid JSON');
        const other = await post('other', 'text/plain', 'text');
        assert.deepEqual(
          [other.status, other.json],
          [415, { error: 'Unsupported Media Type. Use application/json or application/octet-stream' }],
          'the status and the body of another type',
        );
        const untyped = await context.target.fetch(httpUrlOf(context, `/broadcast/${name}/events/untyped`), {
          method: 'POST',
          body: new TextEncoder().encode('{}'),
          headers: { apikey: context.target.anonKey },
        });
        assert.equal(untyped.status, 202, 'the status without a type');
        assertStatus(await post('last', 'application/json', {}), 202);
        await socket.expect('the last', (frame) => at(frame.payload, 'event') === 'last');
        const received = socket.received.filter(isBroadcast).map(({ payload }) => payload);
        assert.deepEqual(
          received.map((payload) => at(payload, 'event')),
          ['json', 'empty', 'no bytes', 'untyped', 'last'],
          'the events',
        );
        assert.equal(
          JSON.stringify(at(received[0], 'payload')),
          '{"a":{"c":3,"d":2},"b":1}',
          'the payload, in the order of its members',
        );
        assert.deepEqual(at(received[1], 'payload'), {}, 'the payload of no body');
        assert.equal(String(at(received[2], 'payload')), '', 'the payload of no bytes');
      }),
  ),
  audit(
    'RT-384',
    'a broadcast by HTTP is private where the query says true, and its refusal says so',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD', since },
    async (context) => {
      const send = await httpOfUser(context);
      const refused = await send('/broadcast/a/events/b', { query: { private: 'true' }, body: {} });
      assert.deepEqual([refused.status, refused.json], [403, { message: 'Unauthorized' }], 'the refusal');
      assert.equal(refused.headers.get('content-type'), JSON_TYPE, 'content-type of the refusal');
      for (const value of ['false', '1', 'TRUE', '']) {
        const accepted = await send('/broadcast/a/events/b', { query: { private: value }, body: {} });
        assert.deepEqual([accepted.status, accepted.text], [202, ''], `the response to private=${value}`);
      }
    },
  ),
  audit(
    'RT-385',
    'the service responds to a ping',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD', since },
    async (context) => {
      const { anonKey, fetch } = context.target;
      const pong = await createWire(httpUrlOf(context, ''), anonKey, fetch).send('GET', '/ping');
      assert.deepEqual([pong.status, pong.json], [200, { message: 'Success' }], 'the status and the body');
    },
  ),
  audit(
    'RT-406',
    'a path or a method without a route is not found',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD', since },
    async (context) => {
      const { anonKey, fetch } = context.target;
      const wire = createWire(httpUrlOf(context, ''), anonKey, fetch);
      const isNotFound = async (...request: Parameters<typeof wire.send>) => {
        const { status, text } = await wire.send(...request);
        const [method, path] = request;
        assert.deepEqual([status, text], [404, 'Not Found'], `the status and the body of ${method} ${path}`);
      };
      const body = { messages: [GOOD] };
      for (const path of [
        '/other',
        '/broadcasts',
        '/broadcast/a',
        '/broadcast/a/events',
        '/broadcast/a/other/b',
        '/broadcast/a/events/b/c',
        '/broadcast//events/b',
        '/ping',
      ])
        await isNotFound('POST', path, { body });
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const)
        for (const path of ['/broadcast', '/broadcast/a/events/b']) await isNotFound(method, path);
    },
  ),
  audit(
    'RT-415',
    'a single broadcast by HTTP has JSON that is not an object as its member _json',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD', since },
    (context) =>
      withRoom(context, async (name, socket, send) => {
        const headers = { 'Content-Type': 'application/json' };
        const values = [[1, 'a'], 5, 'text', null, true];
        for (const value of values)
          assertStatus(
            await send(`/broadcast/${name}/events/a`, { body: JSON.stringify(value), headers }),
            202,
          );
        await socket.expect('all', () => socket.received.filter(isBroadcast).length === values.length);
        assert.deepEqual(
          socket.received.filter(isBroadcast).map(({ payload }) => at(payload, 'payload')),
          values.map((value) => ({ _json: value })),
          'the payloads',
        );
      }),
  ),
  audit(
    'RT-416',
    'a single broadcast by HTTP whose topic or event is blank is refused with 422',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD', since },
    async (context) => {
      const send = await httpOfUser(context);
      for (const [path, errors] of [
        ['/broadcast/%20/events/b', { topic: [BLANK] }],
        ['/broadcast/a/events/%09%20', { event: [BLANK] }],
        ['/broadcast/%20/events/%20', { topic: [BLANK], event: [BLANK] }],
      ] as const)
        for (const query of [{}, { private: 'true' }]) {
          const { status, json } = await send(path, { query, body: {} });
          assert.deepEqual([status, json], [422, { errors }], `the response to ${path}`);
        }
    },
  ),
];

const deliveries: readonly Audit[] = [
  audit(
    'RT-346',
    'the messages of a batch arrive at their topics in their order',
    { source: 'protocol/realtime.md#broadcast', since },
    async (context) => {
      const user = await context.newUser();
      const [first, second] = [newRoom(), newRoom()];
      await withSocket(context, async (socket) => {
        await joinOk(socket, first, user, {}, '1');
        await joinOk(socket, second, user, {}, '2');
        const message = (topic: string, event: string) => ({ topic, event, payload: { of: event } });
        const messages = [message(first, 'one'), message(second, 'two'), message(first, 'three')];
        assertStatus(
          await httpWith(context, context.target.anonKey)('/broadcast', { body: { messages } }),
          202,
        );
        await socket.expect('the messages', () => socket.received.filter(isBroadcast).length === 3);
        const received = (name: string) =>
          socket.received
            .filter((frame) => isBroadcast(frame) && frame.topic === `realtime:${name}`)
            .map(({ payload }) => payload);
        const expected = (event: string) => ({ type: 'broadcast', event, payload: { of: event } });
        assert.deepEqual(received(first), [expected('one'), expected('three')], 'the first payloads');
        assert.deepEqual(received(second), [expected('two')], 'the second payloads');
      });
    },
  ),
  audit(
    'RT-347',
    'the refusal of a batch names the invalid fields of each message, and sends none',
    { source: 'protocol/realtime.md#broadcast', since },
    (context) =>
      withRoom(context, async (name, socket, send) => {
        const good = { topic: name, event: 'shout', payload: {} };
        const refused = await send('/broadcast', {
          body: {
            messages: [good, { topic: ' ', payload: 'text' }, { ...good, private: 'maybe', payload: null }],
          },
        });
        assertStatus(refused, 422);
        assert.deepEqual(
          at(refused.json, 'errors', 'messages'),
          [
            {},
            { topic: ["can't be blank"], event: ["can't be blank"], payload: ['is invalid'] },
            { payload: ["can't be blank"], private: ['is invalid'] },
          ],
          'errors.messages of the refusal',
        );
        assertStatus(await send('/broadcast', { body: { messages: [{ ...good, event: 'last' }] } }), 202);
        await socket.expect('the last', isBroadcast);
        const events = socket.received.filter(isBroadcast).map(({ payload }) => at(payload, 'event'));
        assert.deepEqual(events, ['last'], 'the events of the broadcasts');
      }),
  ),
  audit(
    'RT-431',
    'a batch may be a form or in the query, names its members in brackets, and keeps the order of their numbers',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD', since },
    (context) =>
      withRoom(context, async (name, socket, send) => {
        const messageOf = (index: number, event: string): Record<string, string> => ({
          [`messages[${index}][topic]`]: name,
          [`messages[${index}][event]`]: event,
          [`messages[${index}][payload][a][b]`]: 'größer & more',
          [`messages[${index}][payload][list][]`]: 'x',
        });
        const form = new URLSearchParams({ ...messageOf(10, 'third'), ...messageOf(9, 'second') });
        form.append('messages[9][payload][list][]', 'y');
        const type = (text: string) => ({ 'Content-Type': text });
        const urlEncoded = type('Application/X-WWW-Form-Urlencoded; charset=utf-8');
        const query = messageOf(0, 'first');
        const parts = Object.entries(messageOf(0, 'fourth')).map(
          ([field, value]) =>
            `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
        );
        const last = { messages: [{ topic: name, event: 'last', payload: {} }] };
        for (const request of [
          { query, body: {} },
          { body: form.toString(), headers: urlEncoded },
          {
            body: `${parts.join('')}--${BOUNDARY}--\r\n`,
            headers: type(`multipart/form-data; boundary=${BOUNDARY}`),
          },
          { query, body: last },
        ])
          assertStatus(await send('/broadcast', request), 202);
        for (const [body, reason] of [
          ['', BLANK],
          ['messages=x', INVALID],
        ] as const) {
          const refused = await send('/broadcast', { body, headers: urlEncoded });
          assertStatus(refused, 422);
          assert.deepEqual(refused.json, { errors: { messages: [reason] } }, 'the body of the refusal');
        }
        const broken = await send('/broadcast', {
          body: 'x',
          headers: type(`multipart/form-data; boundary=${BOUNDARY}`),
        });
        assert.deepEqual([broken.status, broken.text], [400, 'Bad Request'], 'the refusal of a broken form');
        await socket.expect('the last', () => socket.received.filter(isBroadcast).length === 5);
        const payloadWith = (...list: readonly string[]) => ({ a: { b: 'größer & more' }, list });
        assert.deepEqual(
          socket.received
            .filter(isBroadcast)
            .map(({ payload }) => [at(payload, 'event'), at(payload, 'payload')]),
          [
            ['first', payloadWith('x')],
            ['second', payloadWith('x', 'y')],
            ['third', payloadWith('x')],
            ['fourth', payloadWith('x')],
            ['last', {}],
          ],
          'the events and payloads of the broadcasts',
        );
      }),
  ),
  audit(
    'RT-348',
    'a single broadcast by HTTP arrives at its topic as JSON or as bytes, and its names are decoded',
    { source: 'protocol/realtime.md#broadcast', since },
    (context) =>
      withRoom(
        context,
        async (name, socket, send) => {
          const path = `/broadcast/${encodeURIComponent(name)}/events/${encodeURIComponent('an event')}`;
          assertStatus(await send(path, { body: { text: 'größer', list: [1, null] } }), 202);
          assertStatus(
            await send(path, { body: 'abc', headers: { 'Content-Type': 'application/octet-stream' } }),
            202,
          );
          await socket.expect('both', () => socket.received.filter(isBroadcast).length === 2);
          const [json, bytes] = socket.received.filter(isBroadcast);
          assert.deepEqual(
            [json?.topic, at(json?.payload, 'event')],
            [`realtime:${name}`, 'an event'],
            'the names',
          );
          assert.deepEqual(at(json?.payload, 'payload'), { text: 'größer', list: [1, null] }, 'the payload');
          assert.equal(String(at(bytes?.payload, 'payload')), 'abc', 'the text of the bytes');
        },
        `${newRoom()} größe`,
      ),
  ),
  audit(
    'RT-349',
    'a private broadcast by HTTP reaches the private channel, and one without the right is dropped',
    { source: 'protocol/realtime.md#broadcast', needs: ['service-key'], since },
    async (context) => {
      const user = await context.newUser();
      await withSocket(context, async (socket) => {
        await joinOk(socket, inboxTopicOf(user), user, { private: true });
        const message = (event: string, isPrivate: boolean) => ({
          body: { messages: [{ topic: inboxTopicOf(user), event, payload: {}, private: isPrivate }] },
        });
        const asService = httpWith(context, context.target.serviceKey ?? '');
        assertStatus(
          await httpWith(context, context.target.anonKey)('/broadcast', message('forged', true)),
          202,
        );
        assertStatus(await asService('/broadcast', message('public', false)), 202);
        assertStatus(
          await asService(`/broadcast/${inboxTopicOf(user)}/events/single?private=true`, { body: {} }),
          202,
        );
        assertStatus(await asService('/broadcast', message('last', true)), 202);
        await socket.expect('the last', (frame) => at(frame.payload, 'event') === 'last');
        const events = socket.received.filter(isBroadcast).map(({ payload }) => at(payload, 'event'));
        assert.deepEqual(events, ['single', 'last'], 'the events of the broadcasts');
      });
    },
  ),
  audit(
    'RT-350',
    'a broadcast by HTTP with a token that is not valid is refused with 401',
    { source: 'protocol/realtime.md#broadcast', since },
    async (context) => {
      const send = httpWith(context, context.target.anonKey);
      const headers = { Authorization: 'Bearer not-a-jwt' };
      const batch = { messages: [{ topic: newRoom(), event: 'shout', payload: {} }] };
      for (const [path, body] of [
        ['/broadcast', batch],
        ['/broadcast/a/events/b', {}],
      ] as const) {
        const { status, json } = await send(path, { body, headers });
        assert.deepEqual([status, json], [401, { message: 'Unauthorized' }], `the refusal of ${path}`);
      }
    },
  ),
  audit(
    'RT-363',
    'a message of a batch may have an id, which its broadcast has in meta',
    { source: 'protocol/realtime.md#broadcast', level: 'SHOULD', since },
    (context) =>
      withRoom(context, async (name, socket, send) => {
        const message = { topic: name, event: 'shout', payload: {} };
        const id = randomUUID();
        const messages = [{ ...message, id }, message];
        assertStatus(await send('/broadcast', { body: { messages } }), 202);
        await socket.expect('both', () => socket.received.filter(isBroadcast).length === 2);
        const ids = socket.received.filter(isBroadcast).map(({ payload }) => at(payload, 'meta', 'id'));
        assert.deepEqual(ids, [id, undefined], 'the ids of the broadcasts');
      }),
  ),
  audit(
    'RT-364',
    'an accepted broadcast by HTTP has an empty response, and a refused token says so',
    { source: 'protocol/realtime.md#broadcast', since },
    async (context) => {
      const send = httpWith(context, context.target.anonKey);
      const body = { messages: [{ topic: newRoom(), event: 'shout', payload: {} }] };
      const accepted = await send('/broadcast', { body });
      assert.deepEqual([accepted.status, accepted.text], [202, ''], 'the status and the text');
      const refused = await send('/broadcast', { body, headers: { Authorization: 'Bearer not-a-jwt' } });
      assert.equal(at(refused.json, 'message'), 'Unauthorized', 'message of the refusal');
    },
  ),
];

/** Broadcasts by HTTP, in batches and single ones. */
export const realtimeHttpBroadcastAudits: readonly Audit[] = [...refusals, ...bodies, ...deliveries];
