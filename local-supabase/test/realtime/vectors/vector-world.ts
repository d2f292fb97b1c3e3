import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { openDatabase } from '../../../src/project/open-database.ts';
import type { Database } from '../../../src/database/database.ts';
import { createTokenKeys } from '../../../src/keys/keys.ts';
import { attachSockets } from '../../../src/server/socket-upgrades.ts';
import { createRealtimeService } from '../../../src/services/realtime/realtime-service.ts';
import { realisticTiming } from '../../../src/services/realtime/settings.ts';
import type { RealtimeSettings } from '../../../src/services/realtime/settings.ts';
import { createManualTimers } from '../manual-timers.ts';
import { readSetupSql } from './scenario.ts';

/** A server that runs scenarios. */
export interface VectorWorld {
  readonly url: string;
  readonly anonKey: string;
  /** The secret of the project's HS256 tokens. */
  readonly jwtSecret: string;
  /** Milliseconds since the epoch, by the server's clock. */
  readonly now: () => number;
  runSql(sql: string): Promise<void>;
  /** Signs with the project's secret. */
  signToken(claims: Record<string, unknown>): Promise<string>;
  connect(path: string): WebSocket;
  /** Advances the clock and waits for all due work. */
  advance(ms: number, isOver?: () => boolean): Promise<void>;
  /** Waits for all work in flight, without advancing the clock. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

const NO_PROJECT = new URL('./no-project/', import.meta.url);

/** The database of the recordings; as on the recorded server, all worlds share one. */
export async function createVectorDatabase(): Promise<Database> {
  const { database } = await openDatabase({ seed: false, project: NO_PROJECT });
  await database.exec(readSetupSql());
  return database;
}

/** The public development secret of the embedded project and of the vendor's local stack. */
const EMBEDDED_SECRET = 'super-secret-jwt-token-with-at-least-32-characters-long';

/** The embedded service with the real one's timing, on a clock that the replay controls. */
export async function createVectorWorld(
  shared: Database,
  settings: Partial<RealtimeSettings>,
): Promise<VectorWorld> {
  const timers = createManualTimers(Date.now());
  const work = new WorkCounter();
  const database = work.watch(shared);
  const keys = work.watch(await createTokenKeys({ now: timers.now }));
  const service = await createRealtimeService({
    database,
    keys,
    settings: { ...realisticTiming, ...settings },
    now: timers.now,
    timers,
    random: () => 0.5,
    report: () => {},
  });
  const handle = work.wrap(service.handle);
  const server = createServer((request, response) => {
    void respond(request, handle).then(async (result) => {
      response.writeHead(result.status, Object.fromEntries(result.headers));
      response.end(Buffer.from(await result.arrayBuffer()));
    });
  });
  attachSockets(server, service);
  await listen(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sockets = new Set<WebSocket>();

  const settle = async () => {
    for (let quiet = 0; quiet < 3; quiet += 1) {
      const before = work.finished;
      await Promise.all([...sockets].map(pingPong));
      await nextTurn();
      if (work.pending > 0 || work.finished !== before) quiet = -1;
    }
  };
  return {
    url,
    anonKey: keys.anonKey,
    jwtSecret: EMBEDDED_SECRET,
    now: timers.now,
    runSql: (sql) => database.exec(sql),
    signToken: (claims) => keys.sign(claims, { algorithm: 'HS256' }),
    connect(path) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
      socket.on('error', () => {});
      socket.once('open', () => sockets.add(socket));
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    settle,
    async advance(ms, isOver = () => false) {
      const untilMs = timers.now() + ms;
      await settle();
      while (timers.now() < untilMs && !isOver()) {
        timers.advance(Math.max(1, Math.min(timers.nextDueMs, untilMs) - timers.now()));
        await settle();
      }
    },
    async close() {
      for (const socket of sockets) socket.terminate();
      await service.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class WorkCounter {
  pending = 0;
  finished = 0;

  wrap<Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) {
    return async (...args: Args): Promise<Result> => {
      this.pending += 1;
      try {
        return await call(...args);
      } finally {
        this.pending -= 1;
        this.finished += 1;
      }
    };
  }

  watch<Target extends object>(target: Target): Target {
    return new Proxy(target, {
      get: (object, name) => {
        const member: unknown = Reflect.get(object, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const result: unknown = Reflect.apply(member, object, args);
          return result instanceof Promise ? this.wrap(() => result)() : result;
        };
      },
    });
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Waits for a pong: then the socket has read and written all earlier frames. */
function pingPong(socket: WebSocket): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      socket.off('pong', done);
      socket.off('close', done);
      resolve();
    };
    socket.once('pong', done);
    socket.once('close', done);
    socket.ping();
  });
}

async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

async function respond(
  request: IncomingMessage,
  handle: (request: Request) => Promise<Response>,
): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = 'GET', headers, url = '/' } = request;
  return handle(
    new Request(`http://realtime.test${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    }),
  );
}
