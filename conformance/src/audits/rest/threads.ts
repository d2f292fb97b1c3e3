import type { AuditContext } from '../../audit/audit-context.ts';
import { at } from '../../target/wire.ts';
import { newCaller } from './callers.ts';
import { rowsOf } from './notifications.ts';

export const threads = '/muted_threads';

export const thread = (id: string, name: string | null = null) => ({
  entity_type: 'document',
  entity_id: id,
  entity_name: name,
});

/** A new user, and a function that returns the names of the user's threads by their ids. */
export async function newReader(context: AuditContext) {
  const caller = await newCaller(context);
  const stored = async () => {
    const query = { select: 'entity_id,entity_name', order: 'entity_id' };
    const rows = rowsOf(await caller.send('GET', threads, { query }));
    return Object.fromEntries(rows.map((row) => [String(at(row, 'entity_id')), at(row, 'entity_name')]));
  };
  return { ...caller, stored };
}
