import type { Database } from '../../database/database.ts';
import type { TokenKeys } from '../../keys/keys.ts';
import type { ChannelServices } from './channel/channel.ts';
import { Delivery } from './changes/delivery.ts';
import { createRealtimeFaults } from './faults.ts';
import type { RealtimeFaults } from './faults.ts';
import { createStoredMessages } from './channel/stored-messages.ts';
import { createMessageReplication } from './message-replication.ts';
import type { MessageReplication } from './message-replication.ts';
import { handleHttp } from './http-routes.ts';
import { loadMessage } from './channel/replay.ts';
import { watchPublication } from './changes/publication.ts';
import { createRateCounter } from './rate-counter.ts';
import { createRelations } from './subscription/relations.ts';
import type { Relations } from './subscription/relations.ts';
import { exceedsPayloadLimit } from './channel/payload-size.ts';
import { createPermissionEvaluator } from './channel/permissions.ts';
import { createRooms, roomName } from './channel/rooms.ts';
import { installRealtimeSchema } from './schema.ts';
import { defaultRealtimeSettings } from './settings.ts';
import type { RealtimeSettings } from './settings.ts';
import type { ServerSocket } from './socket/server-socket.ts';
import { SocketServer } from './socket/socket-server.ts';
import type { HandshakeRefusal } from './socket/socket-server.ts';
import { processTimers } from './timers.ts';
import type { Timers } from './timers.ts';
import { createTokenCheck } from './subscription/tokens.ts';

export interface RealtimeServiceOptions {
  readonly database: Database;
  /** Whether other programs have sessions in the database. Default false. */
  readonly hasOtherSessions?: boolean;
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
  const realtime = new Realtime(options);
  const { sockets, services } = realtime;
  await realtime.start();
  return {
    handshake: (url, apiKey) => sockets.handshake(url, apiKey),
    async accept(url, socket) {
      const handshake = await sockets.handshake(url);
      if ('status' in handshake) return handshake;
      handshake.open(socket);
      return null;
    },
    maxFrameBytes: services.settings().maxFrameBytes,
    handle: (request) => handleHttp({ keys: options.keys, ...services }, request),
    faults: realtime.faults,
    get statistics() {
      return realtime.statistics;
    },
    configure: (settings) => realtime.configure(settings),
    sweep: () => sockets.sweep(),
    settled: () => services.delivery.settled(),
    close: () => realtime.close(),
  };
}

/** Runs more often than necessary: partitions are created three days ahead. */
const MAINTENANCE_MS = 3_600_000;

class Realtime {
  readonly services: ChannelServices;
  readonly sockets: SocketServer;
  readonly faults: RealtimeFaults;
  readonly #options: RealtimeServiceOptions;
  readonly #report: (error: unknown) => void;
  readonly #relations: Relations;
  readonly #replication: MessageReplication;
  #settings: RealtimeSettings;
  #broadcasts: Promise<void> = Promise.resolve();
  #isClosed = false;
  #tasks: readonly (() => void)[] = [];
  #listeners: readonly (() => Promise<void>)[] = [];

