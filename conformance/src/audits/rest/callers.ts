import type { AuditContext } from '../../audit/audit-context.ts';
import { at, createWire, type WireResponse, type WireRequest } from '../../target/wire.ts';
import { notify, rowsOf } from './notifications.ts';

/** A new user, and a function that sends requests with the user's token. */
export async function newCaller(context: AuditContext) {
  const user = await context.newUser();
  const send = (method: string, path: string, request: WireRequest = {}): Promise<WireResponse> =>
    context.rest.send(method, path, { token: user.accessToken, ...request });
  return { user, send, mine: { user_id: `eq.${user.id}` } };
}

/** Sends requests with the service key, for audits that need it. */
export function asService({ target, rest }: AuditContext) {
  const serviceKey = target.serviceKey ?? '';
  const wire = createWire(rest.baseUrl, serviceKey, target.fetch);
  // A key of the newer form is not a token.
  const token = serviceKey.startsWith('sb_') ? {} : { token: serviceKey };
  return (method: string, path: string, request: WireRequest = {}): Promise<WireResponse> =>
    wire.send(method, path, { ...token, ...request });
}

/** A user with `count` notifications, all unread. */
export async function newInbox(context: AuditContext, count: number) {
  const caller = await newCaller(context);
  const ids = await notify(context, await context.newUser(), caller.user, count);
  const statuses = async () =>
    rowsOf(await caller.send('GET', '/notifications', { query: { select: 'status' } })).map((row) =>
      at(row, 'status'),
    );
  return { ...caller, ids, statuses, all: { recipient_id: `eq.${caller.user.id}` } };
}
