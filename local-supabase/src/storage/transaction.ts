import type { Database, Sql } from '../database/database.ts';
import type { Claims } from '../keys/keys.ts';

/** A transaction with effects that run after its commit, so that bytes are removed only when no row refers to them. */
export interface Transaction extends Sql {
  afterCommit(effect: () => Promise<void>): void;
}

/** Runs `task` in the transaction that `begin` opens, then its effects. */
export async function withEffects<T>(
  begin: (task: (sql: Sql) => Promise<T>) => Promise<T>,
  task: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const effects: (() => Promise<void>)[] = [];
  const result = await begin((sql) =>
    task({ query: sql.query, afterCommit: (effect) => effects.push(effect) }),
  );
  for (const effect of effects) await effect();
  return result;
}

/**
 * Runs `task` with the caller's role and claims, so that policies apply. The session's user is a superuser and could
 * assume any role; a role that a hosted project's login role cannot assume counts as `anon`.
 */
export function asCaller<T>(database: Database, claims: Claims, task: (sql: Sql) => Promise<T>): Promise<T> {
  return database.transaction(async (sql) => {
    await sql.query(
      `select set_config('request.jwt.claims', $1, true), set_config('role', coalesce((
         select rolname from pg_roles
         where rolname = $2 and not rolsuper and pg_has_role('authenticator', oid, 'MEMBER')
       ), 'anon'), true)`,
      [JSON.stringify(claims), typeof claims.role === 'string' ? claims.role : 'anon'],
    );
    return task(sql);
  });
}

/** The owner of what a caller creates. */
export interface Owner {
  /** Any string. */
  readonly id: string | null;
  /** The id, if it is a UUID. */
  readonly uuid: string | null;
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[0-5][\da-f]{3}-[089ab][\da-f]{3}-[\da-f]{12}$/i;

export function ownerOf({ sub }: Claims): Owner {
  const id = typeof sub === 'string' ? sub : null;
  return { id, uuid: id !== null && UUID.test(id) ? id : null };
}
