import type { Database, Sql } from '../../database/database.ts';
import type { Claims } from '../../keys/keys.ts';

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

/** What triggers and policies can read of a request. */
export interface RequestScope {
  readonly claims: Claims;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  /** Path and query below `/storage/v1`, as sent. */
  readonly target: string;
  readonly operation: string | undefined;
}

/** Within this transaction, deleting rows is not refused: the service also removes their bytes. */
export const ALLOW_DELETION = `select set_config('storage.allow_delete_query', 'true', true)`;

/**
 * Sets what the storage service sets in each transaction (`src/internal/database/postgres/scope.ts`). The session's user
 * is a superuser and could assume any role; a role that a hosted project's login role cannot assume counts as `anon`.
 *
 * @param role undefined for the service itself.
 */
async function setScope(
  sql: Sql,
  { claims, token, headers, method, target, operation }: RequestScope,
  role?: string,
): Promise<void> {
  const settings = {
    'request.jwt': token,
    'request.jwt.claims': JSON.stringify(claims),
    'request.jwt.claim.role': typeof claims.role === 'string' ? claims.role : 'anon',
    'request.jwt.claim.sub': typeof claims.sub === 'string' ? claims.sub : '',
    'request.headers': JSON.stringify(headers),
    'request.method': method,
    'request.path': target,
    'storage.operation': operation,
    'storage.allow_delete_query': 'true',
  };
  await sql.query(
    `select set_config(name, value, true) from unnest($1::text[], $2::text[]) as setting (name, value)
     union all
     select set_config('role', coalesce((
       select rolname from pg_roles
       where rolname = $3 and not rolsuper and pg_has_role('authenticator', oid, 'MEMBER')
     ), 'anon'), true) where $3::text is not null`,
    [Object.keys(settings), Object.values(settings), role],
  );
}

/** Runs `task` as the service itself, after access was checked. */
export function withServiceRole<T>(
  database: Database,
  scope: Omit<RequestScope, 'claims'>,
  task: (sql: Sql) => Promise<T>,
): Promise<T> {
  return database.transaction(async (sql) => {
    await setScope(sql, { ...scope, claims: { role: 'service_role' } });
    return task(sql);
  });
}

/** Runs `task` with the caller's role and claims, so that policies apply. */
export function withCallerRole<T>(
  database: Database,
  scope: RequestScope,
  task: (sql: Sql) => Promise<T>,
): Promise<T> {
  const { role } = scope.claims;
  return database.transaction(async (sql) => {
    await setScope(sql, scope, String(role));
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

export function ownerOf({ sub }: { readonly sub?: unknown }): Owner {
  const id = typeof sub === 'string' ? sub : null;
  return { id, uuid: id !== null && UUID.test(id) ? id : null };
}
