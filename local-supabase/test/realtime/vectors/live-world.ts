import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SignJWT } from 'jose';
import { WebSocket } from 'ws';
import type { VectorWorld } from './vector-world.ts';

/** A Realtime server that runs elsewhere, with `setup.sql` applied to its database. */
export interface LiveTarget {
  readonly url: string;
  readonly anonKey: string;
  readonly jwtSecret: string;
  /** A connection string for `psql`. */
  readonly databaseUrl: string;
}

/** The target of `VECTORS_URL`, which the nightly workflow sets; null for the embedded server. */
export function liveTarget(): LiveTarget | null {
  const { VECTORS_URL, VECTORS_ANON_KEY, VECTORS_JWT_SECRET, VECTORS_DATABASE_URL } = process.env;
  if (!VECTORS_URL || !VECTORS_ANON_KEY || !VECTORS_JWT_SECRET || !VECTORS_DATABASE_URL) return null;
  return {
    url: VECTORS_URL,
    anonKey: VECTORS_ANON_KEY,
    jwtSecret: VECTORS_JWT_SECRET,
    databaseUrl: VECTORS_DATABASE_URL,
  };
}

/** The longest time that a server on this machine takes for an effect without a delay. */
const SETTLE_MS = 150;
const CHECK_MS = 50;

/** The world of a live server. It uses the real clock, so a scenario's waits take real time. */
export function createLiveWorld({ url, anonKey, jwtSecret, databaseUrl }: LiveTarget): VectorWorld {
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  return {
    url,
    anonKey,
    jwtSecret,
    now: Date.now,
    async runSql(sql) {
      await promisify(execFile)('psql', [databaseUrl, '-v', 'ON_ERROR_STOP=1', '-q', '-c', sql]);
    },
    connect(path) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
      socket.on('error', () => {});
      return socket;
    },
    signToken: (claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .sign(new TextEncoder().encode(jwtSecret)),
    settle: () => sleep(SETTLE_MS),
    async advance(ms, isOver = () => false) {
      for (const endMs = Date.now() + ms; Date.now() < endMs && !isOver();) await sleep(CHECK_MS);
    },
    close: () => Promise.resolve(),
  };
}
