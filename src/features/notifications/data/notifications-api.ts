import type { Database } from '../../../database.types.ts';
import { and, eq, is, lt, match, neq, not, or } from '../../../rest-client/index.ts';
import type { RestClient } from '../../../rest-client/index.ts';
import { notificationKinds, parseNotification } from '../model/notification.ts';
import type {
  Notification,
  NotificationContent,
  NotificationKind,
  NotificationStatus,
} from '../model/notification.ts';
import type { NotificationCounts } from '../model/notification-counts.ts';
import { everything } from '../model/notification-filter.ts';
import type { NotificationFilter } from '../model/notification-filter.ts';
import type { Cursor } from '../model/notifications-state.ts';

export interface NotificationPage {
  /** Newest first. */
  readonly notifications: readonly Notification[];
  /** Whether nothing older exists. */
  readonly isLast: boolean;
}

/** The calls to the table `notifications`, all of them limited to the reader's own rows. */
export interface NotificationsApi {
  /** The page after a notification, or the newest where `after` is null. */
  list(
    filter: NotificationFilter,
    page: { readonly after: Cursor | null; readonly limit: number; readonly signal?: AbortSignal },
  ): Promise<NotificationPage>;
  /** One of any status; null if there is none. */
  find(id: string): Promise<Notification | null>;
  countArchived(): Promise<number>;
  countAll(): Promise<NotificationCounts>;
  /**
   * Notifies a user. The server stamps the sender; a kind that the recipient has switched off creates nothing, which
   * the sender is not told.
   */
  create(recipientId: string, content: NotificationContent): Promise<void>;
  /**
   * Is sent to its end also where the page is left meanwhile, as all that changes something.
   *
   * @returns the rows as they are now; those that do not exist any more are missing.
   */
  setStatus(ids: readonly string[], status: NotificationStatus): Promise<readonly Notification[]>;
  markAllRead(kind: NotificationKind | null): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

/** An id takes 37 characters of the URL, which is kept well below 8,000. */
const idsPerRequest = 100;

/** @param report is told of rows that cannot be understood; they are left out. */
export function createNotificationsApi(
  rest: RestClient<Database>,
  userId: string,
  report: (problem: unknown) => void,
): NotificationsApi {
  const table = () => rest.from('notifications');
  const parse = (rows: readonly unknown[]) => rows.flatMap((row) => parseOrReport(row, report));
  const count = (filter: NotificationFilter) =>
    table()
      .count()
      .eq('recipient_id', userId)
      .where(...conditions(filter))
      .execute();

  return {
    async list(filter, { after, limit, signal }) {
      const rows = await table()
        .select()
        .eq('recipient_id', userId)
        .where(...conditions(filter), ...(after ? [isOlder(after)] : []))
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(limit)
        .execute({ signal });
      return { notifications: parse(rows), isLast: rows.length < limit };
    },
    async find(id) {
      const rows = await table().select().eq('recipient_id', userId).eq('id', id).execute();
      return parse(rows)[0] ?? null;
    },
    countArchived: () => count({ tab: 'archived', kind: null }),
    async countAll() {
      const named = notificationKinds.filter((kind) => kind !== 'system');
      const [all, unread, archived, ...unreadByKind] = await Promise.all([
        count(everything),
        count({ tab: 'unread', kind: null }),
        count({ tab: 'archived', kind: null }),
        ...named.map((kind) => count({ tab: 'unread', kind })),
      ]);
      const [mention = 0, edit = 0, comment = 0, invite = 0] = unreadByKind;
      const system = Math.max(0, unread - mention - edit - comment - invite);
      return { all, unread, archived, kinds: { mention, edit, comment, invite, system } };
    },
    async create(recipientId, content) {
      // Without an answer: the row is not the sender's to read.
      await table()
        .insert({ recipient_id: recipientId, content: JSON.stringify(content), status: 'unread' })
        .execute();
    },
    setStatus: async (ids, status) =>
      parse(
        await inChunks(ids, (chunk) =>
          table()
            .update({ status })
            .eq('recipient_id', userId)
            .in('id', chunk)
            .select()
            .execute({ keepalive: true }),
        ),
      ),
    async markAllRead(kind) {
      await table()
        .update({ status: 'read' })
        .eq('recipient_id', userId)
        .where(...conditions({ tab: 'unread', kind }))
        .execute({ keepalive: true });
    },
    async remove(ids) {
      await inChunks(ids, async (chunk) => {
        await table().delete().eq('recipient_id', userId).in('id', chunk).execute({ keepalive: true });
        return [];
      });
    },
  };
}

function conditions({ tab, kind }: NotificationFilter) {
  const status = tab === 'all' ? neq('status', 'archived') : eq('status', tab);
  return kind ? [status, ofKind(kind)] : [status];
}

/** The kind is part of a JSON text: the server narrows the list down, and the parsed content decides. */
function ofKind(kind: NotificationKind) {
  if (kind !== 'system') return typeMatches(`${kind}s?`);
  const named = notificationKinds.filter((other) => other !== 'system');
  return or(is('content', null), not(typeMatches(`(${named.join('|')})s?`)));
}

/** A regular expression without quotes and backslashes: not every server reads them well within `or`. */
function typeMatches(pattern: string) {
  return match('content', `.type.[[:space:]]*:[[:space:]]*.${pattern}[^[:alpha:]]`);
}

function isOlder({ createdAt, id }: Cursor) {
  return or(lt('created_at', createdAt), and(eq('created_at', createdAt), lt('id', id)));
}

async function inChunks<T>(
  ids: readonly string[],
  send: (chunk: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const answers: T[] = [];
  for (let at = 0; at < ids.length; at += idsPerRequest)
    answers.push(...(await send(ids.slice(at, at + idsPerRequest))));
  return answers;
}

function parseOrReport(row: unknown, report: (problem: unknown) => void): readonly Notification[] {
  try {
    return [parseNotification(row)];
  } catch (problem) {
    report(problem);
    return [];
  }
}
