import { createRestService } from 'local-supabase/testing';
import { openProject } from 'local-supabase/testing';
import type { PgliteDatabase } from 'local-supabase/testing';
import type { Database } from '../../src/inbox/database.types.ts';
import { createAccountApi } from '../../src/inbox/features/account/account-api.ts';
import { sendAction } from '../../src/inbox/features/notifications/data/send-action.ts';
import { createNotificationsApi } from '../../src/inbox/features/notifications/data/notifications-api.ts';
import type { NotificationsApi } from '../../src/inbox/features/notifications/data/notifications-api.ts';
import { createStoredAction } from '../../src/inbox/features/notifications/model/notification-operation.ts';
import { createPreferencesApi } from '../../src/inbox/features/preferences/data/preferences-api.ts';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import { createRestClient } from '../../src/rest-client/index.ts';
import type { RestClient } from '../../src/rest-client/index.ts';

/** A statement of the application, as the data service sends it to the database. */
export interface ScaleQuery {
  readonly name: string;
  readonly sql: string;
  /** Whether the number of rows is the function's result. */
  readonly countsResponse: boolean;
  /** Replaces the limit of rows read for each row returned. */
  readonly most?: QueryLimit;
}

/** A limit that holds for any number of notifications. */
export interface QueryLimit {
  readonly milliseconds: number;
  readonly rowsRead: number;
}

/** The values that the recorded queries use. */
export interface ScaleTarget {
  readonly user: string;
  /** A notification of the user. */
  readonly id: string;
  /** Where the pages in the middle begin. */
  readonly depth: { readonly createdAt: string; readonly id: string };
}

interface ApplicationCall extends Pick<ScaleQuery, 'most'> {
  readonly name: string;
  readonly countsResponse?: boolean;
  run(clients: ApplicationClients): Promise<unknown>;
}

interface ApplicationClients {
  readonly rest: RestClient<Database>;
  readonly notifications: NotificationsApi;
}

/** Placeholder target while the queries are recorded, on a database without notifications. */
const recorded: ScaleTarget = {
  user: '11111111-0000-4000-8000-000000000000',
  id: '22222222-0000-4000-8000-000000000000',
  depth: { createdAt: '2001-02-03T04:05:06.789+00:00', id: '33333333-0000-4000-8000-000000000000' },
};
const minuteAgo = '2002-03-04T05:06:07.890+00:00';
const pageSize = 50;
/**
 * The limit for words that are neither rare nor frequent. The index of words has no order: a search reads at most 1,000 of its entries, and
 * then the newest rows, with their words, until the page is full.
 */
const mediumWord: QueryLimit = { milliseconds: 100, rowsRead: 3_400 };
const newest = { after: null, limit: pageSize };
const middle = {
  after: { ...recorded.depth, createdAtMs: Date.parse(recorded.depth.createdAt) },
  limit: pageSize,
};

function search(name: string, query: string, most?: QueryLimit): ApplicationCall {
  return {
    name,
    ...(most && { most }),
    run: ({ notifications: api }) => api.list({ tab: 'all', kind: null, query }, newest),
  };
}

/** Every call of the application's data layer that reads or writes notifications, including those that open the inbox. */
const calls: readonly ApplicationCall[] = [
  { name: 'list: all', run: ({ notifications: api }) => api.list({ tab: 'all', kind: null }, newest) },
  { name: 'list: unread', run: ({ notifications: api }) => api.list({ tab: 'unread', kind: null }, newest) },
  {
    name: 'list: archived',
    run: ({ notifications: api }) => api.list({ tab: 'archived', kind: null }, newest),
  },
  {
    name: 'list: snoozed',
    run: ({ notifications: api }) => api.list({ tab: 'snoozed', kind: null }, newest),
  },
  {
    name: 'list: all, one kind',
    run: ({ notifications: api }) => api.list({ tab: 'all', kind: 'invite' }, newest),
  },
  {
    name: 'list: unread, one kind',
    run: ({ notifications: api }) => api.list({ tab: 'unread', kind: 'invite' }, newest),
  },
  {
    name: 'list: archived, one kind',
    run: ({ notifications: api }) => api.list({ tab: 'archived', kind: 'invite' }, newest),
  },
  {
    name: 'list: a kind without rows',
    run: ({ notifications: api }) => api.list({ tab: 'all', kind: 'system' }, newest),
  },
  {
    name: 'list: all, page in the middle',
    run: ({ notifications: api }) => api.list({ tab: 'all', kind: null }, middle),
  },
  {
    name: 'list: archived, page in the middle',
    run: ({ notifications: api }) => api.list({ tab: 'archived', kind: null }, middle),
  },
  { name: 'one notification', run: ({ notifications: api }) => api.find(recorded.id) },
  { name: 'counts', run: ({ notifications: api }) => api.changes(null) },
  { name: 'changes since a minute ago', run: ({ notifications: api }) => api.changes(minuteAgo) },
  { name: 'preferences', run: ({ rest }) => createPreferencesApi(rest, recorded.user).read() },
  { name: 'mail status', run: ({ rest }) => rest.rpc('mail_status').execute() },
  { name: 'devices', run: ({ rest }) => createAccountApi(rest).listDevices(new AbortController().signal) },
  search('search: frequent word', 'notes'),
  search('search: word of one in 400', 'harbor', mediumWord),
  search('search: word of one in 20', 'anchor', mediumWord),
  search('search: two words, one in 20 has both', 'chapter 7', mediumWord),
  search('search: rare word', 'zebra'),
  search('search: beginning of a word', 'zeb'),
  search('search: no such word', 'nonexistent'),
  {
    name: 'search: two words, one kind',
    most: mediumWord,
    run: ({ notifications: api }) =>
      api.list({ tab: 'archived', kind: 'edit', query: 'harbor notes' }, newest),
  },
  {
    name: 'search: snoozed',
    run: ({ notifications: api }) => api.list({ tab: 'snoozed', kind: null, query: 'notes' }, newest),
  },
  {
    name: 'search: frequent word, page in the middle',
    run: ({ notifications: api }) => api.list({ tab: 'all', kind: null, query: 'notes' }, middle),
  },
  { name: 'mark one as read', run: ({ notifications: api }) => api.setStatus([recorded.id], 'read') },
  { name: 'snooze one', run: ({ notifications: api }) => api.snooze([recorded.id], Date.UTC(2100, 0)) },
  { name: 'delete one', run: ({ notifications: api }) => api.remove([recorded.id]) },
  {
    name: 'mark one as read, sent later',
    run: ({ notifications }) =>
      sendAction(notifications, {
        ...createStoredAction(
          { rows: new Map(), operations: [] },
          { type: 'status', ids: [recorded.id], status: 'read' },
        ),
        before: { [recorded.id]: 'unread' },
      }),
  },
  {
    name: 'mark few as read',
    run: ({ notifications: api }) => api.markAllRead('invite', 1, recorded.depth.createdAt),
  },
  {
    name: 'mark all of a kind as read',
    countsResponse: true,
    run: ({ notifications: api }) => api.markAllRead('invite', 1_000, null),
  },
  {
    name: 'mark all as read',
    countsResponse: true,
    run: ({ notifications: api }) => api.markAllRead(null, 1_000, null),
  },
];

