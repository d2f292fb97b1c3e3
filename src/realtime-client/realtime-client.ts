import { createListeners } from '../platform/listeners.ts';
import type { Platform, Unsubscribe } from '../platform/platform.ts';
import { createChannel, type Channel, type ChangeBinding } from './channel/channel.ts';
import type {
  ConnectOptions,
  Connection,
  ConnectionSnapshot,
  GetAccessToken,
  OnTokenChange,
} from './socket/connection.ts';
import { configurationProblem } from '../platform/service.ts';
import { RealtimeError } from './errors.ts';
import { createOwnConnection } from './socket/own-connection.ts';
import type { Change, RowRecord } from './changes/postgres-changes.ts';
import { defaultSettings, type RealtimeSettings } from './settings.ts';
import type { Readable } from './machine/store.ts';
import type { ProtocolVersion } from './socket/wire.ts';

/** The project, who is signed in, and how to connect. */
export interface RealtimeClientOptions {
  /** The project's URL, `http` or `https`, without `/realtime/v1`. */
  readonly url: string;
  /** The project's public key. */
  readonly apiKey: string;
  readonly platform: Platform;
  /** Asked before every join. Default: no token, the channels join as the public key's role. */
  readonly getAccessToken?: GetAccessToken;
  /** Each new token is pushed to the joined channels; after null they fail as `signed_out` until there is one. */
  readonly onTokenChange?: OnTokenChange;
  /** Default `2.0.0`. */
  readonly vsn?: ProtocolVersion;
  /** Overrides of the defaults, which are the specification's. */
  readonly settings?: Partial<RealtimeSettings>;
  /** When to deliver changes: pass `requestAnimationFrame` for one delivery per frame. Default: a timer of 16 ms. */
  readonly schedule?: (flush: () => void) => void;
  /** `shareSocket` of `shared-socket.ts`: one socket for all tabs of a user. Default: a socket per tab. */
  readonly share?: ShareConnection;
}

/** Makes a connection that may use another tab's socket. `connect` makes one of this tab's own. */
export type ShareConnection = (
  options: ConnectOptions,
  connect: (options: ConnectOptions) => Connection,
) => Connection;

/** The shape of `supabase gen types typescript`, as far as it matters here. */
type TablesOf<Database, Schema> = Schema extends keyof Database
  ? Database[Schema] extends { readonly Tables: infer Tables }
    ? Tables
    : never
  : never;
type RowOf<Database, Schema, Table> = Table extends keyof TablesOf<Database, Schema>
  ? TablesOf<Database, Schema>[Table] extends { readonly Row: infer Row extends object }
    ? Row
    : RowRecord
  : RowRecord;

/** A {@link Channel} whose rows have the types of `Database`. */
export interface RealtimeChannel<Database> extends Channel {
  /** As {@link Channel.onChanges}, one change at a time. */
  onPostgresChanges<
    Table extends string,
    Schema extends string = 'public',
    Row extends object = RowOf<Database, Schema, Table>,
  >(
    binding: ChangeBinding<Row> & { readonly schema?: Schema; readonly table?: Table },
    listener: (change: Change<Row>) => void,
  ): Unsubscribe;
}

/** The snapshot is the connection's status; `lost` only after a grace of 5 s. */
export interface RealtimeClient<Database = unknown> extends Readable<ConnectionSnapshot> {
  /** The channel of this name, always the same one. Nothing is sent before it is joined. */
  channel(name: string): RealtimeChannel<Database>;
  /** Frames that were malformed or of an unknown kind, and survived. */
  readonly ignoredFrames: number;
  /** Leaves every channel and closes the socket, for good. */
  close(): void;
}

/**
 * The client of a project's realtime service (protocol: PROTOCOL.md beside this file). Creating it does no work: the socket
 * opens with the first join and closes after the last leave, or once no channel may join, as after a sign-out.
 *
 * @throws {RealtimeError} `invalid_options`
 * @example
 * ```ts
 * import { createRealtimeClient } from 'supabase-protocol-clients/realtime-client';
 *
 * const { getAccessToken, onTokenChange } = auth;
 * const realtime = createRealtimeClient<Database>({ url, apiKey: anonKey, platform, getAccessToken, onTokenChange });
 * const channel = realtime.channel('inbox');
 * const binding = { event: '*', table: 'notifications', filter: 'recipient_id=eq.1' } as const;
 * channel.onPostgresChanges(binding, (change) => {
 *   if (change.type === 'INSERT') console.log('new', change.record.content);
 * });
 * channel.onContinuity(() => console.log('Changes may be missing: read the rows again'));
 * const leave = channel.join();
 * ```
 */
export function createRealtimeClient<Database = unknown>(
  options: RealtimeClientOptions,
): RealtimeClient<Database> {
  const { platform, share, schedule: frame, vsn = '2.0.0' } = options;
  const problem = configurationProblem(options);
  if (problem) throw new RealtimeError('invalid_options', problem);
  const settings = { ...defaultSettings, ...options.settings };
  const getAccessToken = options.getAccessToken ?? (() => Promise.resolve(null));
  // A hidden page gets no animation frames; its changes must arrive all the same.
  const schedule = (flush: () => void) => {
    const timer = platform.clock.setTimer(flush, frame ? settings.hiddenFrameMs : settings.frameMs);
    try {
      // As a function of its own: a browser's is not to be called as a method of the options.
      frame?.(() => {
        timer.cancel();
        flush();
      });
    } catch (problem) {
      platform.report(problem);
    }
  };
  const connectOptions = { ...options, vsn, settings, getAccessToken };
  const connection = share ? share(connectOptions, createOwnConnection) : createOwnConnection(connectOptions);
  const channels = new Map<string, RealtimeChannel<Database>>();

  return {
    getSnapshot: connection.getSnapshot,
    subscribe: connection.subscribe,
    get ignoredFrames() {
      return connection.ignoredFrames;
    },
    channel(name) {
      const known = channels.get(name);
      if (known) return known;
      const channel = createChannel({ name, connection, platform, settings, schedule });
      const created: RealtimeChannel<Database> = {
        ...channel,
        onPostgresChanges(binding, listener) {
          const listeners = createListeners<Parameters<typeof listener>[0]>(platform.report);
          const stops = [
            listeners.add(listener),
            channel.onChanges(binding, (changes) => changes.forEach(listeners.call)),
          ];
          return () => stops.forEach((stop) => stop());
        },
      };
      channels.set(name, created);
      return created;
    },
    close() {
      channels.forEach((channel) => channel.leave());
      connection.close();
    },
  };
}
