import type { Page, PageSignal, Timer } from '../../platform/platform.ts';
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
import { createListeners, type Listeners } from '../../platform/listeners.ts';

import { mergeConfigs, type JoinConfig } from '../protocol/join-config.ts';
import { createTracker, mergeTabs, presenceError, type Tracker } from '../presence/tracker.ts';
import {
  encodePresence,
  initialPresence,
  stepPresence,
  type PresenceEvent,
  type PresenceState,
} from '../presence/presence-state.ts';
import type { FollowerMessage, LeaderNews } from './tab-message.ts';

/** The leading tab: joins the channels that any tab needs over its own socket, and forwards what it receives. */
export interface Leader {
  want(message: MessageOf<'want'>): void;
  push(message: MessageOf<'push'>): void;
  send(message: MessageOf<'send'>): void;
  /** @param entry what the tab tracks in the channel's presence. */
  track(tab: string, name: string, entry: TabPresence | null): void;
  forget(tab: string): void;
  /** Another tab became visible or online: probes the socket, or opens it at once. */
  wake(): void;
  /** Publishes the state of the connection and all channels, for new tabs. */
  announce(): void;
  ignoredFrames(): number;
  close(): void;
}

type MessageOf<Kind> = Omit<Extract<FollowerMessage, { readonly kind: Kind }>, 'to'>;

interface LeaderTopic {
  readonly topic: Topic;
  readonly wants: Map<string, Wants>;
  readonly entries: Map<string, TabPresence>;
  readonly tracker: Tracker;
  /** Kept for tabs that join the group later: the server sends the full state once per join. */
  presence: PresenceState;
  keys: readonly string[];
  snapshot: ChannelSnapshot;
}

interface Wants {
  readonly bindings: readonly Binding[];
  readonly config: JoinConfig;
}

/** Interval of the roll call, by which crashed tabs are detected. In milliseconds. */
export const rollCallMs = 60_000;

