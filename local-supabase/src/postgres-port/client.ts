import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { handOver } from '../database/connect.ts';
import type { PgliteDatabase } from '../database/pglite-database.ts';
import type { PostgresSession } from '../database/postgres-session.ts';
import { createClientChannels, type ChannelChange } from './channels.ts';
import { enterSession, saveSettings, send, type Answer, type ClientSession } from './client-session.ts';
import { errorMessage, renameStatement } from './messages.ts';
import type { Message } from './messages.ts';
import { createRequestCollector, type PortRequest } from './request-collector.ts';

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

export interface Client {
  /** The secret that a cancel request must contain. */
  readonly secret: number;
  /** Sets the role of the client's statements, before the first of them. */
  signIn(user: string): void;
  take(received: Message): void;
  /** Cancels the client's running statement, if any. */
  cancel(): void;
  end(): void;
}

interface Arrived extends PortRequest {
  /** Names and parse messages of the statements that it prepares. */
  readonly prepared: readonly (readonly [string, Buffer])[];
}

/** How long the statement of a client that has disconnected may run on. */
const GONE_CLIENT_MS = 2000;
const LARGEST_SECRET = 2 ** 31 - 1;

/** Collects the messages of a client and runs them in its turns. */
export function createClient({ socket, database, turns, number, idleTransactionMs }: Connection): Client {
  const statements = new Map<string, Buffer>();
  const session: ClientSession = {
    user: 'postgres',
    settings: [],
    unnamed: undefined,
    statements,
    preparedIn: undefined,
  };
  const channels = createClientChannels(database, (bytes) => socket.write(bytes));
  const changes: ChannelChange[] = [];
  const arrived: Arrived[] = [];
  let preparing: (readonly [string, Buffer])[] = [];
  const collector = createRequestCollector((bytes) => socket.write(bytes));
  let wake: (() => void) | undefined;
  let isRunning = false;
  let isSending = false;
  const ended = new AbortController();

  const rename = (name: string) => (name === '' ? '' : `port_${number}_${name}`);
  /** Waits for the client's next request. Undefined if the client has disconnected or kept others waiting for too long. */
  const next = async (): Promise<Arrived | undefined> => {
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
  const answer = async (pglite: PostgresSession): Promise<Answer['status']> => {
    const request = await next();
    if (!request) {
      const text = 'terminating connection: its transaction was idle while others waited for the one session';
      if (!ended.signal.aborted) socket.end(errorMessage('FATAL', '25P03', text));
      ended.abort();
      await pglite.exec('rollback');
      return 'I';
    }
    isSending = true;
    const { bytes, status, isError } = await send(pglite, request.bytes, request.answered).finally(() => {
      isSending = false;
    });
    if (!isError) {
      if (request.change) changes.push(request.change);
      if (request.removesStatements) {
        statements.clear();
        turns.discards += 1;
      }
      for (const [name, parse] of request.prepared) statements.set(name, parse);
    }
    // Subscribe first: the client may rely on it as soon as it has the response.
    if (status === 'I') for (const change of changes.splice(0)) await channels.apply(change);
    socket.write(bytes);
    return status;
  };
  const turn = async (pglite: PostgresSession): Promise<void> => {
    const isOther = turns.last !== undefined && turns.last !== session;
    if (isOther) await handOver(pglite);
    turns.last = session;
    await enterSession(pglite, session, `${database.epoch()} ${turns.discards}`);
    while ((await answer(pglite)) !== 'I');
    await saveSettings(pglite, session);
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
  const forget = async (pglite: PostgresSession) => {
    await channels.end();
    for (const name of statements.keys())
      await pglite.exec(`deallocate "${name.replaceAll('"', '""')}"`).catch(() => undefined);
    if (turns.last !== session) return;
    await handOver(pglite);
    turns.last = undefined;
  };
  return {
    secret: randomInt(1, LARGEST_SECRET),
    signIn(user) {
      session.user = user;
    },
    cancel() {
      if (isSending) database.cancel();
    },
    take(received) {
      const bytes = renameStatement(received, rename);
      if (received.type === 'P') {
        const name = bytes.toString('utf8', 5, bytes.indexOf(0, 5));
        if (name === '') session.unnamed = Buffer.from(bytes);
        else preparing.push([name, Buffer.from(bytes)]);
      }
      const request = collector.take({ type: received.type, bytes });
      if (!request) return;
      arrived.push({ ...request, prepared: preparing });
      preparing = [];
      wake?.();
      void run();
    },
    end() {
      ended.abort();
      wake?.();
      // PostgreSQL would finish the statement, which here keeps everybody waiting.
      setTimeout(() => {
        if (isSending) database.cancel();
      }, GONE_CLIENT_MS).unref();
      void database.session(forget).catch(() => undefined);
    },
  };
}
