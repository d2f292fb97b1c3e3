import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A port that forwards to another one, with a delay in each direction. */
export interface SlowPath {
  readonly port: number;
  close(): Promise<void>;
}

export async function openSlowPath(toPort: number, delayMs: number): Promise<SlowPath> {
  const sockets = new Set<Socket>();
  const delay = (from: Socket, to: Socket) => {
    from.on('data', (chunk) => setTimeout(() => to.write(chunk), delayMs));
    from.on('end', () => setTimeout(() => to.end(), delayMs));
    from.on('error', () => to.destroy());
    from.on('close', () => setTimeout(() => to.destroy(), delayMs));
    to.on('error', () => undefined);
  };
  const server = createServer((client) => {
    const upstream = connect(toPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    delay(client, upstream);
    delay(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
