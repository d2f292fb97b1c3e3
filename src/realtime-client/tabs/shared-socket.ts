import type { Timer, Unsubscribe } from '../../platform/platform.ts';
import { readJwtSubject } from '../../platform/jwt.ts';
import { binaryFrames } from '../broadcast/binary-frames.ts';
import { postgresChangesProtocol } from '../changes/protocol.ts';
import type { ShareConnection } from '../realtime-client.ts';
import { backoffDelayMs } from '../../platform/backoff.ts';
import { createConnectionStatus, type ConnectionStatus } from '../socket/connection-status.ts';
import type { ConnectOptions, Connection, Topic, TopicSink } from '../socket/connection.ts';
import { createPushes, type Pushes } from '../socket/push.ts';
import { createWaitingData, type WaitingData } from '../socket/waiting-data.ts';
import { Membership, type TabTopic } from './membership.ts';
import { SharedTopic } from './shared-topic.ts';

/**
 * Shares one socket among all tabs of a user; the value of the option `share`. The tab that holds the lock leads: it
 * owns the socket and forwards what it receives. Rows pass between tabs of one user only, tokens never. Where locks do
 * not reach other tabs, each tab has its own socket.
 *
 * @example
 * ```ts
 * import { createRealtimeClient } from 'supabase-protocol-clients/realtime-client';
 * import { shareSocket } from 'supabase-protocol-clients/realtime-client/shared-socket';
 *
 * const { getAccessToken, onTokenChange } = auth;
 * const connected = { url, apiKey, platform, getAccessToken, onTokenChange };
 * const realtime = createRealtimeClient<Database>({ ...connected, share: shareSocket });
 * ```
 */
export const shareSocket: ShareConnection = (options, connect) =>
  options.platform.locks.scope === 'realm' ? connect(options) : new SharedConnection(options, connect);

class SharedConnection implements Connection {
  readonly getSnapshot: Connection['getSnapshot'];
  readonly subscribe: Connection['subscribe'];
  readonly #options: ConnectOptions;
  readonly #connect: (options: ConnectOptions) => Connection;
  /** The tab's random id. */
  readonly #self: string;
  readonly #status: ConnectionStatus;
  readonly #topics = new Map<string, TabTopic>();
  readonly #waiting: WaitingData;
  /** The subject of the token; null after a sign-out or `close()`, undefined until the first token. */
  #user: string | null | undefined;
  #membership: Membership | undefined;
  #stops: readonly (Unsubscribe | undefined)[] | undefined;
  #lastPush = 0;
  #tokenTimer: Timer | undefined;

  constructor(options: ConnectOptions, connect: (options: ConnectOptions) => Connection) {
    const { platform, settings, features } = options;
    this.#options = options;
    this.#connect = connect;
    // Channels of other tabs, for which this tab may lead, can have features that its own channels lack.
    features.binaryFrames = binaryFrames;
    features.postgresChanges = postgresChangesProtocol;
    this.#self = platform.random.bytes(8).join('-');
    this.#status = createConnectionStatus(platform.clock, settings, platform.report);
    ({ getSnapshot: this.getSnapshot, subscribe: this.subscribe } = this.#status);
    this.#waiting = createWaitingData(options, () =>
      this.#topics.forEach(({ shared, pushes }) => {
        pushes.discard();
        shared.onDiscard();
      }),
    );
  }

  get ignoredFrames(): number {
    return this.#membership?.ignoredFrames ?? 0;
  }

  open(name: string, sink: TopicSink): Topic {
    const onStatus: TopicSink['onStatus'] = (snapshot) => {
      sink.onStatus(snapshot);
      pushes.fail();
    };
    const shared = new SharedTopic({ ...sink, onStatus }, this.#options.platform.clock);
    const pushes = this.#createPushes(name, shared);
    this.#topics.set(name, { shared, pushes });
    return {
      push: (event, payload) => {
        this.#waiting.claim();
        return pushes.push(event, payload);
      },
      claim: this.#waiting.claim,
      send: (event, payload) => this.#membership?.say({ type: 'send', name, event, payload }),
      track: (entry) => {
        shared.entry = entry;
        this.#membership?.say({ type: 'track', name, entry });
      },
      want: (wanted, config) => {
        const bindings = wanted && [...wanted.values()];
        shared.want(bindings, config);
        if (!bindings) pushes.close();
        if (this.#user === null) shared.signOut();
        if (!this.#stops && bindings) this.#start();
        this.#membership?.say({ type: 'want', name, bindings, config, isRequested: true });
      },
    };
  }

  close(): void {
    this.#tokenTimer?.cancel();
    this.#membership?.leave();
    this.#membership = undefined;
    this.#user = null;
    this.#stops?.forEach((stop) => stop?.());
    this.#stops = [];
    this.#waiting.close();
    // Publish `closed` before leaving the topics: listeners may call join().
    this.#status.publish('closed', this.#options.platform.clock.now());
    this.#topics.forEach(({ shared }) => shared.want(null, shared.config));
  }

  #createPushes(name: string, shared: SharedTopic): Pushes {
    const { platform, settings } = this.#options;
    return createPushes({
      clock: platform.clock,
      settings,
      isReady: () => this.#membership?.isReady ?? false,
      failure: () => shared.snapshot.error,
      send: (event, payload) => {
        this.#lastPush += 1;
        const id = `${this.#self}:${this.#lastPush}`;
        this.#membership?.say({ type: 'push', id, name, event, payload });
        return id;
      },
    });
  }

  #start(): void {
    const { platform, onTokenChange } = this.#options;
    this.#stops = [
      onTokenChange?.((token) => {
        this.#waiting.adopt(token);
        this.#switchUser(token === null ? null : readJwtSubject(token));
      }),
      platform.page.subscribe((signal) => {
        if (signal === 'pagehide') return this.#membership?.stop();
        if (signal === 'hidden' || signal === 'offline') return;
        this.#membership?.start();
        this.#membership?.wake();
      }),
    ];
    void this.#requestToken(0);
  }

  #switchUser(user: string | null): void {
    this.#tokenTimer?.cancel();
    if (user === this.#user) return;
    this.#membership?.leave();
    this.#membership = undefined;
    this.#user = user;
    if (user === null) {
      this.#status.publish('idle', this.#options.platform.clock.now());
      return this.#topics.forEach(({ shared }) => shared.signOut());
    }
    this.#membership = new Membership({
      options: this.#options,
      connect: this.#connect,
      self: this.#self,
      user,
      topics: this.#topics,
      status: this.#status,
    });
    this.#membership.start();
  }

  /**
   * The token's subject decides which tabs share a socket; tabs without a token share the anonymous one. Until the
   * token request succeeds the tab joins no group, because it may belong to a signed-in user.
   */
  async #requestToken(attempt: number): Promise<void> {
    const { platform, settings, getAccessToken } = this.#options;
    const retryAfter = (delayMs: number) => {
      this.#tokenTimer?.cancel();
      if (this.#user === undefined)
        this.#tokenTimer = platform.clock.setTimer(() => void this.#requestToken(attempt + 1), delayMs);
    };
    retryAfter(settings.timeoutMs);
    try {
      const token = await getAccessToken();
      if (this.#user !== undefined) return;
      this.#waiting.adopt(token);
      this.#switchUser(readJwtSubject(token ?? ''));
    } catch (problem) {
      platform.report(problem);
      const backoff = { delaysMs: settings.reconnectDelaysMs, jitter: settings.jitter };
      retryAfter(backoffDelayMs(attempt + 1, backoff, platform.random.number()));
    }
  }
}
