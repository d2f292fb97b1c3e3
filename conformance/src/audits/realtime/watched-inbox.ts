import {
  createPostgresChanges,
  type ChangeBinding,
} from 'supabase-protocol-clients/realtime-client/postgres-changes';
import {
  type Change,
  type Channel,
  type ChannelStatus,
  type ContinuityLoss,
  type RealtimeSettings,
} from 'supabase-protocol-clients/realtime-client';
import { createLiveQuery, type LiveQuery } from 'supabase-protocol-clients/realtime-client/live-query';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { eventually, type ClientContext, type SignedInTab } from '../../clients/client-audit.ts';
import type { Frame } from '../../target/frames.ts';
import { notifyOnce, rowsOf } from '../rest/notifications.ts';
import type { Database, NotificationRow } from '../../schema/schema.ts';
import { assertStatus } from '../../target/wire.ts';

/** Ada's tab with an unjoined channel, and Grace, who writes to Ada from another device. */
export interface WatchedInbox {
  readonly tab: SignedInTab;
  readonly channel: Channel<Database>;
  readonly statuses: readonly ChannelStatus[];
  readonly changes: readonly Change<NotificationRow>[];
  readonly losses: readonly ContinuityLoss[];
  /** The text frames that the client sent for the channel. */
  sent(event: string): readonly Frame[];
  live(): Promise<void>;
  /** Sends Ada a notification from Grace; returns its id. */
  notify(): Promise<string>;
  /** Updates all of Ada's notifications from another device. */
  setStatus(status: string): Promise<void>;
  remove(id: string): Promise<void>;
  watch(): LiveQuery<NotificationRow>;
  /** Reads the table without the clients under test. */
  table(): Promise<readonly NotificationRow[]>;
}

export interface WatchOptions {
  readonly binding?: Pick<ChangeBinding<NotificationRow>, 'event' | 'filter'>;
  readonly settings?: Partial<RealtimeSettings>;
}

/** Delays shorter than the defaults. */
const quick: Partial<RealtimeSettings> = { reconnectDelaysMs: [50], leaveGraceMs: 50 };

export async function watchInbox(
  { server, signIn }: Pick<ClientContext, 'server' | 'signIn'>,
  { binding, settings }: WatchOptions = {},
): Promise<WatchedInbox> {
  const grace = await server.newUser();
  const tab = await signIn({ realtime: { ...quick, ...settings } });
  const channel = tab.realtime.channel('inbox');
  const mine = { table: 'notifications', filter: `recipient_id=eq.${tab.user.id}`, ...binding } as const;
  const statuses: ChannelStatus[] = [];
  const changes: Change<NotificationRow>[] = [];
  const losses: ContinuityLoss[] = [];
  channel.subscribe(() => statuses.push(channel.getSnapshot().status));
  createPostgresChanges(channel).on(mine, (change) => changes.push(change));
  channel.onContinuity((loss) => losses.push(loss));
  return {
    tab,
    channel,
    statuses,
    changes,
    losses,
    sent: (event) => tab.wire.sent.filter((frame) => frame.event === event && frame.topic !== 'phoenix'),
    live: () => eventually('live', () => channel.getSnapshot().status === 'live'),
    ...writersTo(server, grace, tab.user),
    watch: () =>
      createLiveQuery<NotificationRow>({
        channel,
        platform: tab.platform,
        query: tab.rest.from('notifications').select().eq('recipient_id', tab.user.id),
        key: 'id',
        immutableColumns: ['recipient_id'],
      }),
  };
}

function writersTo(
  server: AuditContext,
  grace: AuditUser,
  ada: AuditUser,
): Pick<WatchedInbox, 'notify' | 'setStatus' | 'remove' | 'table'> {
  const token = ada.accessToken;
  return {
    notify: () => notifyOnce(server, grace, ada),
    async setStatus(status) {
      const query = { recipient_id: `eq.${ada.id}` };
      assertStatus(
        await server.rest.send('PATCH', '/notifications', { token, query, body: { status } }),
        204,
      );
    },
    async remove(id) {
      assertStatus(
        await server.rest.send('DELETE', '/notifications', { token, query: { id: `eq.${id}` } }),
        204,
      );
    },
    table: async () =>
      rowsOf(await server.rest.send('GET', '/notifications', { token })) as readonly NotificationRow[],
  };
}
