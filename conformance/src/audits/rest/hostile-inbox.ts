import { assert } from '../../target/assertion.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { awaitDelivery } from './notifications.ts';
import { shareInRun } from '../../target/run.ts';
import { assertStatus } from '../../target/wire.ts';

/** Texts with characters that are special in a URL, a list, a pattern, JSON or SQL. */
const texts = [
  'plain',
  'a,b',
  '(x)',
  '"quoted"',
  'back\\slash',
  '100%',
  'under_score',
  'st*r',
  'stir',
  ' led by a space',
  'eq.1',
  'not.is.null',
  '&status=eq.read#',
  'one+two',
  "'; select 1; --",
  '{a,"b"}',
  'größer 😀',
] as const;

export interface HostileRow {
  readonly id: string;
  readonly content: string;
  /** The text, encoded as in the content. */
  readonly text: string;
}

/** One user's rows with hostile texts, all unread. No audit changes them. */
export interface HostileInbox {
  readonly ada: AuditUser;
  readonly rows: readonly HostileRow[];
}

export const hostileInbox = shareInRun(fill);

async function fill(server: AuditContext): Promise<HostileInbox> {
  const [ada, grace] = [await server.newUser(), await server.newUser()];
  const body = texts.map((text) => ({
    recipient_id: ada.id,
    content: JSON.stringify({ type: 'comment', data: { text } }),
  }));
  const sent = await server.rest.send('POST', '/notifications', { token: grace.accessToken, body });
  assertStatus(sent, 201);
  const delivered = await awaitDelivery(server, ada, texts.length, 'id,content');
  const rows = (delivered as readonly Omit<HostileRow, 'text'>[]).map(({ id, content }) => {
    const { data } = JSON.parse(content) as { readonly data: { readonly text: string } };
    return { id, content, text: JSON.stringify(data.text).slice(1, -1) };
  });
  assert.equal(rows.length, texts.length, 'the number of rows');
  return { ada, rows };
}
