import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import type { PgliteDatabase } from '../database/pglite-database.ts';
import { StartError } from '../http/start-error.ts';
import {
  discardTemporary,
  enterSession,
  leaveSession,
  send,
  type Answer,
  type ClientSession,
} from './client-session.ts';
import {
  createMessageReader,
  errorMessage,
  int32,
  message,
  renameStatement,
  startupParameters,
} from './messages.ts';
import type { Message } from './messages.ts';
import { createRequestCollector, type PortRequest } from './request-collector.ts';

/** PostgreSQL's protocol on 127.0.0.1, for psql, database GUIs and migration tools. */
export interface PostgresServer {
  /** `postgresql://postgres:postgres@127.0.0.1:<port>/postgres`, as the vendor's local stack prints it. */
  readonly url: string;
  close(): Promise<void>;
}

export interface PostgresServerOptions {
  readonly database: PgliteDatabase;
  /** 0 selects any free port. */
  readonly port: number;
  /** How long a transaction may wait for its client while others wait for the session, in milliseconds. Default 5000. */
  readonly idleTransactionMs?: number;
}

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const PROTOCOL_3 = 3 << 16;
const PASSWORD = 'postgres';
const USERS = ['postgres', 'supabase_admin'];

/**
 * Lets clients share the one session of the embedded PostgreSQL: each has its own settings and prepared statements, and
 * a transaction keeps the others waiting.
 *
 * @throws {StartError} if the port is taken.
 */
export async function startPostgresServer(options: PostgresServerOptions): Promise<PostgresServer> {
  const { database, port, idleTransactionMs = 5000 } = options;
  const [version] = await database.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  );
  const turns: Turns = { last: undefined };
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.setNoDelay();
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    serve({ socket, database, turns, number: count, version: version?.version ?? '', idleTransactionMs });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (problem: NodeJS.ErrnoException) =>
      reject(new StartError(`Port ${port} cannot be opened for PostgreSQL: ${problem.message}`, problem)),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `postgresql://postgres:${PASSWORD}@127.0.0.1:${taken}/postgres`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The client that had the session last. */
interface Turns {
  last: object | undefined;
}

interface Connection {
  readonly socket: Socket;
  readonly database: PgliteDatabase;
  readonly turns: Turns;
  readonly number: number;
  readonly version: string;
  readonly idleTransactionMs: number;
}

function serve(connection: Connection): void {
  const { socket, version, number } = connection;
  const reader = createMessageReader();
  let isStarted = false;
  let isAdmitted = false;
  const client = createClient(connection);
  const refuse = (code: string, text: string) => socket.end(errorMessage('FATAL', code, text));
  const start = (bytes: Buffer) => {
    const code = bytes.readInt32BE(4);
    if (code === SSL_REQUEST || code === GSS_REQUEST) return void socket.write('N');
    if (code !== PROTOCOL_3) return void socket.destroy();
    const { user = '', database = user } = startupParameters(bytes);
    if (!USERS.includes(user))
      return void refuse('28000', `Sign in as ${USERS.join(' or ')}, not as "${user}"`);
    if (database !== 'postgres') return void refuse('3D000', `database "${database}" does not exist`);
    isStarted = true;
    return void socket.write(message('R', int32(3)));
  };
  const admit = ({ type, bytes }: Message) => {
    if (type !== 'p' || bytes.toString('utf8', 5, bytes.length - 1) !== PASSWORD)
      return void refuse('28P01', `The password is "${PASSWORD}"`);
    isAdmitted = true;
    return void socket.write(Buffer.concat(greeting(version, number)));
  };
  socket.on('data', (chunk) => {
    try {
      for (const one of reader.read(chunk, () => isStarted)) {
        if (!isStarted) start(one.bytes);
        else if (!isAdmitted) admit(one);
        else if (one.type === 'X') socket.end();
        else client.take(one);
      }
    } catch (problem) {
      if (!(problem instanceof RangeError)) throw problem;
      socket.destroy();
    }
  });
  socket.once('close', () => client.end());
}

function greeting(version: string, number: number): Buffer[] {
  const parameters = {
    server_version: version,
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    TimeZone: 'UTC',
    IntervalStyle: 'postgres',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
    is_superuser: 'on',
    session_authorization: 'postgres',
  };
  return [
    message('R', int32(0)),
    ...Object.entries(parameters).map(([name, value]) => message('S', name, value)),
    message('K', int32(number), int32(0)),
    message('Z', Buffer.from('I')),
  ];
}

interface Client {
  take(received: Message): void;
  end(): void;
}

/** Collects the messages of a client, and runs them in its turns of the session. */
function createClient({ socket, database, turns, number, idleTransactionMs }: Connection): Client {
  const session: ClientSession = { settings: [], unnamed: undefined };
  const statements = new Set<string>();
  const arrived: PortRequest[] = [];
  const collector = createRequestCollector((bytes) => socket.write(bytes));
  let wake: (() => void) | undefined;
  let isRunning = false;
  const ended = new AbortController();

  const rename = (name: string) => (name === '' ? '' : `port_${number}_${name}`);
  /** Waits for what the client sends next; nothing comes where it is gone, or has kept others waiting for too long. */
  const next = async (): Promise<PortRequest | undefined> => {
    const startedMs = performance.now();
    while (arrived.length === 0 && !ended.signal.aborted) {
      if (database.waiting() > 0 && performance.now() - startedMs > idleTransactionMs) return undefined;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return ended.signal.aborted ? undefined : arrived.shift();
  };
  const answer = async (pglite: PGlite): Promise<Answer['status']> => {
    const request = await next();
    if (!request) {
      const text = 'terminating connection: its transaction was idle while others waited for the one session';
      if (!ended.signal.aborted) socket.end(errorMessage('FATAL', '25P03', text));
      ended.abort();
      await pglite.exec('rollback');
      return 'I';
    }
    const { bytes, status } = await send(pglite, request.bytes, request.answered);
    socket.write(bytes);
    return status;
  };
  const turn = async (pglite: PGlite): Promise<void> => {
    const isOther = turns.last !== undefined && turns.last !== session;
    if (isOther) await discardTemporary(pglite);
    turns.last = session;
    await enterSession(pglite, session);
    while ((await answer(pglite)) !== 'I');
    await leaveSession(pglite, session);
  };
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      while (arrived.length > 0 && !ended.signal.aborted) await database.session(turn);
    } catch (problem) {
      const text = problem instanceof Error ? problem.message : String(problem);
      socket.end(errorMessage('FATAL', '57P02', text));
      ended.abort();
    } finally {
      isRunning = false;
    }
  };
  const forget = async (pglite: PGlite) => {
    for (const name of statements)
      await pglite.exec(`deallocate "${name.replaceAll('"', '""')}"`).catch(() => undefined);
    if (turns.last === session) await discardTemporary(pglite);
    turns.last = undefined;
  };
  return {
    take(received) {
      const bytes = renameStatement(received, rename);
      if (received.type === 'P') {
        const name = bytes.toString('utf8', 5, bytes.indexOf(0, 5));
        if (name === '') session.unnamed = Buffer.from(bytes);
        else statements.add(name);
      }
      const request = collector.take({ type: received.type, bytes });
      if (!request) return;
      arrived.push(request);
      wake?.();
      void run();
    },
    end() {
      ended.abort();
      wake?.();
      void database.session(forget).catch(() => undefined);
    },
  };
}
