import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binaryFrames } from '../../src/realtime-client/broadcast/binary-frames.ts';
import { parseWithExactIntegers } from '../../src/platform/exact-integers.ts';
import { postgresChangesProtocol } from '../../src/realtime-client/changes/protocol.ts';
import { encodeMessage, encodeSocketUrl, parseMessage } from '../../src/realtime-client/protocol/wire.ts';

const bare = { binaryFrames: null, postgresChanges: null };
const whole = { binaryFrames, postgresChanges: postgresChangesProtocol };

const ref = fc.option(fc.string());
/** JSON whose integers are all safe. */
const json = fc
  .jsonValue()
  .map((value): unknown =>
    JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
      Number.isInteger(part) && !Number.isSafeInteger(part) ? 0 : part,
    ),
  );
const message = fc.record({
  joinRef: ref,
  ref,
  topic: fc.string(),
  event: fc.string(),
  payload: json,
});

describe('frames', () => {
  it.each(['1.0.0', '2.0.0'] as const)('frames of version %s are decoded to what was encoded', (vsn) => {
    fc.assert(
      fc.property(message, (original) => {
        const frame = encodeMessage(original, vsn, whole);
        expect(JSON.stringify(parseMessage(frame, whole))).toEqual(JSON.stringify(original));
      }),
    );
  });

  it('are an array in version 2.0.0 and an object in 1.0.0', () => {
    const sent = { joinRef: '1', ref: '2', topic: 't', event: 'e', payload: { a: 1 } };
    expect(JSON.parse(String(encodeMessage(sent, '2.0.0', whole)))).toEqual(['1', '2', 't', 'e', { a: 1 }]);
    expect(JSON.parse(String(encodeMessage(sent, '1.0.0', whole)))).toEqual({
      join_ref: '1',
      ref: '2',
      topic: 't',
      event: 'e',
      payload: { a: 1 },
    });
  });

  it('have refs that are texts, whether the server writes texts or numbers', () => {
    expect(parseMessage('[1,"2","t","e",{}]', whole)).toMatchObject({ joinRef: '1', ref: '2' });
    expect(parseMessage('[null,{},"t","e",{}]', whole)).toMatchObject({ joinRef: null, ref: null });
  });

  it.each([['[1,1,2,"e",{}]'], ['[1,1,"t",2,{}]'], ['7'], [7], [null], [new Blob([])]])(
    '%s is not a message',
    (frame) => {
      expect(parseMessage(frame, whole)).toBeNull();
    },
  );

  it('of other events keep their numbers as JSON.parse reads them', () => {
    const frame = '[null,null,"t","presence_state",{"record":{"id":9007199254740993},"meta":{"id":"1"}}]';
    expect(parseMessage(frame, whole)?.payload).toEqual({
      record: { id: 9007199254740992 },
      meta: { id: '1' },
    });
  });

  it('parse to null when malformed', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.uint8Array().map(({ buffer }) => buffer),
        ),
        (frame) => {
          const parsed = parseMessage(frame, whole);
          expect(parsed === null || typeof parsed.topic === 'string').toBe(true);
        },
      ),
    );
  });

  it('carry binary broadcasts', () => {
    const [topic, event, meta, payload] = ['realtime:room', 'wave', '{"id":"1"}', '{"at":9007199254740993}'];
    const parts = [topic, event, meta].map((part) => Array.from(new TextEncoder().encode(part)));
    const bytes = [4, ...parts.map(({ length }) => length), 1, ...parts.flat()];
    const frame = Uint8Array.from([...bytes, ...new TextEncoder().encode(payload)]).buffer;
    expect(parseMessage(frame, bare)).toBeNull();
    expect(parseMessage(frame, whole)).toEqual({
      joinRef: null,
      ref: null,
      topic: 'realtime:room',
      event: 'broadcast',
      payload: { type: 'broadcast', event: 'wave', meta: { id: '1' }, payload: { at: '9007199254740993' } },
    });
  });

  it.each(['1.0.0', '2.0.0'] as const)(
    'of version %s keep every digit of a broadcast of the database, also as text',
    (vsn) => {
      const read = (meta: object) => {
        const payload = { type: 'broadcast', event: 'INSERT', meta, payload: { record: { id: 'ID' } } };
        const sent = { joinRef: null, ref: null, topic: 'realtime:a', event: 'broadcast', payload };
        const frame = String(encodeMessage(sent, vsn, whole)).replace('"ID"', '9007199254740993');
        return parseMessage(frame, whole)?.payload;
      };
      expect(read({ id: '1' })).toMatchObject({ payload: { record: { id: '9007199254740993' } } });
      expect(read({})).toMatchObject({ payload: { record: { id: 9007199254740992 } } });
    },
  );

  it('go to the websocket of a project at any path', () => {
    expect(encodeSocketUrl('http://127.0.0.1:8000/', 'a&b', '1.0.0')).toBe(
      'ws://127.0.0.1:8000/realtime/v1/websocket?apikey=a%26b&vsn=1.0.0',
    );
    expect(encodeSocketUrl('https://a.test', 'k', '2.0.0', { log_level: 'info', apikey: 'other' })).toBe(
      'wss://a.test/realtime/v1/websocket?log_level=info&apikey=k&vsn=2.0.0',
    );
    expect(encodeSocketUrl('https://proxy.test/supabase', 'k', '2.0.0')).toBe(
      'wss://proxy.test/supabase/realtime/v1/websocket?apikey=k&vsn=2.0.0',
    );
  });
});

describe('JSON', () => {
  it('is parsed as by JSON.parse when its integers are safe', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(parseWithExactIntegers(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('keeps every digit of any int8', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.string(), (integer, text) => {
        const parsed = parseWithExactIntegers(`{"n":${integer},${JSON.stringify(text)}:[${integer}]}`);
        const expected = Number.isSafeInteger(Number(integer)) ? Number(integer) : `${integer}`;
        expect(parsed).toMatchObject({ [text]: [expected] });
      }),
    );
  });

  it('leaves fractions, exponents, and digits within strings alone', () => {
    const text = String.raw`{"f":0.12345678901234567,"e":1e21,"s":"\"9007199254740993\\","t":"a9007199254740993"}`;
    expect(parseWithExactIntegers(text)).toEqual(JSON.parse(text));
  });

  it('survives a string of five million characters beside an unsafe integer', () => {
    const text = 'x'.repeat(5_000_000);
    expect(parseWithExactIntegers(`["${text}",9007199254740993]`)).toEqual([text, '9007199254740993']);
  });
});
