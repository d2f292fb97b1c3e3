import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { PgliteDatabase } from '../database/pglite-database.ts';
import { StartError } from '../platform/start-error.ts';
import { Client, type Connection, type Turns } from './client.ts';
import { createMessageReader, errorMessage, int32, message, startupParameters } from './messages.ts';
import type { Message } from './messages.ts';

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
  /** How long a transaction may be idle while others wait for the session, in milliseconds. Default 5000. */
  readonly idleTransactionMs?: number;
}

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
const PROTOCOL_3 = 3 << 16;
const PASSWORD = 'postgres';
const USERS = ['postgres', 'supabase_admin'];

/**
 * Shares the only session of the embedded PostgreSQL among clients: each has its own settings and prepared statements,
 * and a transaction blocks the others.
 *
 * @throws {StartError} if the port is taken.
 */
export async function startPostgresServer(options: PostgresServerOptions): Promise<PostgresServer> {
  const { database, port, idleTransactionMs = 5000 } = options;
  const [version] = await database.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  );
  const turns: Turns = { last: undefined, discards: 0 };
  const sockets = new Set<Socket>();
  const clients = new Map<number, Client>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.setNoDelay();
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    const number = count;
    serve({
      socket,
      database,
      turns,
      clients,
      number,
      version: version?.version ?? '',
      idleTransactionMs,
    });
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

interface Accepted extends Connection {
  readonly version: string;
  /** Clients by the number in their cancel requests. */
  readonly clients: Map<number, Client>;
}

function serve(connection: Accepted): void {
  const { socket, version, number, clients } = connection;
  const reader = createMessageReader();
  let isStarted = false;
  let signedIn = '';
  let isAdmitted = false;
  const client = new Client(connection);
  clients.set(number, client);
  const refuse = (code: string, text: string) => socket.end(errorMessage('FATAL', code, text));
  const start = (bytes: Buffer) => {
    const code = bytes.readInt32BE(4);
    if (code === SSL_REQUEST || code === GSS_REQUEST) return void socket.write('N');
    if (code === CANCEL_REQUEST && bytes.length === 16) {
      const target = clients.get(bytes.readInt32BE(8));
      if (target?.secret === bytes.readInt32BE(12)) target.cancel();
      return void socket.end();
    }
    if (code !== PROTOCOL_3) return void socket.destroy();
    const { user = '', database = user } = startupParameters(bytes);
    if (!USERS.includes(user))
      return void refuse('28000', `Sign in as ${USERS.join(' or ')}, not as "${user}"`);
    if (database !== 'postgres') return void refuse('3D000', `database "${database}" does not exist`);
    client.signIn(user);
    signedIn = user;
    isStarted = true;
    return void socket.write(message('R', int32(3)));
  };
  const admit = ({ type, bytes }: Message) => {
    if (type !== 'p' || bytes.toString('utf8', 5, bytes.length - 1) !== PASSWORD)
      return void refuse('28P01', `The password is "${PASSWORD}"`);
    isAdmitted = true;
    return void socket.write(
      Buffer.concat(greeting({ version, number, secret: client.secret, user: signedIn })),
    );
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
  socket.once('close', () => {
    clients.delete(number);
    client.end();
  });
}

interface Greeting extends Pick<Accepted, 'version' | 'number'> {
  readonly secret: number;
  readonly user: string;
}

function greeting({ version, number, secret, user }: Greeting): Buffer[] {
  const parameters = {
    server_version: version,
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    TimeZone: 'UTC',
    IntervalStyle: 'postgres',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
    is_superuser: user === 'supabase_admin' ? 'on' : 'off',
    session_authorization: user,
  };
  return [
    message('R', int32(0)),
    ...Object.entries(parameters).map(([name, value]) => message('S', name, value)),
    message('K', int32(number), int32(secret)),
    message('Z', Buffer.from('I')),
  ];
}
