import {
  createRealtimeClient,
  type RealtimeClient as NativeClient,
  type RealtimeClientOptions,
} from '../../realtime-client/index.ts';
import { endpointUrl } from '../../realtime-client/frames.ts';
import { ListenerSet } from '../../platform/listeners.ts';
import type { HeartbeatStatus } from './options.ts';
import { RealtimeChannel, type RealtimeChannelOptions, type RealtimeChannelSendResponse } from './channel.ts';

/** The realtime client in the vendor's form. */
export class RealtimeClient {
  readonly #options: RealtimeClientOptions;
  readonly #native: NativeClient;
  readonly #channels = new Map<string, RealtimeChannel>();
  readonly #setToken: (token: string | null) => Promise<void>;
  #accessToken: string | null = null;

  /**
   * @param options those of the native client.
   * @param pollsToken whether each heartbeat asks for the token, because its changes are not announced.
   */
  constructor(options: RealtimeClientOptions, pollsToken = false) {
    this.#options = options;
    const { getAccessToken, onTokenChange, platform } = options;
    let token: string | null = null;
    let setCount = 0;
    const tokens = new ListenerSet<string | null>(platform.report);
    const announce = (next: string | null) => {
      this.#accessToken = next;
      this.#rejoinQuietly(() => tokens.call(next));
    };
    this.#setToken = async (next) => {
      token = next;
      const count = ++setCount;
      const announced = next ?? (await getAccessToken?.({})) ?? null;
      // A later call supersedes one that waited for the session.
      if (count === setCount) announce(announced);
    };
    this.#native = createRealtimeClient({
      ...options,
      getAccessToken: async (request) => {
        const ofSession = token === null ? await getAccessToken?.(request) : null;
        return (this.#accessToken = token ?? ofSession ?? null);
      },
      onTokenChange: (listener) => {
        const follow = (next: string | null) => {
          this.#accessToken = next;
          this.#rejoinQuietly(() => listener(next));
        };
        const stops = [tokens.add(listener), onTokenChange?.((next) => token ?? follow(next))];
        return () => stops.forEach((stop) => stop?.());
      },
    });
    const poll = async () => {
      const next = token === null ? ((await getAccessToken?.({})) ?? null) : token;
      if (next !== this.#accessToken) announce(next);
    };
    if (pollsToken)
      this.#native.onEvent(({ type }) => {
        if (type === 'heartbeat') poll().catch(platform.report);
      });
  }

  /** The token of the latest join or `setAuth`; null before, and without a user. */
  get accessTokenValue(): string | null {
    return this.#accessToken;
  }

  /** The vendor's channels keep their status when the token changes. */
  #rejoinQuietly(change: () => void): void {
    this.getChannels().reduce((inner, channel) => () => channel.quietly(inner), change)();
  }

  /** Joins with this token from now on; without one, with the signed-in user's token again. */
  async setAuth(token: string | null = null): Promise<void> {
    await this.#setToken(token);
  }

  /** The channel of this name: the same until it is removed. */
  channel(name: string, params: RealtimeChannelOptions = { config: {} }): RealtimeChannel {
    const known = this.#channels.get(name);
    if (known) return known;
    const channel = new RealtimeChannel(name, params, this.#native, () => this.#channels.delete(name));
    this.#channels.set(name, channel);
    return channel;
  }

  /** All channels that were not removed. */
  getChannels(): RealtimeChannel[] {
    return [...this.#channels.values()];
  }

  /** Leaves a channel. */
  removeChannel(channel: RealtimeChannel): Promise<RealtimeChannelSendResponse> {
    return channel.unsubscribe();
  }

  /** Leaves all channels, and closes the socket. */
  async removeAllChannels(): Promise<RealtimeChannelSendResponse[]> {
    const left = await Promise.all(this.getChannels().map((channel) => channel.unsubscribe()));
    this.#native.port.keepOpen(false);
    return left;
  }

  /** Opens the socket, which a channel does as well, and joins the channels again that `disconnect` has left. */
  connect(): void {
    this.#native.port.keepOpen(true);
    this.#channels.forEach((channel) => channel.resume());
  }

  /** Closes the socket until `connect`. Channels keep their listeners. */
  async disconnect(): Promise<'ok'> {
    this.#channels.forEach((channel) => channel.pause());
    this.#native.port.keepOpen(false);
    return 'ok';
  }

  /** The address of the socket. */
  endpointURL(): string {
    return endpointUrl(this.#options);
  }

  /** Whether the socket is open. */
  isConnected(): boolean {
    return this.connectionState() === 'open';
  }

  /** Whether the socket is being opened. */
  isConnecting(): boolean {
    return this.connectionState() === 'connecting';
  }

  /** Always false: a socket that is closed is left at once. */
  isDisconnecting(): boolean {
    return false;
  }

  /** The state of the socket. */
  connectionState(): 'connecting' | 'open' | 'closed' {
    const { status } = this.#native.getSnapshot();
    if (status === 'connected') return 'open';
    return status === 'idle' || status === 'closed' ? 'closed' : 'connecting';
  }

  /** Calls a listener with each status of a heartbeat; `ok` has the latency in milliseconds. */
  onHeartbeat(callback: (status: HeartbeatStatus, latency?: number) => void): void {
    let state = '';
    this.#native.onEvent((event) => {
      if (event.type === 'heartbeat') callback('ok', event.latencyMs);
      if (event.type !== 'socket') return;
      const before = state;
      state = event.state;
      if (state === 'probing') callback('sent');
      else if (before === 'probing' && state !== 'open') callback('timeout');
      else if (before === 'open') callback('disconnected');
    });
  }

  /** Leaves all channels and closes the socket permanently. */
  teardown(): void {
    this.#native.close();
  }
}
