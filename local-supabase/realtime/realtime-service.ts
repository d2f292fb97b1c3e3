import type { Server } from 'node:http';
import type { Database } from '../database/database.ts';
import type { TokenKeys } from '../keys/keys.ts';
import type { ChannelServices } from './channel/channel.ts';
import { createDelivery } from './changes/delivery.ts';
import { createRealtimeFaults } from './faults.ts';
import type { RealtimeFaults } from './faults.ts';
import { handleHttp } from './http-routes.ts';
import { watchPublication } from './changes/publication.ts';
import { createRateCounter } from './rate-counter.ts';
import { createRelations } from './changes/relations.ts';
import { createPermissions } from './channel/permissions.ts';
import { createRooms } from './channel/rooms.ts';
import { installRealtimeSchema } from './schema.ts';
import { defaultRealtimeSettings } from './settings.ts';
import type { RealtimeSettings } from './settings.ts';
import { createSocketServer } from './socket/socket-server.ts';
import { nodeTimers } from './timers.ts';
import type { Timers } from './timers.ts';
import { createTokenCheck } from './channel/tokens.ts';

export interface RealtimeServiceOptions {
  readonly database: Database;
  readonly keys: TokenKeys;
  readonly settings?: Partial<RealtimeSettings>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly timers?: Timers;
  /** A number from 0 to below 1; decides which changes a drop rate takes. */
  readonly random?: () => number;
  /** Called with what went wrong inside; the service goes on. */
  readonly report?: (error: unknown) => void;
}

/** An embedded Supabase Realtime: websockets, broadcasts by HTTP, and faults on command. */
export interface RealtimeService {
  /** Answers the websocket upgrades of `server`. Returns a function that ends that. */
  attach(server: Server): () => void;
  /** Answers a request below /realtime/v1/api. */
  handle(request: Request): Promise<Response>;
  readonly statistics: RealtimeStatistics;
  readonly faults: RealtimeFaults;
  /** Changes settings while the service runs. `maxFrameBytes` holds from the start only. */
  configure(settings: Partial<RealtimeSettings>): void;
  /** Closes silent and empty sockets; it happens by itself while sockets are open. */
  sweep(): void;
  /** Resolves when every change that was committed before is sent. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface RealtimeStatistics {
  readonly sockets: number;
  readonly channels: number;
  /** Joins that were let in since the start. */
  readonly joins: number;
  /** Channels whose subscription to changes is live. */
  readonly subscribers: number;
  /** Topics with at least one channel. */
  readonly rooms: number;
  readonly delivered: number;
  readonly dropped: number;
}

export async function createRealtimeService(options: RealtimeServiceOptions): Promise<RealtimeService> {
  const { database, keys, now = Date.now, timers = nodeTimers, random = Math.random } = options;
  const { report = console.error } = options;
  let settings: RealtimeSettings = { ...defaultRealtimeSettings, ...options.settings };
  const current = () => settings;
  await installRealtimeSchema(database, settings.publication);

  const relations = createRelations(database);
  const delivery = createDelivery({ database, relations, settings: current, now, random, timers, report });
  const rooms = createRooms();
  const checkToken = createTokenCheck(keys, now);
  const permissions = createPermissions(database);
  const services: ChannelServices = {
    settings: current,
    now,
    timers,
    checkToken,
    permissions,
    delivery,
    rooms,
    subscriptions: { database, relations, publication: settings.publication },
    messages: createRateCounter(now, () => settings.maxMessagesPerSecond),
  };
  const sockets = createSocketServer({ keys, services, report });
  // As on the real server, a change of the publication renews every subscription, and is told by a second message.
  const publication = await watchPublication(database, settings.publication, () => {
    for (const { channels } of sockets.connections) for (const channel of channels.values()) channel.renew();
  });
  let closed = false;
  const unlisten = await database.listen('realtime_schema', () => {
    relations.invalidate();
    publication.check().catch((error: unknown) => (closed ? undefined : report(error)));
  });
  await delivery.start();

  return {
    attach: sockets.attach,
    handle: (request) => handleHttp({ keys, checkToken, permissions, rooms }, request),
    faults: createRealtimeFaults({ sockets, delivery }),
    get statistics() {
      const { subscribers, delivered, dropped } = delivery.statistics;
      const channels = [...sockets.connections].reduce((total, { channels }) => total + channels.size, 0);
      return {
        sockets: sockets.connections.size,
        channels,
        joins: sockets.joins,
        subscribers,
        rooms: rooms.size,
        delivered,
        dropped,
      };
    },
    configure(changed) {
      settings = { ...settings, ...changed };
    },
    sweep: sockets.sweep,
    settled: delivery.settled,
    async close() {
      if (closed) return;
      closed = true;
      await sockets.close();
      await delivery.close();
      await unlisten();
    },
  };
}