  constructor(options: RealtimeServiceOptions) {
    const { database, keys, now = Date.now, timers = processTimers, random = Math.random } = options;
    const { report = console.error } = options;
    this.#options = options;
    this.#report = report;
    this.#settings = { ...defaultRealtimeSettings, ...options.settings };
    const settings = () => this.#settings;
    const relations = createRelations(database);
    this.#relations = relations;
    this.#replication = createMessageReplication(settings, timers, now);
    const onPollerGivenUp = () => this.#renewChannels(true);
    const delivery = new Delivery({
      database,
      hasOtherSessions: options.hasOtherSessions ?? false,
      relations,
      settings,
      now,
      random,
      timers,
      report,
      onPollerGivenUp,
    });
    this.services = {
      database,
      settings,
      now,
      random,
      timers,
      checkToken: createTokenCheck(keys, now),
      permissions: createPermissionEvaluator(database),
      delivery,
      rooms: createRooms(),
      subscriptions: { database, relations, publication: this.#settings.publication },
      messages: createRateCounter(now, () => this.#settings.maxEventsPerSecond),
      requests: createRateCounter(now, () => this.#settings.maxEventsPerSecond, 1_000),
      presenceEvents: createRateCounter(now, () => this.#settings.maxPresenceEventsPerSecond),
      replicate: this.#replication.connect,
      stored: createStoredMessages(database, timers),
    };
    this.sockets = new SocketServer({ keys, services: this.services, report });
    this.faults = createRealtimeFaults({
      sockets: this.sockets,
      delivery,
      replication: this.#replication,
      settings,
      configure: (changed) => this.configure(changed),
      renewChannels: (isDelayed) => this.#renewChannels(isDelayed),
    });
  }

  get statistics(): RealtimeStatistics {
    const { sockets } = this;
    const { delivery, rooms } = this.services;
    const channels = [...sockets.connections].reduce((total, { channels }) => total + channels.size, 0);
    const { subscribers, delivered, dropped } = delivery.statistics;
    return {
      sockets: sockets.connections.size,
      channels,
      joins: sockets.joins,
      subscribers,
      rooms: rooms.size,
      delivered,
      dropped,
    };
  }

  configure(changed: Partial<RealtimeSettings>): void {
    this.#settings = { ...this.#settings, ...changed };
  }

  async start(): Promise<void> {
    const { database, timers, delivery } = this.services;
    const { publication: name } = this.#settings;
    await installRealtimeSchema(database, name, this.#options.schemaSql);
    const reportUnlessClosed = (error: unknown) => (this.#isClosed ? undefined : this.#report(error));
    // As on the real server, a change of the publication renews every subscription; the client receives a second message.
    const publication = await watchPublication(database, name, () => this.#renewChannels(false));
    const checkIntervalMs = () => this.#settings.publicationCheckMs;
    const maintainMessages = async () => void (await database.query('select realtime.maintain_messages()'));
    this.#tasks = [
      repeat(timers, checkIntervalMs, publication.check, reportUnlessClosed),
      repeat(timers, () => MAINTENANCE_MS, maintainMessages, reportUnlessClosed),
    ];
    await maintainMessages();
    const unlistenSchema = await database.listen('realtime_schema', () => {
      this.#relations.invalidate();
      if (checkIntervalMs() === 0) publication.check().catch(reportUnlessClosed);
    });
    const unlistenMessages = await database.listen('realtime_messages', (notification) => {
      this.#broadcasts = this.#broadcasts
        .then(() => this.#broadcastMessage(notification))
        .catch(reportUnlessClosed);
    });
    this.#listeners = [unlistenSchema, unlistenMessages];
    await delivery.start();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const end of this.#tasks) end();
    this.sockets.close();
    await this.services.delivery.close();
    for (const unlisten of this.#listeners) await unlisten();
    await this.#broadcasts;
  }

  #renewChannels(isDelayed: boolean): void {
    for (const { channels } of this.sockets.connections) {
      for (const channel of channels.values()) channel.renew({ isDelayed });
    }
  }

  /** Sends a message that the database has written. */
  async #broadcastMessage(notification: string): Promise<void> {
    const { database, stored, messages, rooms } = this.services;
    const [id = '', ...insertedAt] = notification.split(' ');
    if (stored.isSent(id) || !this.#replication.isRunning) return;
    const message = await loadMessage(database, id, insertedAt.join(' '));
    if (!message || messages.isExceeded) return;
    const { topic, isPrivate, broadcast } = message;
    if (exceedsPayloadLimit(broadcast.data, this.#settings.maxPayloadKb)) return;
    messages.add();
    rooms.broadcast(roomName(topic, isPrivate), { id: broadcast.id, content: broadcast });
  }
}

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
