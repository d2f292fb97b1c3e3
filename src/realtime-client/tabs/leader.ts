import type { Clock, Page, PageSignal, Platform, Timer } from '../../platform/platform.ts';
import type {
  ChannelSnapshot,
  ConnectOptions,
  Connection,
  TabPresence,
  Topic,
} from '../socket/connection.ts';
import type { RealtimeError } from '../errors.ts';
import type { RealtimeEvent } from '../events.ts';
import { bindingKey, type Binding } from '../protocol/change.ts';
import { ListenerSet } from '../../platform/listeners.ts';
import { mergeConfigs, type JoinConfig } from '../protocol/join-config.ts';
import { createTracker, mergeTabs, presenceError, type Tracker } from '../presence/tracker.ts';
import {
  encodePresence,
  initialPresence,
  stepPresence,
  type PresenceState,
} from '../presence/presence-state.ts';
import type { FollowerMessage, LeaderNews } from './tab-message.ts';

type MessageOf<Kind> = Omit<Extract<FollowerMessage, { readonly type: Kind }>, 'to'>;

interface Wants {
  readonly bindings: readonly Binding[];
  readonly config: JoinConfig;
}

/** Interval of the roll call, by which crashed tabs are detected. In milliseconds. */
export const rollCallMs = 60_000;

/** One channel that the leader has joined for the tabs that need it. */
class LedTopic {
  readonly wants = new Map<string, Wants>();
  /** Kept for tabs that join the group later: the server sends the full state once per join. */
  presence: PresenceState = initialPresence;
  readonly #name: string;
  readonly #topic: Topic;
  readonly #clock: Clock;
  readonly #post: (news: LeaderNews) => void;
  readonly #tracker: Tracker;
  readonly #entries = new Map<string, TabPresence>();
  #keys: readonly string[] = [];
  #snapshot: ChannelSnapshot = { status: 'closed', error: null };

  constructor(
    name: string,
    connection: Connection,
    { clock, report }: Platform,
    post: (news: LeaderNews) => void,
  ) {
    this.#name = name;
    this.#clock = clock;
    this.#post = post;
    this.#topic = connection.open(name, {
      onStatus: (snapshot) => this.#onStatus(snapshot),
      onChange: (keys, change) => post({ type: 'change', name, keys, change }),
      onGap: (loss) => post({ type: 'gap', name, loss }),
      onDiscard: () => {
        this.#entries.clear();
        this.#tracker.discard();
        post({ type: 'discard', name });
      },
      onMessage: (event, payload) => this.#onMessage(event, payload),
    });
    this.#tracker = createTracker({
      name,
      clock,
      emit: (event) => post({ type: 'event', event }),
      report,
      push: (event, payload) => this.push(event, payload),
      onError: ({ code, message }) => this.#postMessage(presenceError, { code, message }, null),
    });
  }

  push(event: string, payload: unknown): Promise<unknown> {
    return this.#topic.push(event, payload);
  }

  send(event: string, payload: unknown): void {
    this.#topic.send(event, payload);
  }

  /** A failed channel is joined again only on an explicit request, or for other bindings. */
  update(isRequested = false): void {
    const wants = [...this.wants.values()];
    const union = new Map(
      wants.flatMap(({ bindings }) => bindings).map((binding) => [bindingKey(binding), binding]),
    );
    const config = mergeConfigs(wants.map((want) => want.config));
    const before = this.#keys.join();
    this.#keys = [...union.keys(), JSON.stringify(config)];
    if (wants.length === 0) this.#topic.want(null, config);
    else if (isRequested || this.#keys.join() !== before) this.#topic.want(union, config);
    this.postStatus();
  }

  track(tab: string, entry: TabPresence | null): void {
    // Move it to the end: the latest entry represents all tabs.
    this.#entries.delete(tab);
    if (entry) this.#entries.set(tab, entry);
    this.#tracker.set(mergeTabs([...this.#entries.values()]));
  }

  forget(tab: string): void {
    if (this.#entries.has(tab)) this.track(tab, null);
    if (this.wants.delete(tab)) this.update();
  }

  postStatus(): void {
    this.#post({ type: 'status', name: this.#name, keys: this.#keys, snapshot: this.#snapshot });
  }

  postPresence(): void {
    if (this.presence.isSynced) this.#postMessage('presence_state', encodePresence(this.presence), null);
  }

  /**
   * The server does not echo a broadcast to its sender: forward it to the other tabs, which listen too. With an
   * acknowledgment they receive it afterwards, because the server drops what no policy allows.
   */
  echo(event: string, payload: unknown, except: string): void {
    if (event === 'broadcast') this.#postMessage(event, payload, except);
  }

  close(): void {
    this.#tracker.close();
  }

  #postMessage(event: string, payload: unknown, except: string | null): void {
    this.#post({ type: 'message', name: this.#name, event, payload, except });
  }

  #onStatus(snapshot: ChannelSnapshot): void {
    this.#snapshot = snapshot;
    const isJoined = snapshot.status === 'live' || snapshot.status === 'joined';
    this.#tracker.setJoined(isJoined);
    if (!isJoined) this.presence = initialPresence;
    this.postStatus();
  }

  #onMessage(event: string, payload: unknown): void {
    if (event === 'presence_state' || event === 'presence_diff')
      this.presence = stepPresence(
        this.presence,
        { type: event, payload },
        this.#clock.monotonicMs(),
        0,
      ).state;
    this.#postMessage(event, payload, null);
  }
}

