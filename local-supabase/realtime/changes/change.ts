import type { ChangeAction } from '../subscription/bindings.ts';
import type { CapturedChange, RowText } from './outbox.ts';
import type { Relation } from './relations.ts';
import type { RealtimeSettings } from '../settings.ts';

/** A captured change as a replication slot would tell it: the identity instead of the whole old row. */
export interface Change {
  readonly relation: Relation;
  readonly action: ChangeAction;
  readonly committedAt: string;
  /** The new values, by column; empty for DELETE. */
  readonly record: RowText;
  /** The old values that the replica identity keeps; empty for INSERT. */
  readonly identity: RowText;
  /** Larger than a change may be. */
  readonly tooLarge: boolean;
}

/** Values that survive in a change that is too large. */
const SMALL_BYTES = 64;
/** From about this size on PostgreSQL stores a value apart from its row. */
const TOAST_BYTES = 2_000;

export function createChange(
  captured: CapturedChange,
  relation: Relation,
  { maxRecordBytes, omitUnchangedToast }: RealtimeSettings,
): Change {
  const newRow = plainBytes(captured.newRow, relation);
  const oldRow = plainBytes(captured.oldRow, relation);
  const pick = (row: RowText, keep: (name: string, value: string) => boolean) =>
    Object.fromEntries(Object.entries(row).filter(([name, value]) => keep(name, value)));
  const columns = new Map(relation.columns.map((column) => [column.name, column]));
  const isUnchangedToast = (name: string, value: string) =>
    value.length > TOAST_BYTES && columns.get(name)?.toastable === true && oldRow[name] === value;
  const omits = omitUnchangedToast && captured.action === 'UPDATE' && !relation.fullIdentity;
  const record = omits ? pick(newRow, (name, value) => !isUnchangedToast(name, value)) : newRow;
  const identity = pick(oldRow, (name) => columns.get(name)?.identity === true);
  return {
    relation,
    action: captured.action,
    committedAt: captured.committedAt,
    record,
    identity,
    tooLarge: byteLength(record) + byteLength(identity) > maxRecordBytes,
  };
}

const byteLength = (row: RowText): number =>
  Object.entries(row).reduce((total, [name, value]) => total + name.length + Buffer.byteLength(value) + 4, 2);

/** The wire has bytea as hex digits without PostgreSQL's `\x`. */
function plainBytes(row: RowText | null, relation: Relation): RowText {
  if (!row) return {};
  const bytea = relation.columns.filter(
    ({ type, name }) => type === 'bytea' && row[name]?.startsWith(String.raw`"\\x`),
  );
  if (bytea.length === 0) return row;
  return { ...row, ...Object.fromEntries(bytea.map(({ name }) => [name, `"${row[name]?.slice(4) ?? ''}`])) };
}

/** What a group of subscribers may see of a change. */
export interface ChangeView {
  readonly readable: ReadonlySet<string>;
  readonly select: readonly string[] | null;
}

/** The `data` of a `postgres_changes` frame, as JSON text. */
export function renderChange(change: Change, { readable, select }: ChangeView): string {
  const { relation, action, tooLarge, record, identity } = change;
  const visible = relation.columns.filter(
    ({ name, primaryKey }) => readable.has(name) && (select === null || primaryKey || select.includes(name)),
  );
  const object = (row: RowText, names: readonly { readonly name: string }[]): string => {
    const members = names.flatMap(({ name }) => {
      const value = row[name];
      if (value === undefined || (tooLarge && Buffer.byteLength(value) > SMALL_BYTES)) return [];
      return [`${JSON.stringify(name)}:${value}`];
    });
    return members.length > 0 ? `{${members.join(',')}}` : '{}';
  };
  // A deleted row cannot be checked against policies any more, so no more than its key is told.
  const old =
    action === 'DELETE' && relation.rowSecurity ? visible.filter(({ primaryKey }) => primaryKey) : visible;
  return envelope(change, {
    columns: JSON.stringify(visible.map(({ name, type }) => ({ name, type }))),
    ...(action === 'DELETE' ? {} : { record: object(record, visible) }),
    ...(action === 'INSERT' ? {} : { old_record: object(identity, old) }),
    commit_timestamp: JSON.stringify(change.committedAt),
    errors: tooLarge ? '["Error 413: Payload Too Large"]' : 'null',
  });
}

/** A change that a role cannot be told, for the reason given. */
export function renderRefusal(change: Change, reason: string): string {
  return envelope(change, {
    columns: '[]',
    ...(change.action === 'DELETE' ? {} : { record: '{}' }),
    ...(change.action === 'INSERT' ? {} : { old_record: '{}' }),
    commit_timestamp: 'null',
    errors: JSON.stringify([reason]),
  });
}

function envelope({ relation, action }: Change, members: Record<string, string>): string {
  const all = {
    schema: JSON.stringify(relation.schema),
    table: JSON.stringify(relation.table),
    type: JSON.stringify(action),
    ...members,
  };
  return `{${Object.entries(all)
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')}}`;
}
