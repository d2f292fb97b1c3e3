import { ListenerSet } from '../platform/listeners.ts';
import type { GetAccessToken } from '../platform/call-user.ts';
import type { Platform, Unsubscribe } from '../platform/platform.ts';
import { createChannel, type Channel } from './channel/channel.ts';
import type { ConnectOptions, Connection, ConnectionSnapshot, OnTokenChange } from './socket/connection.ts';
import { rangeProblem } from '../platform/number-options.ts';
import { configurationProblem } from '../platform/service.ts';
import { RealtimeError } from './errors.ts';
import type { RealtimeEvent } from './events.ts';
import { OwnConnection } from './channel/own-connection.ts';
import { defaultSettings, type RealtimeSettings, settingsRanges } from './settings.ts';
import type { Readable } from '../platform/observable.ts';
import type { ProtocolVersion } from './protocol/message.ts';
import type { ProtocolFeatures } from './protocol/protocol-features.ts';

/** Options of {@link createRealtimeClient}. */
export interface RealtimeClientOptions {
  /** The project's URL, `http` or `https`, without `/realtime/v1`. */
  readonly url: string;
  /** The project's public key. */
  readonly apiKey: string;
  /** Clock, sockets, locks and other capabilities of the runtime. */
  readonly platform: Platform;
  /** Called before every join. Default: no token; channels join with the role of the public key. */
  readonly getAccessToken?: GetAccessToken;
  /** Subscribes to new tokens, which are pushed to joined channels; after null they fail with `signed-out`. */
  readonly onTokenChange?: OnTokenChange;
  /** Protocol version. Default `2.0.0`. */
  readonly vsn?: ProtocolVersion;
  /** Overrides of {@link defaultSettings}. */
  readonly settings?: Partial<RealtimeSettings>;
  /** Headers of HTTP broadcasts; a browser sends none with a websocket, see `params`. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The `traceparent` header (W3C Trace Context) of the next HTTP broadcast; null for none. Default: none. */
  readonly traceparent?: () => string | null;
  /** Further parameters of the websocket's URL. Default: none. */
  readonly params?: Readonly<Record<string, string>>;
  /** Called with structured events of the client, which never contain tokens or payloads. Default: none. */
  readonly log?: (event: RealtimeEvent) => void;
  /** Schedules deliveries: pass `requestAnimationFrame` for one delivery per frame. Default: a timer of 16 ms. */
  readonly schedule?: (flush: () => void) => void;
  /** Pass `shareSocket` of the entry `shared-socket` for one socket in all tabs of a user. Default: one per tab. */
  readonly share?: ShareConnection;
}

/** The interface of the client for features such as HTTP broadcasts. Not for applications. */
export type ClientPort = Pick<
  ConnectOptions,
  'url' | 'apiKey' | 'platform' | 'settings' | 'getAccessToken' | 'emit'
> &
  Pick<RealtimeClientOptions, 'headers' | 'traceparent'> & {
    /** Keeps the connection open without channels. */
    readonly keepOpen: (isKept: boolean) => void;
  };

/** Creates a connection that may use another tab's socket; `connect` creates one with this tab's own socket. */
export type ShareConnection = (
  options: ConnectOptions,
  connect: (options: ConnectOptions) => Connection,
) => Connection;

/** The realtime client. Its snapshot is the connection's status, `lost` after a grace period of 5 s. */
export interface RealtimeClient<Database = unknown> extends Readable<ConnectionSnapshot> {
  /**
   * Returns the channel of this name, always the same object. Nothing is sent before `join()`.
   *
   * @param options `private: true`: policies on `realtime.messages` decide who may join and send.
   */
  channel(name: string, options?: { readonly private?: boolean }): Channel<Database>;
  /** Returns all channels that were requested, also those that are not joined. */
  getChannels(): readonly Channel<Database>[];
  /** Calls `listener` with structured events such as heartbeats with their latency. */
  onEvent(listener: (event: RealtimeEvent) => void): Unsubscribe;
  /** For features of the client; not for applications. */
  readonly port: ClientPort;
  /** Number of received frames that were malformed or of an unknown kind. */
  readonly ignoredFrames: number;
  /** Leaves every channel and closes the socket permanently. */
  close(): void;
}

/**
 * Creates the client of a project's realtime service. It does no work before the first join: the socket opens with it
 * and closes after the last leave, or when no channel may join, as after a sign-out.
 *
 * @throws {RealtimeError} `invalid-options`
 * @example
 * ```ts
 * import { createRealtimeClient } from 'supabase-protocol-clients/realtime-client';
 *
 * const { getAccessToken, onTokenChange } = auth;
 * const realtime = createRealtimeClient<Database>({ url, apiKey, platform, getAccessToken, onTokenChange });
 * const channel = realtime.channel('inbox');
 * channel.subscribe(() => console.log(channel.getSnapshot().status));
 * channel.onContinuity(() => console.log('Messages may be missing: read the rows again'));
 * const leave = channel.join();
 * ```
 */
export function createRealtimeClient<Database = unknown>(
  options: RealtimeClientOptions,
): RealtimeClient<Database> {
  const { platform, share, schedule: frame, vsn = '2.0.0' } = options;
  const problem = configurationProblem(options) ?? rangeProblem(options.settings, settingsRanges);
  if (problem) throw new RealtimeError('invalid-options', problem);
  const settings = { ...defaultSettings, ...options.settings };
  const getAccessToken = options.getAccessToken ?? (() => Promise.resolve(null));
  // A hidden page gets no animation frames, so a timer delivers its changes.
  const schedule = (flush: () => void) => {
    const timer = platform.clock.setTimer(flush, frame ? settings.hiddenFrameMs : settings.frameMs);
    try {
      // Called without a receiver: a browser's `requestAnimationFrame` must not be a method of the options.
      frame?.(() => {
        timer.cancel();
        flush();
      });
    } catch (problem) {
      platform.report(problem);
    }
  };
  const events = new ListenerSet<RealtimeEvent>(platform.report);
  if (options.log) events.add(options.log);
  const emit = (event: RealtimeEvent) => events.call(event);
  const features: ProtocolFeatures = { binaryFrames: null, postgresChanges: null };
  const connectOptions = { ...options, vsn, settings, getAccessToken, emit, features };
  let connection: Connection | undefined;
  /** The first channel or listener creates the connection: servers create clients for each request, and most use no channel. */
  const getConnection = () =>
    (connection ??= share ? share(connectOptions, openOwnConnection) : openOwnConnection(connectOptions));
  const channels = new Map<string, Channel<Database>>();

  return {
    getSnapshot: () => getConnection().getSnapshot(),
    subscribe: (listener) => getConnection().subscribe(listener),
    get ignoredFrames() {
      return getConnection().ignoredFrames;
    },
    port: { ...connectOptions, keepOpen: (isKept) => getConnection().keepOpen?.(isKept) },
    onEvent: (listener) => events.add(listener),
    getChannels: () => [...channels.values()],
    channel(name, join) {
      const known = channels.get(name);
      if (join?.private && !known?.joinConfig.private) known?.updateJoinPayload(join);
      if (known) return known;
      const created = createChannel<Database>(name, getConnection(), schedule, connectOptions);
      if (join) created.updateJoinPayload(join);
      channels.set(name, created);
      return created;
    },
    close() {
      channels.forEach((channel) => channel.leave());
      getConnection().close();
    },
  };
}

const openOwnConnection = (options: ConnectOptions): Connection => new OwnConnection(options);
