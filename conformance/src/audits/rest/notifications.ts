import { setTimeout as delay } from 'node:timers/promises';
import { assert } from '../../target/assertion.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { scaleDeadline } from '../../target/deadlines.ts';
import { assertStatus, at, type WireResponse } from '../../target/wire.ts';

const deliveryMs = 10_000;
const pauseMs = 200;

/** A sent notification is stored only after the response to its sender. */
const deliverySection = 'protocol/product.md#delivery';

/** Sends one notification through the public interface, waits until it is delivered, and returns its id. */
export async function notifyOnce(
  context: AuditContext,
  sender: AuditUser,
  recipient: AuditUser,
): Promise<string> {
  const [id] = await notify(context, sender, recipient, 1);
  assert.ok(id, 'the notification has an id');
  return id;
}

/** Sends `count` notifications like `notifyOnce`. Returns their ids, oldest first. */
export async function notify(
  context: AuditContext,
  sender: AuditUser,
  recipient: AuditUser,
  count: number,
): Promise<readonly string[]> {
  const contents = Array.from({ length: count }, (_, index) => ({
    type: 'mention',
    metadata: {},
    entity_type: 'document',
    entity_id: `d-${index}`,
    data: {},
  }));
  return sendContents(context, sender, recipient, contents);
}

/** Sends one notification per content like `notifyOnce`. Returns their ids, oldest first. */
export async function sendContents(
  context: AuditContext,
  sender: AuditUser,
  recipient: AuditUser,
  contents: readonly object[],
): Promise<readonly string[]> {
  const earlier = new Set(idsOf(await readInbox(context, recipient)));
  for (const content of contents)
    assertStatus(
      await context.rest.send('POST', '/notifications', {
        token: sender.accessToken,
        body: { recipient_id: recipient.id, content: JSON.stringify(content) },
        headers: { Prefer: 'return=minimal' },
      }),
      201,
    );
  const rows = await awaitDelivery(context, recipient, earlier.size + contents.length);
  return idsOf(rows).filter((id) => !earlier.has(id));
}

/**
 * Waits until a user has `count` notifications, and returns `select` of all of them, oldest first. Fails the audit if
 * they are not delivered within ten seconds, later on a slow target.
 */
export async function awaitDelivery(
  context: AuditContext,
  recipient: AuditUser,
  count: number,
  select?: string,
): Promise<readonly unknown[]> {
  for (const startedMs = performance.now(); ;) {
    const rows = await readInbox(context, recipient, select);
    if (rows.length >= count) return rows;
    const limitMs = scaleDeadline(deliveryMs);
    if (performance.now() - startedMs > limitMs)
      assert.fail(
        `${count} notifications of the recipient are delivered within ${limitMs} ms (${deliverySection})`,
        `${rows.length} are delivered`,
      );
    await delay(pauseMs);
  }
}

async function readInbox(
  { rest }: AuditContext,
  { accessToken: token }: AuditUser,
  select = 'id',
): Promise<readonly unknown[]> {
  const query = { select, order: 'created_at.asc,id.asc' };
  return rowsOf(await rest.send('GET', '/notifications', { token, query }));
}

const idsOf = (rows: readonly unknown[]): readonly string[] => rows.map((row) => String(at(row, 'id')));

export function rowsOf(response: WireResponse): readonly unknown[] {
  assertStatus(response, 200);
  return response.json as readonly unknown[];
}