/** The leading tab: joins the channels that any tab needs over its own socket, and forwards what it receives. */
export class Leader {
  readonly #platform: Platform;
  readonly #self: string;
  readonly #post: (news: LeaderNews) => void;
  readonly #connection: Connection;
  readonly #wakes: ListenerSet<PageSignal>;
  readonly #topics = new Map<string, LedTopic>();
  readonly #present: Set<string>;
  #timer: Timer | undefined;

  constructor(
    options: ConnectOptions,
    connect: (options: ConnectOptions) => Connection,
    self: string,
    post: (news: LeaderNews) => void,
  ) {
    this.#platform = options.platform;
    this.#self = self;
    this.#post = post;
    this.#present = new Set([self]);
    this.#wakes = new ListenerSet(options.platform.report);
    const page = createSharedPage(options.platform.page, this.#wakes);
    const emit = (event: RealtimeEvent) => post({ type: 'event', event });
    this.#connection = connect({ ...options, emit, platform: { ...options.platform, page } });
    this.#connection.subscribe(() => this.#postConnection());
    this.#callRoll();
  }

  get ignoredFrames(): number {
    return this.#connection.ignoredFrames;
  }

  want({ from, name, bindings, config, isRequested }: MessageOf<'want'>): void {
    this.#present.add(from);
    const led = this.#find(name);
    const isNew = !led.wants.has(from);
    if (bindings) led.wants.set(from, { bindings, config });
    else {
      led.wants.delete(from);
      led.track(from, null);
    }
    led.update(bindings !== null && (isRequested || isNew));
    // A tab that repeats its wants may have missed the state.
    if (bindings && (isNew || !isRequested)) led.postPresence();
  }

  push({ from, id, name, event, payload }: MessageOf<'push'>): void {
    const led = this.#find(name);
    led.push(event, payload).then(
      (response) => {
        led.echo(event, payload, from);
        this.#post({ type: 'pushed', id, response, error: null });
      },
      ({ code, message, cause }: RealtimeError) =>
        this.#post({ type: 'pushed', id, response: cause, error: { code, message } }),
    );
  }

  send({ from, name, event, payload }: MessageOf<'send'>): void {
    const led = this.#find(name);
    led.echo(event, payload, from);
    led.send(event, payload);
  }

  /** @param entry what the tab tracks in the channel's presence. */
  track(tab: string, name: string, entry: TabPresence | null): void {
    this.#find(name).track(tab, entry);
  }

  forget(tab: string): void {
    this.#present.delete(tab);
    this.#topics.forEach((led) => led.forget(tab));
  }

  /** Another tab became visible or online: probes the socket, or opens it at once. */
  wake(): void {
    this.#wakes.call('visible');
  }

  /** Publishes the state of the connection and all channels, for new tabs. */
  announce(): void {
    this.#post({ type: 'lead' });
    this.#postConnection();
    this.#topics.forEach((led) => led.postStatus());
  }

  close(): void {
    this.#timer?.cancel();
    this.#topics.forEach((led) => led.close());
    this.#connection.close();
  }

  #find(name: string): LedTopic {
    const known = this.#topics.get(name);
    if (known) return known;
    const led = new LedTopic(name, this.#connection, this.#platform, this.#post);
    this.#topics.set(name, led);
    return led;
  }

  #postConnection(): void {
    this.#post({ type: 'connection', snapshot: this.#connection.getSnapshot() });
  }

  #callRoll(): void {
    this.#timer = this.#platform.clock.setTimer(() => {
      this.#topics.forEach(({ wants }) =>
        wants.forEach((_want, tab) => {
          if (tab !== this.#self && !this.#present.has(tab)) this.forget(tab);
        }),
      );
      this.#present.clear();
      this.#post({ type: 'roll' });
      this.#callRoll();
    }, rollCallMs);
  }
}

/** Reports the page as visible, because a hidden leader may serve a visible tab. */
function createSharedPage(page: Page, wakes: ListenerSet<PageSignal>): Page {
  return {
    isVisible: () => true,
    isOnline: page.isOnline,
    subscribe(listener) {
      const stops = [page.subscribe(listener), wakes.add(listener)];
      return () => stops.forEach((stop) => stop());
    },
  };
}
