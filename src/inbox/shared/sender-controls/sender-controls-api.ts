import type { Database } from '../../database.types.ts';
import { gt, is, or, type RestClient } from 'supabase-protocol-clients/rest-client';

/** A sender whose notifications are refused. */
export interface BlockedSender {
  readonly senderId: string;
  /** null: the account has no name, or no longer exists. */
  readonly name: string | null;
}

/** An entity that notifications are about. */
export interface Thread {
  readonly entityType: string;
  readonly entityId: string;
  readonly entityName: string | null;
}

/** An entity that the user has muted. */
export interface MutedThread extends Thread {
  /** When the mute ends, in milliseconds since the epoch; null: when the user ends it. */
  readonly mutedUntilMs: number | null;
}

export const reportReasons = ['spam', 'phishing', 'abuse', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

export interface SenderReport {
  readonly notificationId: string;
  readonly reason: ReportReason;
  /** Empty without a comment. */
  readonly comment: string;
}

/** The requests with which a recipient limits senders. */
export interface SenderControlsApi {
  /** Newest first. */
  listBlocked(): Promise<readonly BlockedSender[]>;
  /** Idempotent. */
  block(senderId: string): Promise<void>;
  unblock(senderId: string): Promise<void>;
  /** Newest first, without the mutes that have ended. */
  listMuted(): Promise<readonly MutedThread[]>;
  /** The mute of the thread; null: it is not muted now. */
  readMute(thread: Thread): Promise<MutedThread | null>;
  /** Replaces an earlier mute of the thread. */
  mute(thread: MutedThread): Promise<void>;
  unmute(thread: Thread): Promise<void>;
  /** Reports a notification to the operators of the service; a second report replaces the first. */
  report(report: SenderReport): Promise<void>;
}

/** Maximum number of names per response. */
const longestNameList = 100;

export function createSenderControlsApi(rest: RestClient<Database>, userId: string): SenderControlsApi {
  return {
    ...createBlocks(rest, userId),
    ...createMutes(rest, userId),
    async report({ notificationId, reason, comment }) {
      const report = { notification_id: notificationId, reason, ...(comment !== '' && { comment }) };
      await rest.rpc('report_notification', report).execute();
    },
  };
}

function createBlocks(
  rest: RestClient<Database>,
  userId: string,
): Pick<SenderControlsApi, 'listBlocked' | 'block' | 'unblock'> {
  const table = () => rest.from('blocked_senders');
  return {
    async listBlocked() {
      const rows = await table()
        .select('sender_id')
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .limit(longestNameList)
        .execute();
      const ids = rows.map((row) => row.sender_id);
      if (ids.length === 0) return [];
      const names = await rest.rpc('sender_names', { sender_ids: ids }).execute();
      const nameOf = new Map(names.map((row) => [row.sender_id, row.name]));
      return ids.map((senderId) => ({ senderId, name: nameOf.get(senderId) || null }));
    },
    async block(senderId) {
      const row = { user_id: userId, sender_id: senderId };
      await table().upsert(row, { ignoreDuplicates: true }).execute();
    },
    async unblock(senderId) {
      await table().delete().eq('user_id', userId).eq('sender_id', senderId).execute();
    },
  };
}

function createMutes(
  rest: RestClient<Database>,
  userId: string,
): Pick<SenderControlsApi, 'listMuted' | 'readMute' | 'mute' | 'unmute'> {
  const table = () => rest.from('muted_threads');
  const currentMutes = () =>
    table()
      .select('entity_type, entity_id, entity_name, muted_until')
      .eq('user_id', userId)
      // `now` is the database's time, by which the mute ends.
      .where(or(is('muted_until', null), gt('muted_until', 'now')));
  return {
    async listMuted() {
      const rows = await currentMutes().order('created_at', { ascending: false }).execute();
      return rows.map(toMutedThread);
    },
    async readMute({ entityType, entityId }) {
      const [row] = await currentMutes().eq('entity_type', entityType).eq('entity_id', entityId).execute();
      return row ? toMutedThread(row) : null;
    },
    async mute({ entityType, entityId, entityName, mutedUntilMs }) {
      await table()
        .upsert({
          user_id: userId,
          entity_type: entityType,
          entity_id: entityId,
          entity_name: entityName,
          muted_until: mutedUntilMs === null ? null : new Date(mutedUntilMs).toISOString(),
        })
        .execute();
    },
    async unmute({ entityType, entityId }) {
      await table()
        .delete()
        .eq('user_id', userId)
        .eq('entity_type', entityType)
        .eq('entity_id', entityId)
        .execute();
    },
  };
}

function toMutedThread(row: {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly entity_name: string | null;
  readonly muted_until: string | null;
}): MutedThread {
  return {
    entityType: row.entity_type,
    entityId: row.entity_id,
    entityName: row.entity_name,
    mutedUntilMs: row.muted_until === null ? null : Date.parse(row.muted_until),
  };
}
