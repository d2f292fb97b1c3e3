import { parseNotification } from '../../../../src/inbox/features/notifications/model/notification.ts';
import type {
  Notification,
  NotificationKind,
  NotificationStatus,
} from '../../../../src/inbox/features/notifications/model/notification.ts';

export interface NotificationDetails {
  readonly id?: string;
  readonly status?: NotificationStatus;
  readonly kind?: NotificationKind;
  /** Minutes since the start of the test's world: greater is newer. */
  readonly minute?: number;
  /** The version of the row; null: a table without versions. */
  readonly version?: number | null;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A row of the table as PostgREST returns it. */
export function createRow(number: number, details: NotificationDetails = {}) {
  const { id, status = 'unread', kind = 'mention', minute = number, version = 0, data = {} } = details;
  const at = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString().replace('Z', '+00:00');
  return {
    id: id ?? `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    recipient_id: 'user',
    status,
    created_at: at,
    ...(version === null
      ? {}
      : { updated_at: new Date(Date.UTC(2026, 0, 1, 0, minute, version)).toISOString() }),
    content: JSON.stringify({ type: kind, data: { entity_name: `Document ${number}`, ...data } }),
  };
}

export function createNotification(number: number, details: NotificationDetails = {}): Notification {
  return parseNotification(createRow(number, details), 0);
}