export function createLeader(
  options: ConnectOptions,
  connect: (options: ConnectOptions) => Connection,
  self: string,
  tell: (news: LeaderNews) => void,
): Leader {
  const { report, clock } = options.platform;
  const emit = (event: RealtimeEvent) => tell({ kind: 'event', event });
  const wakes = createListeners<PageSignal>(report);
  const page = createSharedPage(options.platform.page, wakes);
  const connection = connect({ ...options, emit, platform: { ...options.platform, page } });
  const topics = new Map<string, LeaderTopic>();
  const present = new Set<string>([self]);
  let timer: Timer;

  const tellStatus = (name: string, { keys, snapshot }: LeaderTopic) =>
    tell({ kind: 'status', name, keys, snapshot });
  const tellConnection = () => tell({ kind: 'connection', snapshot: connection.getSnapshot() });
  connection.subscribe(tellConnection);

  const open = (name: string): LeaderTopic => {
    const topic = connection.open(name, {
      onStatus(snapshot) {
        led.snapshot = snapshot;
        const isJoined = snapshot.status === 'live' || snapshot.status === 'joined';
        led.tracker.setJoined(isJoined);
        if (!isJoined) led.presence = initialPresence;
        tellStatus(name, led);
      },
      onChange: (keys, change) => tell({ kind: 'change', name, keys, change }),
      onGap: (loss) => tell({ kind: 'gap', name, loss }),
      onDiscard() {
        led.entries.clear();
        led.tracker.discard();
        tell({ kind: 'discard', name });
      },
      onMessage(event, payload) {
        if (event === 'presence_state' || event === 'presence_diff') follow({ kind: event, payload });
        tell({ kind: 'message', name, event, payload, except: null });
      },
    });
    const led: LeaderTopic = {
      topic,
      wants: new Map(),
      entries: new Map(),
      tracker: createTracker({
        name,
        clock,
        emit,
        report,
        push: topic.push,
        onError: ({ code, message }) =>
          tell({ kind: 'message', name, event: presenceError, payload: { code, message }, except: null }),
      }),
      presence: initialPresence,
      keys: [],
      snapshot: { status: 'closed', error: null },
    };
    const follow = (event: PresenceEvent) => {
      led.presence = stepPresence(led.presence, event, clock.monotonicMs(), 0).state;
    };
    topics.set(name, led);
    return led;
  };
  /** A failed channel is joined again only on an explicit request, or for other bindings. */
  const update = (name: string, led: LeaderTopic, isRequested = false) => {
    const wants = [...led.wants.values()];
    const union = new Map(
      wants.flatMap(({ bindings }) => bindings).map((binding) => [bindingKey(binding), binding]),
    );
    const config = mergeConfigs(wants.map((want) => want.config));
    const before = led.keys.join();
    led.keys = [...union.keys(), JSON.stringify(config)];
    if (wants.length === 0) led.topic.want(null, config);
    else if (isRequested || led.keys.join() !== before) led.topic.want(union, config);
    tellStatus(name, led);
  };
  const track = (led: LeaderTopic, tab: string, entry: TabPresence | null) => {
    // Move it to the end: the latest entry represents all tabs.
    led.entries.delete(tab);
    if (entry) led.entries.set(tab, entry);
    led.tracker.set(mergeTabs([...led.entries.values()]));
  };
  const find = (name: string) => topics.get(name) ?? open(name);
  /**
   * The server does not echo a broadcast to its sender: forward it to the other tabs, which listen too. With an
   * acknowledgement they receive it afterwards, because the server drops what no policy allows.
   */
  const echo = (name: string, event: string, payload: unknown, except: string) => {
    if (event === 'broadcast') tell({ kind: 'message', name, event, payload, except });
  };
  const forget = (tab: string) => {
    present.delete(tab);
    for (const [name, led] of topics) {
      if (led.entries.has(tab)) track(led, tab, null);
      if (led.wants.delete(tab)) update(name, led);
    }
  };
  const callRoll = () => {
    timer = clock.setTimer(() => {
      topics.forEach(({ wants }) =>
        wants.forEach((_want, tab) => {
          if (tab !== self && !present.has(tab)) forget(tab);
        }),
      );
      present.clear();
      tell({ kind: 'roll' });
      callRoll();
    }, rollCallMs);
  };
  callRoll();

  return {
    want({ from, name, bindings, config, isRequested }) {
      present.add(from);
      const led = find(name);
      const isNew = !led.wants.has(from);
      if (bindings) led.wants.set(from, { bindings, config });
      else {
        led.wants.delete(from);
        track(led, from, null);
      }
      update(name, led, bindings !== null && (isRequested || isNew));
      // A tab that repeats its wants may have missed the state.
      if (bindings && (isNew || !isRequested) && led.presence.isSynced) {
        const payload = encodePresence(led.presence);
        tell({ kind: 'message', name, event: 'presence_state', payload, except: null });
      }
    },
    push({ from, id, name, event, payload }) {
      find(name)
        .topic.push(event, payload)
        .then(
          (response) => {
            echo(name, event, payload, from);
            tell({ kind: 'pushed', id, response, error: null });
          },
          ({ code, message, cause }: RealtimeError) =>
            tell({ kind: 'pushed', id, response: cause, error: { code, message } }),
        );
    },
    send({ from, name, event, payload }) {
      echo(name, event, payload, from);
      find(name).topic.send(event, payload);
    },
    track: (tab, name, entry) => track(find(name), tab, entry),
    forget,
    wake: () => wakes.call('visible'),
    ignoredFrames: () => connection.ignoredFrames,
    announce() {
      tell({ kind: 'lead' });
      tellConnection();
      topics.forEach((led, name) => tellStatus(name, led));
    },
    close() {
      timer.cancel();
      topics.forEach(({ tracker }) => tracker.close());
      connection.close();
    },
  };
}

/** Reports the page as visible, because a hidden leader may serve a visible tab. */
function createSharedPage(page: Page, wakes: Listeners<PageSignal>): Page {
  return {
    isVisible: () => true,
    isOnline: page.isOnline,
    subscribe(listener) {
      const stops = [page.subscribe(listener), wakes.add(listener)];
      return () => stops.forEach((stop) => stop());
    },
  };
}
