import type { Page, PageSignal, Timer } from '../../platform/platform.ts';
import type { ChannelSnapshot, ConnectOptions, Connection, Topic } from '../socket/connection.ts';
import type { RealtimeError } from '../errors.ts';
import { bindingKey, type Binding } from '../changes/postgres-changes.ts';
import { createListeners, type Listeners } from '../../platform/listeners.ts';

import type { LeaderNews } from './tab-message.ts';

/** The leading tab: joins the channels that any tab wants over its own socket, and forwards what it receives. */
export interface Leader {
  /** @param isRequested false when the tab only repeats its wants for a roll call or a new leader. */
  want(tab: string, name: string, bindings: readonly Binding[] | null, isRequested: boolean): void;
  push(id: string, name: string, event: string, payload: unknown): void;
  forget(tab: string): void;
  /** Another tab became visible or online: probes the socket, or opens it at once. */
  wake(): void;
  /** Publishes the state of the connection and all channels, for new tabs. */
  announce(): void;
  ignoredFrames(): number;
  close(): void;
}

interface LedTopic {
  readonly topic: Topic;
  readonly wants: Map<string, readonly Binding[]>;
  keys: readonly string[];
  snapshot: ChannelSnapshot;
}

/** Interval of the roll call, by which crashed tabs are detected. In milliseconds. */
export const rollCallMs = 60_000;

export function createLeader(
  options: ConnectOptions,
  connect: (options: ConnectOptions) => Connection,
  self: string,
  tell: (news: LeaderNews) => void,
): Leader {
  const { report } = options.platform;
  const wakes = createListeners<PageSignal>(report);
  const page = createSharedPage(options.platform.page, wakes);
  const connection = connect({ ...options, platform: { ...options.platform, page } });
  const topics = new Map<string, LedTopic>();
  const present = new Set<string>([self]);
  let timer: Timer;

  const tellStatus = (name: string, { keys, snapshot }: LedTopic) =>
    tell({ kind: 'status', name, keys, snapshot });
  const tellConnection = () => tell({ kind: 'connection', snapshot: connection.getSnapshot() });
  connection.subscribe(tellConnection);

  const open = (name: string): LedTopic => {
    const topic = connection.open(name, {
      onStatus(snapshot) {
        led.snapshot = snapshot;
        tellStatus(name, led);
      },
      onChange: (keys, change) => tell({ kind: 'change', name, keys, change }),
      onGap: (loss) => tell({ kind: 'gap', name, loss }),
      onDiscard: () => tell({ kind: 'discard', name }),
    });
    const led: LedTopic = { topic, wants: new Map(), keys: [], snapshot: { status: 'closed', error: null } };
    topics.set(name, led);
    return led;
  };
  /** A failed channel is joined again only on an explicit request, or for other bindings. */
  const update = (name: string, led: LedTopic, isRequested = false) => {
    const union = new Map([...led.wants.values()].flat().map((binding) => [bindingKey(binding), binding]));
    const before = led.keys.join();
    led.keys = [...union.keys()];
    if (led.wants.size === 0) led.topic.want(null);
    else if (isRequested || led.keys.join() !== before) led.topic.want([...union.values()]);
    tellStatus(name, led);
  };
  const forget = (tab: string) => {
    present.delete(tab);
    for (const [name, led] of topics) if (led.wants.delete(tab)) update(name, led);
  };
  const callRoll = () => {
    timer = options.platform.clock.setTimer(() => {
      topics.forEach(({ wants }) =>
        wants.forEach((_bindings, tab) => {
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
    want(tab, name, bindings, isRequested) {
      present.add(tab);
      const led = topics.get(name) ?? open(name);
      const isNew = !led.wants.has(tab);
      if (bindings) led.wants.set(tab, bindings);
      else led.wants.delete(tab);
      update(name, led, bindings !== null && (isRequested || isNew));
    },
    push(id, name, event, payload) {
      (topics.get(name) ?? open(name)).topic.push(event, payload).then(
        (response) => tell({ kind: 'pushed', id, response, error: null }),
        ({ code, message, cause }: RealtimeError) =>
          tell({ kind: 'pushed', id, response: cause, error: { code, message } }),
      );
    },
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
