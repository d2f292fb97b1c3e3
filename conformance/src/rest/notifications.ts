import { assertStatus, at, type WireReply } from '../wire.ts';
import type { AuditContext, AuditUser } from '../audit-context.ts';

/** Sends `count` notifications from one user to another through the public interface; returns their ids, oldest first. */
export async function notify(
  { rest }: AuditContext,
  sender: AuditUser,
  recipient: AuditUser,
  count = 1,
): Promise<readonly string[]> {
  const rows = Array.from({ length: count }, (_, index) => ({
    recipient_id: recipient.id,
    content: JSON.stringify({
      type: 'mention',
      metadata: {},
      entity_type: 'document',
      entity_id: `d-${index}`,
      data: {},
    }),
  }));
  const ids: string[] = [];
  for (const body of rows) {
    assertStatus(
      await rest.send('POST', '/notifications', {
        token: sender.accessToken,
        body,
        headers: { Prefer: 'return=minimal' },
      }),
      201,
    );
    const newest = await rest.send('GET', '/notifications', {
      token: recipient.accessToken,
      query: { select: 'id', order: 'created_at.desc,id.desc', limit: '1' },
    });
    ids.push(String(at(newest.json, 0, 'id')));
  }
  return ids;
}

/** The rows of an answer. */
export function rowsOf(reply: WireReply): readonly unknown[] {
  assertStatus(reply, 200);
  return reply.json as readonly unknown[];
}
