import type { Database } from '../../database/database.ts';
import type { ChangeAction } from '../subscription/bindings.ts';

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

/** How many changes `read` returns at most; `realtime.waiting` has the same number. */
export const READ_LIMIT = 200;

/** Committed changes that wait for delivery. */
export interface Outbox {
  /** The first changes after `after` and up to `upTo`, in the order of their commits; `READ_LIMIT` at most. */
  read(range?: { readonly after?: Place | null; readonly upTo?: Place | null }): Promise<CapturedChange[]>;
  /** The place of the last change that waits; null if none does. */
  last(): Promise<Place | null>;
  /**
   * Removes what was read up to a place. Nothing unread is among it: a transaction that ends later has a higher xid than
   * any that could be read.
   */
  remove(range: { readonly upTo: Place }): Promise<void>;
  /**
   * Begins a life. After a crash, what the last life left is kept, up to an age; otherwise the outbox is emptied of
   * what was written while nobody listened, such as seeds.
   */
  open(maxAgeMs: number): Promise<void>;
  /** Ends a life in good order. */
  close(): Promise<void>;
}

export function createOutbox(database: Database): Outbox {
  return {
    async read({ after, upTo } = {}) {
      const first = after ?? { xid: '0', id: 0 };
      const rows = await database.query<OutboxRow>(
        'select * from realtime.waiting($1::text::xid8, $2, $3::text::xid8, $4)',
        [first.xid, first.id, upTo?.xid ?? null, upTo?.id ?? null],
      );
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
    async remove({ upTo }) {
      await database.query('delete from realtime.outbox where (xid, id) <= ($1::text::xid8, $2::int8)', [
        upTo.xid,
        upTo.id,
      ]);
    },
    async open(maxAgeMs) {
      await database.query(
        `delete from realtime.outbox where not (select alive from realtime.process)
           or captured_at < clock_timestamp() - $1 * interval '1 millisecond'`,
        [maxAgeMs],
      );
      await database.query('update realtime.process set alive = true where not alive');
    },
    async close() {
      await database.query('update realtime.process set alive = exists (select from realtime.outbox)');
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
