import * as schema from 'supabase-protocol-clients/platform/schema';

/** The kinds of notifications (conformance/protocol/product.md#content-of-notifications), each with a separate filter. */
export const notificationKinds = ['mention', 'edit', 'comment', 'invite', 'system'] as const;
/** The kinds with a name and a filter. A user's notification without another kind is a `message`. */
export const namedKinds = ['mention', 'edit', 'comment', 'invite', 'message', 'system'] as const;
/** `other`: a kind without words in this application, such as `message`, or one that a team registered or sends. */
export type NotificationKind = (typeof notificationKinds)[number] | 'other';
export const notificationStatuses = ['unread', 'read', 'archived'] as const;
export type NotificationStatus = (typeof notificationStatuses)[number];

export interface Notification {
  readonly id: string;
  readonly status: NotificationStatus;
  /** The server's text, since the keyset cursor needs its microseconds. */
  readonly createdAt: string;
  readonly createdAtMs: number;
  /** `updated_at`; null on a table without it. Greater is newer. */
  readonly version: string | null;
  readonly kind: NotificationKind;
  /** The kind by its name, of `other` ones too: `message`, `build_failed`. */
  readonly kindName: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly entityType: string | null;
  readonly entityId: string | null;
  /** The entity as one text, `document/42`, as in the column `thread`; null: no entity. */
  readonly thread: string | null;
  /** The user who sent it, as the server stamped it; null: a service, a deleted account, or a table without the column. */
  readonly senderId: string | null;
  /** Until when it is or was snoozed, in milliseconds since the epoch; null: it was never snoozed. */
  readonly snoozedUntilMs: number | null;
  /** Whether it is snoozed now: it is in the list of snoozed notifications only. */
  readonly isSnoozed: boolean;
}

/** The decoded column `content`. */
export interface NotificationContent {
  readonly type: NotificationKind;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly entity_type?: string;
  readonly entity_id?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The columns that a row must have; the others may be missing. */
const notificationRow = schema.object({
  id: schema.string,
  status: schema.oneOf(notificationStatuses),
  created_at: schema.string,
  updated_at: schema.nullish(schema.string),
  content: schema.nullish(schema.string),
});

/**
 * A row of the table `notifications`. Content that is missing or cannot be parsed makes a `system` notification.
 *
 * @param nowMs the current time, which determines whether it is snoozed.
 * @throws {TypeError} if the row itself lacks its id, status or time.
 */
export function parseNotification(row: unknown, nowMs: number): Notification {
  const fields = notificationRow(row);
  const { id, status, created_at: createdAt, updated_at: version = null, content = null } = fields;
  const { type, metadata, data, entity_type: entityType, entity_id: entityId } = decode(content);
  const snoozedUntil = text(fields['snoozed_until']);
  const snoozedUntilMs = snoozedUntil === null ? null : Date.parse(snoozedUntil);
  const kindName = parseKindName(fields['kind'] ?? type);
  return {
    id,
    status,
    createdAt,
    createdAtMs: Date.parse(createdAt),
    version,
    kind: notificationKinds.find((kind) => kind === kindName) ?? 'other',
    kindName,
    metadata: record(metadata),
    data: record(data),
    entityType: text(entityType),
    entityId: text(entityId),
    thread: text(entityId) && `${text(entityType) ?? ''}/${text(entityId)}`,
    senderId: text(fields['sender_id']),
    snoozedUntilMs,
    isSnoozed: snoozedUntilMs !== null && snoozedUntilMs > nowMs,
  };
}

/** As {@link parseNotification}; a row that cannot be parsed is reported and left out. */
export function parseNotifications(
  rows: readonly unknown[],
  nowMs: number,
  report: (problem: unknown) => void,
): readonly Notification[] {
  return rows.flatMap((row) => {
    try {
      return [parseNotification(row, nowMs)];
    } catch (problem) {
      report(problem);
      return [];
    }
  });
}

/** Accepts the plural spellings too. A missing type is `system` (conformance/protocol/product.md#content-of-notifications). */
export function parseKindName(type: unknown): string {
  if (typeof type !== 'string' || type === '') return 'system';
  return notificationKinds.find((kind) => type === `${kind}s`) ?? type;
}

/** A position in the server's order, at which a read of a list ends. */
export type Cursor = Pick<Notification, 'id' | 'createdAt' | 'createdAtMs'>;

export function cursorOf({ id, createdAt, createdAtMs }: Cursor): Cursor {
  return { id, createdAt, createdAtMs };
}

/** Newest first, as the server orders: by creation, then by id. */
export function compareNewestFirst(one: Cursor, other: Cursor): number {
  return (
    other.createdAtMs - one.createdAtMs ||
    compareText(other.createdAt, one.createdAt) ||
    compareText(other.id, one.id)
  );
}

/** The newest by creation; undefined without rows. */
export function newestOf(rows: Iterable<Notification>): Notification | undefined {
  let newest: Notification | undefined;
  for (const row of rows) if (!newest || compareNewestFirst(row, newest) < 0) newest = row;
  return newest;
}

/** When it entered the inbox: its creation, or the end of its snooze. */
export function listedAtMs({ createdAtMs, snoozedUntilMs, isSnoozed, status }: Notification): number {
  const hasReturned = snoozedUntilMs !== null && !isSnoozed && status !== 'archived';
  return hasReturned ? Math.max(createdAtMs, snoozedUntilMs) : createdAtMs;
}

/** The shown time: of a snoozed notification, that of its return. */
export function shownAtMs(notification: Notification): number {
  const { isSnoozed, snoozedUntilMs } = notification;
  return isSnoozed && snoozedUntilMs !== null ? snoozedUntilMs : listedAtMs(notification);
}

/** The order of the inbox: as the server orders, with returned notifications at the time of their return. */
export function compareListed(one: Notification, other: Notification): number {
  return listedAtMs(other) - listedAtMs(one) || compareNewestFirst(one, other);
}

/** Whether it needs the user: a mention, an open invitation, or a notification that a backend marked as important. */
export function needsUser({ kindName, data }: Pick<Notification, 'kindName' | 'data'>): boolean {
  const isOpen = kindName === 'invite' && (data['answer'] ?? data['status'] ?? 'pending') === 'pending';
  return isOpen || kindName === 'mention' || data['important'] === true;
}

/** Whether a row has buttons that answer it: an invitation, or a message with buttons of its sender. */
export function asksForAnswer({ kind, data }: Pick<Notification, 'kind' | 'data'>): boolean {
  return kind === 'invite' || Array.isArray(data['actions']);
}

/** The first of `keys` that holds a text in `data` or `metadata`. */
export function contentText({ data, metadata }: Notification, ...keys: readonly string[]): string | null {
  return keys.map((key) => text(data[key]) ?? text(metadata[key])).find(Boolean) ?? null;
}

/** The first of `keys` that holds a text in `metadata`, which the server stamps. */
export function metadataText({ metadata }: Notification, ...keys: readonly string[]): string | null {
  return keys.map((key) => text(metadata[key])).find(Boolean) ?? null;
}

function decode(content: string | null): Record<string, unknown> {
  try {
    return record(JSON.parse(content ?? ''));
  } catch {
    return {};
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() ? value : typeof value === 'number' ? String(value) : null;
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
