import type { Sql } from '../database/database.ts';

/** A transaction, and what waits for its commit: bytes go only once no row names them. */
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
