import { inIdChunks } from '../data/id-chunks.ts';
import type { Database } from '../../../database.types.ts';
import { isDistinct, not } from 'supabase-protocol-clients/rest-client';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import type { OutboxOutcome, OutboxSender } from '../../../shared/outbox/outbox.ts';
import type { NotificationsApi } from '../data/notifications-api.ts';
import type { NotificationStatus } from '../model/notification.ts';
import { parseWaitingAction } from '../model/waiting-action.ts';
import type { WaitingAction } from '../model/waiting-action.ts';

/**
 * Sends actions that waited. Each write names the status that the row had: a row that was changed on another device
 * keeps its state, and a second attempt after a lost answer changes nothing.
 */
export function createWaitingActionSender(
  rest: RestClient<Database>,
  api: Pick<NotificationsApi, 'markAllRead' | 'removeAll' | 'snooze'>,
  userId: string,
): OutboxSender<WaitingAction> {
  const table = () => rest.from('notifications');
  const statusesOf = async (ids: readonly string[]) =>
    new Map(
      (
        await inIdChunks(ids, (chunk) =>
          table().select('id,status').eq('recipient_id', userId).in('id', chunk).execute(),
        )
      ).map(({ id, status }) => [id, status]),
    );

  const setStatus = async (
    ids: readonly string[],
    status: NotificationStatus,
    before: WaitingAction['before'],
  ): Promise<OutboxOutcome> => {
    const changed = await inGroups(ids, before, (chunk, from) => {
      const update = table().update({ status }).eq('recipient_id', userId).in('id', chunk);
      return (from ? update.where(hasStatus(from)) : update).select('id').execute();
    });
    const rows = await statusesOf(without(ids, changed));
    if ([...rows.values()].some((now) => now !== status)) return 'changed';
    return rows.size + changed.length < ids.length ? 'deleted' : 'sent';
  };
  const remove = async (ids: readonly string[], before: WaitingAction['before']): Promise<OutboxOutcome> => {
    const removed = await inGroups(ids, before, (chunk, from) => {
      const deletion = table().delete().eq('recipient_id', userId).in('id', chunk);
      return (from ? deletion.where(hasStatus(from)) : deletion).select('id').execute();
    });
    return (await statusesOf(without(ids, removed))).size > 0 ? 'changed' : 'sent';
  };

  return {
    parse: parseWaitingAction,
    async send({ operation, before }) {
      switch (operation.type) {
        case 'status':
          return setStatus(operation.ids, operation.status, before);
        case 'remove':
          return remove(operation.ids, before);
        case 'snooze':
          return (await api.snooze(operation.ids, operation.untilMs)).length < operation.ids.length
            ? 'deleted'
            : 'sent';
        case 'read-all':
          await api.markAllRead(operation.kind, operation.unread, operation.newest?.createdAt ?? null);
          return 'sent';
        case 'remove-all':
          await api.removeAll(operation.filter, operation.newest?.createdAt ?? null);
          return 'sent';
      }
    },
  };
}

/** Not `eq`, which an index of the status serves: in a small table it looks as good as that of the ids, and reads more rows. */
const hasStatus = (status: NotificationStatus) => not(isDistinct('status', status));

/** Writes per earlier status and in chunks. Returns the ids of the rows that were written. */
async function inGroups(
  ids: readonly string[],
  before: WaitingAction['before'],
  write: (
    chunk: readonly string[],
    from: NotificationStatus | undefined,
  ) => Promise<readonly { id: string }[]>,
): Promise<readonly string[]> {
  const written: string[] = [];
  for (const from of new Set(ids.map((id) => before[id]))) {
    const group = ids.filter((id) => before[id] === from);
    for (const { id } of await inIdChunks(group, (chunk) => write(chunk, from))) written.push(id);
  }
  return written;
}

function without(ids: readonly string[], excluded: readonly string[]): readonly string[] {
  const set = new Set(excluded);
  return ids.filter((id) => !set.has(id));
}
