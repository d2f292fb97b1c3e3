import { setTimeout as delay } from 'node:timers/promises';
import type { AuditContext } from '../../audit/audit-context.ts';
import { inboxOf, joinLive, withPair } from './audit-socket.ts';
import { isChange } from './frame-socket.ts';

const repeatMs = 2000;
const lookMs = 50;

/**
 * Waits until the realtime service delivers changes of newly created tables: it reads the publication once a minute,
 * and loses earlier changes. Inserts a row every two seconds until one arrives.
 *
 * @returns whether one has arrived within `timeoutMs`, by default 90 seconds. @throws NotRunError without a realtime
 * service.
 */
export async function awaitLiveTables(
  context: AuditContext,
  { timeoutMs = 90_000 }: { readonly timeoutMs?: number } = {},
): Promise<boolean> {
  let isLive = false;
  await withPair(context, async ({ ada, socket, notify }) => {
    await joinLive(socket, ada.accessToken, [inboxOf(ada)]);
    const lastMs = performance.now() + timeoutMs;
    let notifiedMs = Number.NEGATIVE_INFINITY;
    while (!isLive && performance.now() < lastMs) {
      if (performance.now() - notifiedMs >= repeatMs) {
        notifiedMs = performance.now();
        await notify();
      }
      await delay(lookMs);
      isLive = socket.received.some(isChange('INSERT'));
    }
  });
  return isLive;
}
