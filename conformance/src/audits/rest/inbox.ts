import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { assertStatus, at, type WireResponse } from '../../target/wire.ts';
import { newCaller } from './callers.ts';
import { shareInRun } from '../../target/run.ts';
import { rowsOf, sendContents } from './notifications.ts';
import { assert } from '../../target/assertion.ts';

export interface InboxRow {
  readonly id: string;
  readonly status: string;
  readonly content: string;
  readonly created_at: string;
}

/**
 * Ada's notifications from Grace, oldest first: a mention (unread), a comment (read), an edit (unread), an invite
 * (archived) and a comment (unread) with characters that are special in a URL, a list or SQL. No audit changes them.
 */
export interface Inbox {
  readonly ada: AuditUser;
  readonly grace: AuditUser;
  readonly rows: readonly InboxRow[];
}

const SPECIAL = `one two, 1+1 (a&b) "q" \\ 100% c_d {x} 😀 größer`;
const SENT = [
  ['mention', 'unread'],
  ['comment', 'read'],
  ['edit', 'unread'],
  ['invite', 'archived'],
  ['comment', 'unread'],
] as const;

/** The shared inbox of a run, for audits that only read. */
export const sharedInbox = shareInRun(fill);

async function fill(context: AuditContext): Promise<Inbox> {
  const { rest } = context;
  const [ada, grace] = [await context.newUser(), await context.newUser()];
  const query = { select: 'id,status,content,created_at', order: 'created_at.asc' };
  const contents = SENT.map(([type], index) => ({
    type,
    entity_type: 'document',
    entity_id: `e-${index}`,
    data: { text: index === 4 ? SPECIAL : `number ${index}` },
  }));
  for (const [index, id] of (await sendContents(context, grace, ada, contents)).entries()) {
    const status = SENT[index]?.[1];
    if (status === 'unread') continue;
    const changed = await rest.send('PATCH', '/notifications', {
      token: ada.accessToken,
      query: { id: `eq.${id}` },
      body: { status },
    });
    assertStatus(changed, 204);
  }
  const read = await rest.send('GET', '/notifications', { token: ada.accessToken, query });
  return { ada, grace, rows: rowsOf(read) as readonly InboxRow[] };
}

type Texts = Readonly<Record<string, string>>;

/** Reads the shared inbox as Ada, oldest first by default, and finds the indexes of the rows of the response. */
export async function readInbox(
  context: AuditContext,
  query: Texts = {},
  headers: Texts = {},
  method = 'GET',
): Promise<{
  readonly response: WireResponse;
  readonly inbox: Inbox;
  readonly indexes: readonly number[];
}> {
  const inbox = await sharedInbox(context);
  const response = await context.rest.send(method, '/notifications', {
    token: inbox.ada.accessToken,
    query: { order: 'created_at.asc', ...query },
    headers,
  });
  const rows = Array.isArray(response.json) ? (response.json as readonly unknown[]) : [];
  const indexes = rows.map((row) => inbox.rows.findIndex(({ id }) => id === at(row, 'id')));
  return { response, inbox, indexes };
}

/** A user with three threads of two types, one of them without a name. */
export async function newThreads(context: AuditContext) {
  const caller = await newCaller(context);
  const body = [
    { entity_type: 'page', entity_id: 'b', entity_name: 'say "b", c' },
    { entity_type: 'document', entity_id: 'n', entity_name: null },
    { entity_type: 'document', entity_id: 'a', entity_name: 'a' },
  ];
  assertStatus(await caller.send('POST', '/muted_threads', { body }), 201);
  return (query: Texts, headers: Texts = {}) => caller.send('GET', '/muted_threads', { query, headers });
}

/** Creates the preferences of a new user and returns the row's id. */
export async function createPreferences({ rest }: AuditContext, user: AuditUser): Promise<string> {
  const made = await rest.send('POST', '/notification_preferences', {
    token: user.accessToken,
    body: { user_id: user.id },
    headers: { Prefer: 'return=representation' },
  });
  assertStatus(made, 201);
  return String(at(made.json, 0, 'id'));
}

/** Quotes a value for a list or a logic tree (protocol/rest.md#quoting). */
export const quote = (value: string): string =>
  `"${value.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`;

export function rowAt(rows: readonly InboxRow[], index: number): InboxRow {
  const row = rows[index];
  assert.ok(row, `the inbox has a row ${index}`);
  return row;
}
