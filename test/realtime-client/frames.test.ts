import { RealtimeClient } from '@supabase/realtime-js';
import { WebSocket } from 'ws';
import { describe, expect, it } from 'vitest';
import { decodeFrame, encodeFrame, endpointUrl, type Message } from '../../src/realtime-client/frames.ts';

const vendor = new RealtimeClient('ws://project.test/realtime/v1', {
  params: { apikey: 'key' },
  transport: WebSocket as never,
});
const message: Message = {
  joinRef: '1',
  ref: '2',
  topic: 'realtime:room',
  event: 'presence',
  payload: { type: 'presence', event: 'track', payload: { name: 'Zoë' } },
};

describe('frames of the socket', () => {
  it('are those of the vendor’s client', () => {
    const { joinRef: join_ref, ...fields } = message;
    let encoded: unknown;
    vendor.encode({ join_ref, ...fields } as never, (frame: unknown) => (encoded = frame));
    expect(encodeFrame(message)).toBe(encoded);
    let decoded: unknown;
    vendor.decode(encodeFrame(message) as string, (frame: unknown) => (decoded = frame));
    expect(decoded).toEqual({ join_ref, ...fields });
  });

  it('carry a stored broadcast as the vendor’s client does', () => {
    for (const persist of [true, { ttl: 60 }]) {
      const payload = { type: 'broadcast', event: 'chat', payload: { text: 'Zoë' }, persist };
      let encoded: unknown;
      vendor.encode(
        { join_ref: '1', ref: '2', topic: 'realtime:room', event: 'broadcast', payload },
        (frame: unknown) => (encoded = frame),
      );
      const ours = encodeFrame({ ...message, event: 'broadcast', payload });
      expect([...(ours as Uint8Array)]).toEqual([...new Uint8Array(encoded as ArrayBuffer)]);
    }
  });

  it('are read back in both versions, and as bytes', () => {
    expect(decodeFrame(encodeFrame(message))).toEqual(message);
    expect(decodeFrame(encodeFrame(message, '1.0.0'))).toEqual(message);
    const payload = { type: 'broadcast', event: 'photo', payload: new Uint8Array([1, 2, 3]) };
    const bytes = encodeFrame({ ...message, event: 'broadcast', payload });
    expect(bytes).toBeInstanceOf(Uint8Array);
    // The kind of a client's broadcast, which only a server reads.
    expect(decodeFrame(bytes)).toBeNull();
    expect(decodeFrame('no frame')).toBeNull();
  });

  it('are sent to the address that the vendor’s client uses', () => {
    const parametersOf = (url: string) => Object.fromEntries(new URL(url).searchParams);
    const ours = endpointUrl({ url: 'http://project.test', apiKey: 'key' });
    expect(parametersOf(ours)).toEqual(parametersOf(vendor.endpointURL()));
    expect(new URL(ours).pathname).toBe(new URL(vendor.endpointURL()).pathname);
  });
});
