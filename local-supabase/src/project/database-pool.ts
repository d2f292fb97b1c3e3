import type { PGlite } from '@electric-sql/pglite';
import { saveImage } from '../database/database-image.ts';

/** In-memory databases in their initial state that wait for the next instance. */
export interface DatabasePool {
  /**
   * Takes a waiting database, or starts one.
   *
   * @param name identifies the initial state.
   */
  take: (name: string, start: () => Promise<PGlite>) => Promise<PGlite>;
  /** Keeps a database that its instance has closed, or closes it if it cannot be reused. */
  put: (pglite: PGlite) => Promise<void>;
  /**
   * Keeps a PostgreSQL beside the services running between two instances.
   *
   * @param lease takes a lease of it, and resolves to the function that gives it back.
   */
  hold: (name: string, lease: () => Promise<() => Promise<void>>) => Promise<void>;
  /** Closes the waiting databases. */
  close: () => Promise<void>;
}

interface Pooled {
  readonly name: string;
  readonly restore: () => boolean;
}

/**
 * Keeps closed in-memory databases for the next `createLocalSupabase` with the same project, which then takes a tenth
 * of the time. Each uses about 60 MiB while it waits.
 *
 * @param limit the maximum number of waiting databases; default 2.
 */
export function createDatabasePool(limit = 2): DatabasePool {
  const images = new WeakMap<PGlite, Pooled>();
  const waiting: PGlite[] = [];
  const leases = new Map<string, () => Promise<void>>();
  return {
    take: async (name, start) => {
      const index = waiting.findIndex((pglite) => images.get(pglite)?.name === name);
      if (index !== -1) return waiting.splice(index, 1)[0] as PGlite;
      const pglite = await start();
      images.set(pglite, { name, restore: await saveImage(pglite) });
      return pglite;
    },
    put: async (pglite) => {
      if (images.get(pglite)?.restore() !== true) return pglite.close();
      // The image contains the state of the random generator: without a new seed, `random()` would repeat its values.
      await pglite.query('select setseed($1)', [Math.random()]);
      waiting.push(pglite);
      if (waiting.length > limit) await waiting.shift()?.close();
    },
    hold: async (name, lease) => {
      if (!leases.has(name)) leases.set(name, await lease());
    },
    close: async () => {
      for (const pglite of waiting.splice(0)) await pglite.close();
      for (const release of leases.values()) await release();
      leases.clear();
    },
  };
}
