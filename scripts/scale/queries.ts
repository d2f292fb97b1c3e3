/** A statement of the application, as the data service sends it to the database. */
export interface ScaleQuery {
  readonly name: string;
  readonly sql: string;
  /** Rows it returns or changes, where the result itself does not tell: a function's number. */
  readonly countsRows?: 'result';
  /**
   * Limits the time instead of the rows read. A word that is neither rare nor frequent needs more rows than it returns:
   * the index of words has no order.
   */
  readonly mostMilliseconds?: number;
}

const pageSize = 50;

const list = (user: string, condition: string, limit = pageSize) =>
  `select * from public.notifications where recipient_id = '${user}' and ${condition}
   order by created_at desc, id desc limit ${limit}`;

/** Where the pages of a deep list begin. */
export interface Depth {
  readonly createdAt: string;
  readonly id: string;
}

export function scaleQueries(user: string, id: string, depth: Depth): readonly ScaleQuery[] {
  const after = `created_at <= '${depth.createdAt}' and (created_at < '${depth.createdAt}' or id < '${depth.id}')`;
  const search = (args: string) => `select * from public.search_notifications(${args})`;
  return [
    { name: 'list: all', sql: list(user, `status <> 'archived'`) },
    { name: 'list: unread', sql: list(user, `status = 'unread'`) },
    { name: 'list: archived', sql: list(user, `status = 'archived'`) },
    { name: 'list: all, one kind', sql: list(user, `status <> 'archived' and kind = 'invite'`) },
    { name: 'list: unread, one kind', sql: list(user, `status = 'unread' and kind = 'invite'`) },
    { name: 'list: archived, one kind', sql: list(user, `status = 'archived' and kind = 'invite'`) },
    { name: 'list: a kind without rows', sql: list(user, `status <> 'archived' and kind = 'system'`) },
    { name: 'list: all, page in the middle', sql: list(user, `status <> 'archived' and ${after}`) },
    { name: 'list: archived, page in the middle', sql: list(user, `status = 'archived' and ${after}`) },
    { name: 'list: snoozed', sql: list(user, 'snoozed_until > now()') },
    {
      name: 'one notification',
      sql: `select * from public.notifications where id = '${id}' and recipient_id = '${user}'`,
    },
    { name: 'counts', sql: 'select * from public.notification_counts()' },
    {
      name: 'changes since a minute ago',
      sql: `select public.notification_changes(now() - interval '1 minute')`,
    },
    { name: 'preferences', sql: `select * from public.notification_preferences where user_id = '${user}'` },
    { name: 'search: frequent word', sql: search(`'notes'`) },
    { name: 'search: word of one in 400', sql: search(`'harbor'`), mostMilliseconds: 100 },
    { name: 'search: word of one in 20', sql: search(`'anchor'`), mostMilliseconds: 100 },
    { name: 'search: rare word', sql: search(`'zebra'`) },
    { name: 'search: beginning of a word', sql: search(`'zeb'`) },
    {
      name: 'search: two words, one kind',
      sql: search(`'harbor notes', 'archived', 'edit'`),
      mostMilliseconds: 100,
    },
    { name: 'search: no such word', sql: search(`'nonexistent'`) },
    { name: 'search: snoozed', sql: search(`'notes', 'snoozed'`) },
    {
      name: 'snooze one',
      sql: `update public.notifications set snoozed_until = now() + interval '1 day'
            where id = '${id}' and recipient_id = '${user}' returning *`,
    },
    {
      name: 'mark one as read',
      sql: `update public.notifications set status = 'read' where id = '${id}' and recipient_id = '${user}' returning *`,
    },
    {
      name: 'delete one',
      sql: `delete from public.notifications where id = '${id}' and recipient_id = '${user}' returning id`,
    },
    {
      name: 'mark all of a kind as read',
      sql: `select public.mark_all_notifications_read('invite') as number`,
      countsRows: 'result',
    },
    {
      name: 'mark all as read',
      sql: 'select public.mark_all_notifications_read() as number',
      countsRows: 'result',
    },
  ];
}
