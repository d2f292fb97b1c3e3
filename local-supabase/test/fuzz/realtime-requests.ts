import * as fc from 'fast-check';
import {
  bodyOf,
  contentTypes,
  type FuzzedRequest,
  methods,
  printable,
  segmentOf,
  valueOf,
} from './fuzzed-requests.ts';

const topics = ['room', 'realtime:room', 'phoenix', 'realtime:', ''];
const segment = segmentOf(...topics);
const value = valueOf(
  ...topics,
  [{ topic: 'room', event: 'e', payload: {} }],
  [{ topic: 1 }],
  [{ topic: 'room', private: 'x' }],
);

/** Broadcasts over HTTP. */
export const realtimeRequests: fc.Arbitrary<FuzzedRequest> = fc.record({
  method: fc.oneof({ weight: 4, arbitrary: fc.constant('POST') }, { weight: 1, arbitrary: methods }),
  path: fc.oneof(
    fc.constantFrom('/broadcast', '/ping', '/health', '/tenants', '/broadcast/'),
    fc
      .tuple(
        segment,
        segment,
        fc.constantFrom(
          '',
          '?private=true',
          '?private=%00',
          '?private=true&persist=true',
          '?persist[ttl]=-1&private=true',
        ),
      )
      .map(([topic, event, query]) => `/broadcast/${topic}/events/${event}${query}`),
  ),
  headers: fc.record(
    { 'content-type': contentTypes, authorization: printable },
    { requiredKeys: ['content-type'] },
  ),
  body: bodyOf(['messages', 'topic', 'event', 'payload', 'private'], value),
  isService: fc.boolean(),
});

const reference = fc.constantFrom<unknown>('1', '2', null, 1, '', {}, '\u0000');
const topic = fc.oneof(
  fc.constantFrom<unknown>('realtime:fuzz', 'realtime:other', 'phoenix', 'realtime:', '', 1, null),
  fc.string({ maxLength: 12, unit: 'binary' }),
);
const event = fc.constantFrom<unknown>(
  'phx_join',
  'phx_leave',
  'heartbeat',
  'access_token',
  'broadcast',
  'presence',
  'postgres_changes',
  'phx_close',
  'phx_reply',
  'system',
  '',
  1,
  null,
);
const change = fc.record(
  {
    event: valueOf('*', 'INSERT'),
    schema: valueOf('public', 'auth', '*'),
    table: valueOf('notes', '*', "x'; --"),
    filter: valueOf('id=eq.1', 'id=in.(1,2', 'id=eq.\u0000', 'x=like.%'),
  },
  { requiredKeys: [] },
);
const payload = fc.oneof(
  fc.record(
    {
      config: fc.record(
        {
          private: valueOf(),
          broadcast: valueOf({ self: true, ack: true }, { replay: { since: -1, limit: 1e9 } }),
          presence: valueOf({ key: 'k', enabled: true }, { key: '\u0000' }),
          postgres_changes: fc.oneof(fc.array(change, { maxLength: 3 }), valueOf()),
        },
        { requiredKeys: [] },
      ),
      access_token: valueOf('a.b.c'),
    },
    { requiredKeys: [] },
  ),
  fc.record({ type: valueOf('broadcast'), event: valueOf('e', 'track', 'untrack'), payload: valueOf() }),
  valueOf(),
);

/** WebSocket frames: of both versions, binary ones, and invalid ones. */
export const frames: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(reference, reference, topic, event, payload).map((parts) => JSON.stringify(parts)),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ topic, event, payload, ref: reference, join_ref: reference }, { requiredKeys: [] })
      .map((frame) => JSON.stringify(frame)),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 40, unit: 'binary' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '[', '[]', 'null', '[1,2,3,4,5,6]', '[[[[[[]]]]]]', '['.repeat(50_000)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(3, 3, 3, 0, 1, 2, 4, 255), fc.uint8Array({ maxLength: 24 }))
      .map(([kind, bytes]) => Uint8Array.from([kind, ...bytes])),
  },
);
