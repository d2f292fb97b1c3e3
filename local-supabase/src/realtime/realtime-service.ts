import type { Database } from '../database/database.ts';
import type { TokenKeys } from '../keys/keys.ts';
import type { ChannelServices } from './channel/channel.ts';
import { createDelivery } from './changes/delivery.ts';
import { createRealtimeFaults } from './faults.ts';
import type { RealtimeFaults } from './faults.ts';
import { createStoredMessages } from './channel/stored-messages.ts';
import { createMessageReplication } from './message-replication.ts';
import { handleHttp } from './http-routes.ts';
import { loadMessage } from './channel/replay.ts';
import { watchPublication } from './changes/publication.ts';
import { createRateCounter } from './rate-counter.ts';
import { createRelations } from './subscription/relations.ts';
import { exceedsPayloadLimit } from './channel/payload-size.ts';
import { createPermissionEvaluator } from './channel/permissions.ts';
import { createRooms, roomName } from './channel/rooms.ts';
import { installRealtimeSchema } from './schema.ts';
import { defaultRealtimeSettings } from './settings.ts';
import type { RealtimeSettings } from './settings.ts';
import type { ServerSocket } from './socket/server-socket.ts';
import { createSocketServer } from './socket/socket-server.ts';
import type { HandshakeRefusal, SocketServer } from './socket/socket-server.ts';
import { processTimers } from './timers.ts';
import type { Timers } from './timers.ts';
import { createTokenCheck } from './subscription/tokens.ts';

export interface RealtimeServiceOptions {
  readonly database: Database;
  readonly keys: TokenKeys;
  /** The SQL of `schema.sql`. Default: the database already contains it. */
  readonly schemaSql?: string | undefined;
  readonly settings?: Partial<RealtimeSettings>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly timers?: Timers;
  /** A random number from 0 to below 1; selects the changes that a drop rate drops. */
  readonly random?: () => number;
  /** Receives internal errors; the service keeps running. */
  readonly report?: (error: unknown) => void;
}

/** An embedded Supabase Realtime: WebSockets, broadcasts by HTTP, and faults on command. */
export interface RealtimeService {
  /** Checks a handshake before the socket is opened; see `SocketServer`. */
  handshake: SocketServer['handshake'];
  /**
   * Serves an open socket.
   *
   * @param url the URL that the client opened.
   * @returns the refusal or null; a refused socket is not changed.
   */
  accept(url: URL, socket: ServerSocket): Promise<HandshakeRefusal | null>;
  /** The maximum size of a client's message. */
  readonly maxFrameBytes: number;
  /** Handles a request below /realtime/v1/api. */
  handle(request: Request): Promise<Response>;
  readonly statistics: RealtimeStatistics;
  readonly faults: RealtimeFaults;
  /** Changes settings while the service runs, except for `maxFrameBytes`. */
  configure(settings: Partial<RealtimeSettings>): void;
  /** Closes idle sockets and sockets without a channel; the service also runs this at intervals. */
  sweep(): void;
  /** Resolves when every change committed before the call is sent, without waiting for a poll. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface RealtimeStatistics {
  readonly sockets: number;
  readonly channels: number;
  /** The number of joins admitted since the start. */
  readonly joins: number;
  /** The number of channels with a live subscription to changes. */
  readonly subscribers: number;
  /** Topics with at least one channel. */
  readonly rooms: number;
  readonly delivered: number;
  readonly dropped: number;
}

