import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { assertStatus, at } from '../../target/wire.ts';
import { shareInRun } from '../../target/run.ts';
import { rowsOf, sendContents } from './notifications.ts';

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
