import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Database } from '../database/database.ts';

/**
 * The schema `realtime`: the outbox of changes and its triggers, permission checks, and broadcasts from the database. It
 * can be applied again at any time, before or after the tables and the publication exist.
 */
export const realtimeSchemaSql: string = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8');

const fingerprint = createHash('sha256').update(realtimeSchemaSql).digest('hex').slice(0, 16);

/** Updates the schema to this version and the triggers to the publication. Cheap when both are current. */
export async function installRealtimeSchema(database: Database, publication: string): Promise<void> {
  const [installed] = await database.query<{ mark: string | null }>(
    `select obj_description(to_regnamespace('realtime')::oid, 'pg_namespace') as mark`,
  );
  if (installed?.mark !== fingerprint) {
    await database.exec(`${realtimeSchemaSql}\ncomment on schema realtime is '${fingerprint}';`);
  }
  await database.query(`select realtime.watch_publication($1)`, [publication]);
}
