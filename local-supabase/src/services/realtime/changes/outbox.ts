import type { Database } from '../../../database/database.ts';
import type { ChangeAction } from '../subscription/bindings.ts';
import { splitMembers } from './json-members.ts';

/** A captured row with the JSON text of each value, so that no digit is lost. */
export type RowText = Readonly<Record<string, string>>;

/** A position in commit order. */
export interface Place {
  readonly xid: string;
  readonly id: number;
}

export interface CapturedChange extends Place {
  readonly relation: number;
  readonly action: ChangeAction;
  /** In milliseconds; equal for all changes of a transaction. */
  readonly committedAt: string;
  readonly newRow: RowText | null;
  readonly oldRow: RowText | null;
}

/** A batch of whole transactions, or all changes up to a position. */
export type OutboxRange =
  | {
      readonly after: Place | null;
      /** The maximum number of changes, exceeded only to complete a transaction. */
      readonly maxChanges: number;
    }
  | { readonly upTo: Place };

/** Larger ranges are read in parts, so that other requests can use the session in between. */
const PART_SIZE = 500;
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** The position after the last change of a transaction. */
export const endOfTransaction = ({ xid }: Place): Place => ({ xid, id: LAST_ID });

/** Committed changes that are pending for delivery. */
export class Outbox {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The changes of a range, in commit order and in parts. */
  async *read(range: OutboxRange): AsyncGenerator<readonly CapturedChange[]> {
    const [after, end, maxChanges] =
      'upTo' in range ? [null, range.upTo, null] : [range.after, null, range.maxChanges];
    const partSize = Math.max(PART_SIZE, maxChanges ?? 0);
    let part = await this.#readPart(after, end, maxChanges, partSize);
    for (let last = part.at(-1); last; last = part.at(-1)) {
      yield part;
      if (part.length < partSize) return;
      // A part is at least as long as a batch, which then ends with the transaction of the part's last change.
      part = await this.#readPart(last, end ?? endOfTransaction(last), null, partSize);
    }
  }

  /** The position of the last pending change; null without one. */
  async last(): Promise<Place | null> {
    const [place] = await this.#database.query<Place>(
      'select xid::text, id from realtime.outbox order by outbox.xid desc, id desc limit 1',
    );
    return place ?? null;
  }

  /** Removes the changes up to a position. A transaction that ends later has a higher xid than every readable one. */
  async remove({ upTo }: { readonly upTo: Place }): Promise<void> {
    await this.#database.query('delete from realtime.outbox where (xid, id) <= ($1::text::xid8, $2::int8)', [
      upTo.xid,
      upTo.id,
    ]);
  }

  /** Whether committed changes may not be read yet, because a transaction that began before them is still open. */
  async hasUnreadable(): Promise<boolean> {
    const [found] = await this.#database.query<{ exists: boolean }>(
      'select exists (select from realtime.outbox where outbox.xid >= pg_snapshot_xmin(pg_current_snapshot()))',
    );
    return found?.exists === true;
  }

  /** Removes every committed change. */
  async clear(): Promise<void> {
    await this.#database.query(
      'delete from realtime.outbox where outbox.xid < pg_snapshot_xmin(pg_current_snapshot())',
    );
  }

  /**
   * Marks the service as running. After a crash, recent changes are kept for replay; otherwise changes that were
   * committed while no service ran, such as seeds, are removed.
   */
  async open(maxAgeMs: number): Promise<void> {
    await this.#database.query(
      `delete from realtime.outbox where not (select alive from realtime.process)
         or captured_at <= clock_timestamp() - $1 * interval '1 millisecond'`,
      [maxAgeMs],
    );
    await this.#database.query('update realtime.process set alive = true where not alive');
  }

  /** Marks the service as stopped gracefully. */
  async close(): Promise<void> {
    await this.#database.query('update realtime.process set alive = exists (select from realtime.outbox)');
  }

  async #readPart(
    after: Place | null,
    upTo: Place | null,
    maxChanges: number | null,
    partSize: number,
  ): Promise<CapturedChange[]> {
    const rows = await this.#database.query<OutboxRow>(
      'select * from realtime.waiting($1::text::xid8, $2, $3::text::xid8, $4, $5, $6)',
      [after?.xid ?? '0', after?.id ?? 0, upTo?.xid ?? null, upTo?.id ?? null, maxChanges, partSize],
    );
    return rows.map((row): CapturedChange => ({
      xid: row.xid,
      id: row.id,
      relation: row.relation,
      action: row.action,
      committedAt: row.committed_at,
      newRow: row.new_row === null ? null : splitMembers(row.new_row),
      oldRow: row.old_row === null ? null : splitMembers(row.old_row),
    }));
  }
}

interface OutboxRow {
  readonly xid: string;
  readonly id: number;
  readonly relation: number;
  readonly action: ChangeAction;
  readonly committed_at: string;
  readonly new_row: string | null;
  readonly old_row: string | null;
}