export async function createRealtimeService(options: RealtimeServiceOptions): Promise<RealtimeService> {
  const { database, keys, now = Date.now, timers = processTimers, random = Math.random } = options;
  const { report = console.error } = options;
  let settings: RealtimeSettings = { ...defaultRealtimeSettings, ...options.settings };
  const current = () => settings;
  await installRealtimeSchema(database, settings.publication, options.schemaSql);
  const maintainMessages = async () => void (await database.query('select realtime.maintain_messages()'));

  const relations = createRelations(database);
  const rooms = createRooms();
  const renewChannels = (isDelayed: boolean) => {
    for (const { channels } of sockets.connections) {
      for (const channel of channels.values()) channel.renew({ isDelayed });
    }
  };
  const delivery = createDelivery({
    database,
    relations,
    settings: current,
    now,
    random,
    timers,
    report,
    onPollerGivenUp: () => renewChannels(true),
  });
  const checkToken = createTokenCheck(keys, now);
  const permissions = createPermissionEvaluator(database);
  const messages = createRateCounter(now, () => settings.maxEventsPerSecond);
  const replication = createMessageReplication(current, timers, now);
  const stored = createStoredMessages(database, timers);
  const services: ChannelServices = {
    database,
    settings: current,
    now,
    random,
    timers,
    checkToken,
    permissions,
    delivery,
    rooms,
    subscriptions: { database, relations, publication: settings.publication },
    messages,
    presenceEvents: createRateCounter(now, () => settings.maxPresenceEventsPerSecond),
    replicate: replication.connect,
    stored,
  };
  const sockets = createSocketServer({ keys, services, report });
  let isClosed = false;
  const reportUnlessClosed = (error: unknown) => (isClosed ? undefined : report(error));
  // As on the real server, a change of the publication renews every subscription; the client receives a second message.
  const publication = await watchPublication(database, settings.publication, () => renewChannels(false));
  const endPublicationChecks = repeat(
    timers,
    () => settings.publicationCheckMs,
    publication.check,
    reportUnlessClosed,
  );
  const endMaintenance = repeat(timers, () => MAINTENANCE_MS, maintainMessages, reportUnlessClosed);
  await maintainMessages();
  const unlistenSchema = await database.listen('realtime_schema', () => {
    relations.invalidate();
    if (settings.publicationCheckMs === 0) publication.check().catch(reportUnlessClosed);
  });
  const broadcastMessage = async (notification: string) => {
    const [id = '', ...insertedAt] = notification.split(' ');
    if (stored.isSent(id) || !replication.isRunning) return;
    const message = await loadMessage(database, id, insertedAt.join(' '));
    if (!message || messages.isExceeded) return;
    const { topic, isPrivate, broadcast } = message;
    if (exceedsPayloadLimit(broadcast.data, settings.maxPayloadKb)) return;
    messages.add();
    rooms.broadcast(roomName(topic, isPrivate), { id: broadcast.id, content: broadcast });
  };
  let broadcasts: Promise<void> = Promise.resolve();
  const unlistenMessages = await database.listen('realtime_messages', (notification) => {
    broadcasts = broadcasts.then(() => broadcastMessage(notification)).catch(reportUnlessClosed);
  });
  await delivery.start();

  const configure = (changed: Partial<RealtimeSettings>) => {
    settings = { ...settings, ...changed };
  };
  return {
    handshake: sockets.handshake,
    async accept(url, socket) {
      const handshake = await sockets.handshake(url);
      if ('status' in handshake) return handshake;
      handshake.open(socket);
      return null;
    },
    maxFrameBytes: settings.maxFrameBytes,
    handle: (request) =>
      handleHttp({ keys, settings: current, checkToken, permissions, rooms, messages, stored }, request),
    faults: createRealtimeFaults({
      sockets,
      delivery,
      replication,
      settings: current,
      configure,
      renewChannels,
    }),
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
    configure,
    sweep: sockets.sweep,
    settled: delivery.settled,
    async close() {
      if (isClosed) return;
      isClosed = true;
      endPublicationChecks();
      endMaintenance();
      sockets.close();
      await delivery.close();
      await unlistenSchema();
      await unlistenMessages();
      await broadcasts;
    },
  };
}

/** Runs more often than necessary: partitions are created three days ahead. */
const MAINTENANCE_MS = 3_600_000;

/** Runs a task at intervals; an interval of 0 pauses until the setting changes. Returns a function that stops it. */
function repeat(
  timers: Timers,
  intervalMs: () => number,
  task: () => Promise<void>,
  report: (error: unknown) => void,
): () => void {
  let isOver = false;
  let cancel = () => {};
  const schedule = () => {
    if (isOver) return;
    cancel = timers.after(intervalMs() || IDLE_CHECK_MS, () => {
      const run = intervalMs() > 0 ? task() : Promise.resolve();
      run.catch(report).finally(schedule);
    });
  };
  schedule();
  return () => {
    isOver = true;
    cancel();
  };
}

const IDLE_CHECK_MS = 60_000;
