import type { Transaction } from '@electric-sql/pglite';
import type { RemoteSession } from '../database/postgres-session.ts';

type Listener = (payload: string) => void;

/** Runs a transaction by statements, which PostgreSQL in another thread or process needs. */
export async function inTransaction<T>(
  { query, exec, crash }: Pick<RemoteSession, 'query' | 'exec' | 'crash'>,
  task: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  await exec('begin');
  try {
    const result = await task({ query, exec } as Transaction);
    await exec('commit');
    return result;
  } catch (problem) {
    if (!crash()) await exec('rollback');
    throw problem;
  }
}

/** The listeners of a session by channel. */
export class Listeners {
  readonly #byChannel = new Map<string, Set<Listener>>();

  notify(channel: string, payload: string): void {
    for (const listener of this.#byChannel.get(channel) ?? []) listener(payload);
  }

  /** @param session subscribes to the channel in PostgreSQL, and unsubscribes after the last listener has left. */
  async add(
    channel: string,
    listener: Listener,
    session: { readonly listen: () => Promise<unknown>; readonly unlisten: () => Promise<unknown> },
  ): Promise<() => Promise<void>> {
    const name = channelName(channel);
    const others = this.#byChannel.get(name) ?? new Set();
    this.#byChannel.set(name, others.add(listener));
    await session.listen();
    return async () => {
      others.delete(listener);
      if (others.size === 0) await session.unlisten();
    };
  }
}

/** PostgreSQL folds unquoted names to lower case. */
const channelName = (channel: string): string =>
  channel.startsWith('"') ? channel.slice(1, -1).replaceAll('""', '"') : channel.toLowerCase();
