import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { handOver } from '../database/connect.ts';
import type { PgliteDatabase } from '../database/pglite-database.ts';
import type { PostgresSession } from '../database/postgres-session.ts';
import { createClientChannels, type ChannelChange, type ClientChannels } from './channels.ts';
import {
  restoreSession,
  saveSettings,
  send,
  type PortResponse,
  type ClientSession,
} from './client-session.ts';
import { errorMessage, renameStatement } from './messages.ts';
import type { Message } from './messages.ts';
import { RequestCollector, type PortRequest } from './request-collector.ts';

/** The state that all clients share. */
export interface Turns {
  last: object | undefined;
  /** The number of `DISCARD ALL` and similar statements, which remove every client's prepared statements. */
  discards: number;
}

export interface Connection {
  readonly socket: Socket;
  readonly database: PgliteDatabase;
  readonly turns: Turns;
  readonly number: number;
  readonly idleTransactionMs: number;
}

interface Arrived extends PortRequest {
  /** Names and parse messages of the statements that it prepares. */
  readonly prepared: readonly (readonly [string, Buffer])[];
}

/** How long the statement of a client that has disconnected may run on. */
const GONE_CLIENT_MS = 2000;
const LARGEST_SECRET = 2 ** 31 - 1;

/** Collects the messages of a client and runs them in its turns. */
export class Client {
  /** The secret that a cancel request must contain. */
  readonly secret = randomInt(1, LARGEST_SECRET);
  readonly #connection: Connection;
  readonly #statements = new Map<string, Buffer>();
  readonly #session: ClientSession;
  readonly #channels: ClientChannels;
  readonly #changes: ChannelChange[] = [];
  readonly #arrived: Arrived[] = [];
  readonly #collector: RequestCollector;
  readonly #ended = new AbortController();
  #preparing: (readonly [string, Buffer])[] = [];
  #wake: (() => void) | undefined;
  #isRunning = false;
  #isSending = false;

  constructor(connection: Connection) {
    const { socket, database } = connection;
    this.#connection = connection;
    this.#session = {
      user: 'postgres',
      settings: [],
      unnamed: undefined,
      statements: this.#statements,
      preparedIn: undefined,
    };
    this.#channels = createClientChannels(database, (bytes) => socket.write(bytes));
    this.#collector = new RequestCollector((bytes) => socket.write(bytes));
  }

  /** Sets the role of the client's statements, before the first of them. */
  signIn(user: string): void {
    this.#session.user = user;
  }

  /** Cancels the client's running statement, if any. */
  cancel(): void {
    if (this.#isSending) this.#connection.database.cancel();
  }

  take(received: Message): void {
    const bytes = renameStatement(received, (name) =>
      name === '' ? '' : `port_${this.#connection.number}_${name}`,
    );
    if (received.type === 'P') {
      const name = bytes.toString('utf8', 5, bytes.indexOf(0, 5));
      if (name === '') this.#session.unnamed = Buffer.from(bytes);
      else this.#preparing.push([name, Buffer.from(bytes)]);
    }
    const request = this.#collector.take({ type: received.type, bytes });
    if (!request) return;
    this.#arrived.push({ ...request, prepared: this.#preparing });
    this.#preparing = [];
    this.#wake?.();
    void this.#run();
  }

  end(): void {
    const { database } = this.#connection;
    this.#ended.abort();
    this.#wake?.();
    // PostgreSQL would finish the statement, which blocks the other clients here.
    setTimeout(() => this.cancel(), GONE_CLIENT_MS).unref();
    void database.session((pglite) => this.#forget(pglite)).catch(() => undefined);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    const { socket, database } = this.#connection;
    this.#isRunning = true;
    try {
      while (this.#arrived.length > 0 && !this.#ended.signal.aborted)
        await database.session((pglite) => this.#turn(pglite));
    } catch (problem) {
      const text = problem instanceof Error ? problem.message : String(problem);
      socket.end(errorMessage('FATAL', '57P02', text));
      this.#ended.abort();
    } finally {
      this.#isRunning = false;
    }
  }

  async #turn(pglite: PostgresSession): Promise<void> {
    const { database, turns } = this.#connection;
    const isOther = turns.last !== undefined && turns.last !== this.#session;
    if (isOther) await handOver(pglite);
    turns.last = this.#session;
    await restoreSession(pglite, this.#session, `${database.epoch()} ${turns.discards}`);
    while ((await this.#respond(pglite)) !== 'I');
    await saveSettings(pglite, this.#session);
  }

  async #respond(pglite: PostgresSession): Promise<PortResponse['status']> {
    const { socket } = this.#connection;
    const request = await this.#next();
    if (!request) {
      const text = 'terminating connection: its transaction was idle while others waited for the one session';
      if (!this.#ended.signal.aborted) socket.end(errorMessage('FATAL', '25P03', text));
      this.#ended.abort();
      await pglite.exec('rollback');
      return 'I';
    }
    this.#isSending = true;
    const { bytes, status, isError } = await send(pglite, request.bytes, request.sentTypes).finally(() => {
      this.#isSending = false;
    });
    if (!isError) this.#noteEffects(request);
    // Subscribe first: the client may rely on it as soon as it has the response.
    if (status === 'I') for (const change of this.#changes.splice(0)) await this.#channels.apply(change);
    socket.write(bytes);
    return status;
  }

  #noteEffects({ change, removesStatements, prepared }: Arrived): void {
    if (change) this.#changes.push(change);
    if (removesStatements) {
      this.#statements.clear();
      this.#connection.turns.discards += 1;
    }
    for (const [name, parse] of prepared) this.#statements.set(name, parse);
  }

  /** Waits for the client's next request. Undefined if the client has disconnected or kept others waiting for too long. */
  async #next(): Promise<Arrived | undefined> {
    const { database, idleTransactionMs } = this.#connection;
    const startedMs = performance.now();
    while (this.#arrived.length === 0 && !this.#ended.signal.aborted) {
      if (database.waiting() > 0 && performance.now() - startedMs > idleTransactionMs) return undefined;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#ended.signal.aborted ? undefined : this.#arrived.shift();
  }

  async #forget(pglite: PostgresSession): Promise<void> {
    const { turns } = this.#connection;
    await this.#channels.end();
    for (const name of this.#statements.keys())
      await pglite.exec(`deallocate "${name.replaceAll('"', '""')}"`).catch(() => undefined);
    if (turns.last !== this.#session) return;
    await handOver(pglite);
    turns.last = undefined;
  }
}
