import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Database } from '../../database/database.ts';
import { encodeUtf8 } from '../../platform/bytes.ts';

/**
 * Updates the triggers to the publication, and the schema `realtime` to its SQL: the outbox of changes and its
 * triggers, permission checks, and broadcasts from the database. Can be applied again at any time, before or after the
 * tables and the publication exist; cheap if everything is current.
 *
 * @param schemaSql the SQL of `schema.sql`. Default: the database already contains it.
 */
export async function installRealtimeSchema(
  database: Database,
  publication: string,
  schemaSql?: string,
): Promise<void> {
  if (schemaSql !== undefined) await applySchema(database, schemaSql);
  await database.query(`select realtime.watch_publication($1)`, [publication]);
}

async function applySchema(database: Database, schemaSql: string): Promise<void> {
  const fingerprint = bytesToHex(sha256(encodeUtf8(schemaSql))).slice(0, 16);
  const [installed] = await database.query<{ mark: string | null }>(
    `select obj_description(to_regnamespace('realtime')::oid, 'pg_namespace') as mark`,
  );
  if (installed?.mark === fingerprint) return;
  await database.exec(`${schemaSql}\ncomment on schema realtime is '${fingerprint}';`);
}
