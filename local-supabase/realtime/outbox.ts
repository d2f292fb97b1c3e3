import type { Database } from '../database/database.ts';
import type { ChangeAction } from './bindings.ts';

/** A row as it was captured: its columns' values as JSON text, so that no digit is lost. */
export type RowText = Readonly<Record<string, string>>;

/** Where a change stands in the order of commits. */
export interface Place {
  readonly xid: string;
  readonly id: number;
}

export interface CapturedChange extends Place {
  readonly relation: number;
  readonly action: ChangeAction;
  /** The same for all changes of a transaction, to the millisecond. */
  readonly committedAt: string;
  readonly newRow: RowText | null;
  readonly oldRow: RowText | null;
}

/** Committed changes that wait for delivery. */
export interface Outbox {
  /** The first changes after `after` and up to `upTo`, in the order of their commits. */
  read(range?: { readonly after?: Place | null; readonly upTo?: Place | null }): Promise<CapturedChange[]>;
  /** The place of the last change that waits; null if none does. */
  last(): Promise<Place | null>;
  remove(changes: readonly Place[]): Promise<void>;
  removeUpTo(place: Place): Promise<void>;
  removeOlderThan(ageMs: number): Promise<void>;
}

export function createOutbox(database: Database): Outbox {
  return {
    async read({ after, upTo } = {}) {
      const first = after ?? { xid: '0', id: 0 };
      const rows = await database.query<OutboxRow>(READ, [
        first.xid,
        first.id,
        upTo?.xid ?? null,
        upTo?.id ?? null,
      ]);
      return rows.map((row) => ({
        xid: row.xid,
        id: row.id,
        relation: row.relation,
        action: row.action,
        committedAt: row.committed_at,
        newRow: row.new_row,
        oldRow: row.old_row,
      }));
    },
    async last() {
      const [place] = await database.query<Place>(
        'select xid::text, id from realtime.outbox order by outbox.xid desc, id desc limit 1',
      );
      return place ?? null;
    },
    async remove(changes) {
      await database.query(
        `delete from realtime.outbox where (xid, id) in (select x::xid8, i from unnest($1::text[], $2::int8[]) u(x, i))`,
        [changes.map(({ xid }) => xid), changes.map(({ id }) => id)],
      );
    },
    async removeUpTo({ xid, id }) {
      await database.query('delete from realtime.outbox where (xid, id) <= ($1::text::xid8, $2::int8)', [
        xid,
        id,
      ]);
    },
    async removeOlderThan(ageMs) {
      await database.query(
        `delete from realtime.outbox where captured_at < clock_timestamp() - $1 * interval '1 millisecond'`,
        [ageMs],
      );
    },
  };
}

interface OutboxRow {
  readonly xid: string;
  readonly id: number;
  readonly relation: number;
  readonly action: ChangeAction;
  readonly committed_at: string;
  readonly new_row: RowText | null;
  readonly old_row: RowText | null;
}

/**
 * Only transactions that ended before every running one are read: a statement that shares the session with an open
 * transaction must not see what may be rolled back, and an identity alone does not follow the order of commits.
 */
const READ = `
  select o.xid::text, o.id, o.relation::int8 as relation, o.action,
    to_char((select max(t.captured_at) from realtime.outbox t where t.xid = o.xid) at time zone 'utc',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as committed_at,
    (select jsonb_object_agg(key, value::text) from jsonb_each(o.new_row)) as new_row,
    (select jsonb_object_agg(key, value::text) from jsonb_each(o.old_row)) as old_row
  from realtime.outbox o
  where o.xid < pg_snapshot_xmin(pg_current_snapshot()) 
    and (o.xid, o.id) > ($1::text::xid8, $2::int8)
    and ($3::text is null or (o.xid, o.id) <= ($3::text::xid8, $4::int8))
  order by o.xid, o.id
  limit 200`;
