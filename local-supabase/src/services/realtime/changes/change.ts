import { utf8Length } from '../../../platform/bytes.ts';
import type { ChangeAction } from '../subscription/bindings.ts';
import type { CapturedChange, RowText } from './outbox.ts';
import type { Relation } from '../subscription/relations.ts';
import type { RealtimeSettings } from '../settings.ts';

/** A captured change in the form of logical decoding: with the replica identity instead of the whole old row. */
export interface Change {
  readonly relation: Relation;
  readonly action: ChangeAction;
  readonly committedAt: string;
  /** The new values by column; empty for DELETE. */
  readonly record: RowText;
  /** The old values of the replica identity; empty for INSERT. */
  readonly identity: RowText;
  /** True when the change exceeds the size limit. */
  readonly tooLarge: boolean;
}

/** The maximum size of values that a change over the size limit keeps. */
const SMALL_BYTES = 64;

export function createChange(
  captured: CapturedChange,
  relation: Relation,
  { maxRecordBytes }: RealtimeSettings,
): Change {
  const newRow = wireValues(captured.newRow, relation);
  const oldRow = wireValues(captured.oldRow, relation);
  const identityColumns = new Set(
    relation.columns.filter(({ identity }) => identity).map(({ name }) => name),
  );
  const identity = Object.fromEntries(Object.entries(oldRow).filter(([name]) => identityColumns.has(name)));
  return {
    relation,
    action: captured.action,
    committedAt: captured.committedAt,
    record: newRow,
    identity,
    tooLarge: byteLength(newRow) + byteLength(identity) > maxRecordBytes,
  };
}

const byteLength = (row: RowText): number =>
  Object.entries(row).reduce((total, [name, value]) => total + name.length + utf8Length(value) + 4, 2);

/**
 * Casts values as the real server does. Its casts name a type without its length, so `character` and `bit` have length
 * 1; numbers without a JSON form become null; bytea becomes hex digits without `\\x`.
 */
function wireValues(row: RowText | null, { columns }: Relation): RowText {
  if (!row) return {};
  const changed = columns.flatMap(({ name, type }) => {
    const value = row[name];
    const wire = value === undefined ? undefined : wireValue(type, value);
    return wire === undefined || wire === value ? [] : [[name, wire] as const];
  });
  return { ...row, ...Object.fromEntries(changed) };
}

const NUMERIC_TYPES = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']);
const SINGLE_LENGTH_TYPES = new Set(['bpchar', 'bit']);

function wireValue(type: string, json: string): string {
  if (!/^["[]/.test(json)) return json;
  if (NUMERIC_TYPES.has(type)) return json.startsWith('"') ? 'null' : json;
  if (type === 'bytea') return json.replace(String.raw`"\\x`, '"');
  const element = type.replace(/^_/, '');
  if (!SINGLE_LENGTH_TYPES.has(element)) return json;
  return JSON.stringify(firstCharacters(JSON.parse(json)));
}

function firstCharacters(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(firstCharacters);
  return typeof value === 'string' ? Array.from(value).slice(0, 1).join('') : value;
}

/** The part of a change that a group of subscribers receives. */
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
      if (value === undefined || (tooLarge && utf8Length(value) > SMALL_BYTES)) return [];
      return [`${JSON.stringify(name)}:${value}`];
    });
    return `{${members.join(',')}}`;
  };
  // As policies cannot be evaluated for a deleted row, only its key is sent.
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

/** The `data` of a change to a role that may not read it. */
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
