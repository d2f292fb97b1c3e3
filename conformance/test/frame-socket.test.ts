import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { openFrameSocket } from '../src/audits/realtime/frame-socket.ts';

it('receives the frames after one that is not JSON', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (socket) => {
    socket.send('text');
    socket.send(Buffer.concat([Buffer.from([4, 1, 1, 1, 1]), Buffer.from('te{no JSON')]));
    socket.send('[null,"1","phoenix","phx_reply",{}]');
  });
  const realtimeUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const socket = await openFrameSocket({ target: { realtimeUrl, anonKey: '' } });
  await socket.expect('the reply', ({ ref }) => ref === '1');
  expect(socket.received.map(({ event }) => event)).toEqual(['', 'broadcast', 'phx_reply']);
  socket.close();
  server.close();
});
