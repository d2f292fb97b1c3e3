import type { PgliteDatabase } from '../database/pglite-database.ts';
import { int32, message } from './messages.ts';

export interface ChannelChange {
  readonly listens: readonly string[];
  readonly unlistens: readonly string[];
  /** Whether it unsubscribes from all channels: `UNLISTEN *`, `DISCARD ALL`. */
  readonly unlistensAll: boolean;
}

const CHANNEL_STATEMENT = /(?:^|;)\s*(un)?listen\s+("(?:[^"]|"")+"|[\p{L}_][\p{L}\d_$]*|\*)\s*(?=;|$)/giu;
const DISCARDS = /(?:^|;)\s*discard\s+all\s*(?=;|$)/i;

/** Names keep the quotes of the statement. */
export function channelChangeOf(text: string): ChannelChange | undefined {
  if (!/listen|discard/i.test(text)) return undefined;
  const bare = text.replaceAll(/\/\*.*?\*\/|--[^\n]*/gs, ' ');
  const found = [...bare.matchAll(CHANNEL_STATEMENT)].map(([, un, name = '']) => ({
    isEnd: un !== undefined,
    name: name.startsWith('"') ? name : name.toLowerCase(),
  }));
  const unlistensAll = DISCARDS.test(bare) || found.some(({ isEnd, name }) => isEnd && name === '*');
  if (found.length === 0 && !unlistensAll) return undefined;
  return {
    listens: found.filter(({ isEnd }) => !isEnd).map(({ name }) => name),
    unlistens: found.filter(({ isEnd, name }) => isEnd && name !== '*').map(({ name }) => name),
    unlistensAll,
  };
}

export interface ClientChannels {
  /** Call it within a turn, after the statement's transaction. */
  apply(change: ChannelChange): Promise<void>;
  /** Call it within a turn. */
  end(): Promise<void>;
}

/**
 * Tracks a client's channels: PostgreSQL has one list per session, and all clients and services share one session.
 *
 * @param notify sends a notification to the client.
 */
export function createClientChannels(
  database: Pick<PgliteDatabase, 'listenWithin' | 'listenAgain'>,
  notify: (bytes: Buffer) => void,
): ClientChannels {
  const ends = new Map<string, () => Promise<void>>();
  const endOne = async (name: string) => {
    const end = ends.get(name);
    ends.delete(name);
    await end?.();
  };
  const endAll = async () => {
    for (const name of ends.keys()) await endOne(name);
  };
  return {
    async apply({ listens, unlistens, unlistensAll }) {
      if (unlistensAll) await endAll();
      for (const name of unlistens) await endOne(name);
      for (const name of listens) {
        if (ends.has(name)) continue;
        const channel = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
        const end = await database.listenWithin(name, (payload) =>
          notify(message('A', int32(0), channel, payload)),
        );
        ends.set(name, end);
      }
      if (unlistensAll || unlistens.length > 0) await database.listenAgain();
    },
    end: endAll,
  };
}
