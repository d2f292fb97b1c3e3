import { randomUUID } from 'node:crypto';
import { assert, showValue } from '../../target/assertion.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { notifyOnce } from '../rest/notifications.ts';
import { assertStatus, at } from '../../target/wire.ts';
import type { Frame } from '../../target/frames.ts';
import { isReply, isSystem, joinPayload, openFrameSocket, type FrameSocket } from './frame-socket.ts';

export const topic = 'realtime:audit';

/** The service's error where it reads a key of a value that has none. */
export const NO_CLAUSE = 'no function clause matching in Access.get/3';

/** A channel's name that no other audit uses. */
export const newRoom = (): string => `room-${randomUUID()}`;

export const inboxOf = (user: AuditUser) => ({
  event: '*',
  schema: 'public',
  table: 'notifications',
  filter: `recipient_id=eq.${user.id}`,
});

/** The name of the user's private channel, which she can read but not write. */
export const inboxTopicOf = ({ id }: AuditUser): string => `user:${id}`;

export const preferencesOf = (user: AuditUser) => ({
  event: '*',
  schema: 'public',
  table: 'notification_preferences',
  filter: `user_id=eq.${user.id}`,
});

/** Opens a socket for `task` and closes it afterwards. */
export async function withSocket(
  context: AuditContext,
  task: (socket: FrameSocket) => Promise<void>,
): Promise<void> {
  const socket = await openFrameSocket(context);
  try {
    await task(socket);
  } finally {
    socket.close();
  }
}

/** Closes the sockets that `task` opened. */
export async function withSockets(
  context: AuditContext,
  task: (open: () => Promise<FrameSocket>) => Promise<void>,
): Promise<void> {
  const opened: FrameSocket[] = [];
  try {
    await task(async () => {
      const socket = await openFrameSocket(context);
      opened.push(socket);
      return socket;
    });
  } finally {
    for (const socket of opened) socket.close();
  }
}

/** Joins a channel by its name without `realtime:`, and returns the payload of the reply. */
export async function join(
  socket: FrameSocket,
  name: string,
  { accessToken }: Pick<AuditUser, 'accessToken'>,
  config: object,
  ref = '1',
): Promise<Frame['payload']> {
  socket.send(ref, ref, `realtime:${name}`, 'phx_join', { config, access_token: accessToken });
  return (await socket.expect('the reply to the join', isReply(ref))).payload;
}

/** Joins a channel as `join` does; a refusal fails the audit. */
export async function joinOk(...[socket, name, user, config, ref]: Parameters<typeof join>): Promise<void> {
  const reply = await join(socket, name, user, config, ref);
  if (at(reply, 'status') !== 'ok') assert.fail('the join is accepted', showValue(reply));
}

/** Joins and waits for the system message that the subscription is live. */
export async function joinLive(
  socket: FrameSocket,
  accessToken: string,
  changes: readonly object[],
  { name = topic, ref = '1' }: { readonly name?: string; readonly ref?: string } = {},
): Promise<Frame> {
  socket.send(ref, ref, name, 'phx_join', joinPayload(accessToken, changes));
  const reply = await socket.expect('the reply to the join', isReply(ref));
  const ofTopic = (status: 'ok' | 'error') => (frame: Frame) =>
    frame.topic === name && isSystem(status)(frame);
  await socket.expect('system ok', ofTopic('ok'), ofTopic('error'));
  return reply;
}

/** Ada, the recipient, and Grace, the sender. */
export interface Pair {
  readonly ada: AuditUser;
  readonly grace: AuditUser;
  readonly socket: FrameSocket;
  /** Sends Ada a notification and returns its id. */
  notify(): Promise<string>;
  /** Changes the status of all of Ada's notifications. */
  setStatus(status: string): Promise<void>;
}

export async function withPair(context: AuditContext, task: (pair: Pair) => Promise<void>): Promise<void> {
  const [ada, grace] = [await context.newUser(), await context.newUser()];
  await withSocket(context, (socket) =>
    task({
      ada,
      grace,
      socket,
      notify: () => notifyOnce(context, grace, ada),
      async setStatus(status) {
        const changed = await context.rest.send('PATCH', '/notifications', {
          token: ada.accessToken,
          query: { recipient_id: `eq.${ada.id}` },
          body: { status },
        });
        assertStatus(changed, 204);
      },
    }),
  );
}

/** The ids of the bindings in the reply to a join, in order. */
export const bindingIds = (reply: Frame): readonly unknown[] =>
  (at(reply.payload, 'response', 'postgres_changes') as readonly unknown[]).map((binding) =>
    at(binding, 'id'),
  );

/** Waits for the reply to a heartbeat, which follows every earlier frame. */
export async function settle(socket: FrameSocket, ref: string): Promise<void> {
  socket.send(null, ref, 'phoenix', 'heartbeat', {});
  await socket.expect('the reply to the heartbeat', isReply(ref));
}