interface RecordedQuery extends Omit<ScaleQuery, 'sql'> {
  readonly statement: string;
}

/**
 * Runs the application's data layer against an embedded data service and records the statement of each request.
 *
 * @returns the statements for a target: the same calls with its user and rows.
 */
export async function recordQueries(): Promise<(target: ScaleTarget) => readonly ScaleQuery[]> {
  const { database } = await openProject(undefined, Date.now);
  const statements: string[] = [];
  const service = await createRestService({ database: recording(database, statements) });
  try {
    await database.query(
      `insert into auth.users (id, email, email_confirmed_at, aud, role) values ($1, 'scale@example.com', now(), 'authenticated', 'authenticated')`,
      [recorded.user],
    );
    await database.query('insert into notification_preferences (user_id) values ($1)', [recorded.user]);
    const clients = createClients((request) =>
      service.handle(request, { sub: recorded.user, role: 'authenticated', aal: 'aal1' }),
    );
    const queries: RecordedQuery[] = [];
    for (const { run, countsResponse = false, ...call } of calls) {
      statements.length = 0;
      await run(clients);
      statements.forEach((statement, index) =>
        queries.push({
          ...call,
          name: statements.length === 1 ? call.name : `${call.name} (${index + 1})`,
          countsResponse,
          statement,
        }),
      );
    }
    return (target) => queries.map((query) => aimAt(target, query));
  } finally {
    await service.close();
    await database.close();
  }
}

function createClients(handle: (request: Request) => Promise<Response>): ApplicationClients {
  const platform = createPlatform();
  const rest = createRestClient<Database>({
    url: 'http://localhost',
    apiKey: 'anon',
    platform: { ...platform, fetch: (input, init) => handle(new Request(input, init)) },
    getAccessToken: () => Promise.resolve('token'),
  });
  const fail = (problem: unknown) => {
    throw problem;
  };
  return { rest, notifications: createNotificationsApi(rest, recorded.user, fail, Date.now) };
}

/** The database, which also appends the main statement of each request to `statements`. */
function recording(database: PgliteDatabase, statements: string[]): PgliteDatabase {
  return {
    ...database,
    pipeline(sent, options) {
      for (const { text, values = [] } of sent)
        if (text.startsWith('WITH pgrst_source')) statements.push(inlineValues(text, values));
      return database.pipeline(sent, options);
    },
  };
}

/** PostgreSQL infers the type of a quoted literal as it does that of a parameter. */
function inlineValues(text: string, values: readonly (string | null | undefined)[]): string {
  return text.replace(/\$(\d+)/g, (_match, number: string) => {
    const value = values[Number(number) - 1] ?? null;
    return value === null ? 'null' : `'${value.replaceAll("'", "''")}'`;
  });
}

function aimAt({ user, id, depth }: ScaleTarget, { statement, ...query }: RecordedQuery): ScaleQuery {
  const sql = statement
    .replaceAll(recorded.user, user)
    .replaceAll(recorded.depth.id, depth.id)
    .replaceAll(recorded.depth.createdAt, depth.createdAt)
    .replaceAll(minuteAgo, new Date(Date.now() - 60_000).toISOString())
    .replaceAll(recorded.id, id);
  return { ...query, sql };
}
