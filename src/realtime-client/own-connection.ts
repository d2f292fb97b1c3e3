import type { Timer, Unsubscribe } from '../platform/platform.ts';
import type { ConnectOptions, Connection, ConnectionSnapshot } from './connection.ts';
import { createKeptSocket } from './socket.ts';
import { createStore } from './store.ts';
import { createOwnTopic, type OwnTopic } from './topic.ts';
import { encodeSocketUrl } from './wire.ts';

/** A connection over a socket of this tab's own. */
export function createOwnConnection(options: ConnectOptions): Connection {
  const { url, apiKey, vsn, platform, settings, getAccessToken, onTokenChange } = options;
  const { clock, report } = platform;
  const topics = new Map<string, OwnTopic>();
  const store = createStore<ConnectionSnapshot>({ status: 'idle', lostAtMs: null }, report);
  let ignoredFrames = 0;
  let wasOpen = false;
  let graceTimer: Timer | undefined;
  let releaseTimer: Timer | undefined;
  let stopTokens: Unsubscribe | undefined;

  const socket = createKeptSocket({
    platform,
    url: encodeSocketUrl(url, apiKey, vsn),
    vsn,
    settings,
    onMessage(message) {
      const isKnown = message && (message.topic === 'phoenix' || topics.get(message.topic)?.receive(message));
      if (!isKnown) ignoredFrames += 1;
    },
    onState(kind, isOpen, lastFrameAtMs) {
      publish(
        kind === 'idle' || kind === 'closed' ? kind : isOpen ? 'connected' : 'connecting',
        lastFrameAtMs,
      );
      if (isOpen === wasOpen) return;
      wasOpen = isOpen;
      for (const topic of topics.values())
        topic.send(isOpen ? { kind: 'online' } : { kind: 'offline', sinceMs: lastFrameAtMs });
    },
  });

  /** A short interruption is not shown: `connected` stays until the grace is over. */
  const publish = (status: Exclude<ConnectionSnapshot['status'], 'lost'>, lastFrameAtMs: number) => {
    const { status: shown } = store.getSnapshot();
    if (status !== 'connecting') {
      graceTimer?.cancel();
      graceTimer = undefined;
      if (status !== shown) store.set({ status, lostAtMs: null });
      return;
    }
    if (shown === 'idle') store.set({ status, lostAtMs: null });
    if (shown !== 'lost')
      graceTimer ??= clock.setTimer(
        () => store.set({ status: 'lost', lostAtMs: lastFrameAtMs }),
        settings.lostAfterMs,
      );
  };

  /** The socket lives as long as a topic is wanted, and a little longer. */
  const updateWanted = () => {
    releaseTimer?.cancel();
    if ([...topics.values()].some((topic) => topic.isWanted)) {
      stopTokens ??= onTokenChange?.((token) =>
        topics.forEach((topic) => topic.send({ kind: 'tokenChange', token })),
      );
      socket.want(true);
    } else releaseTimer = clock.setTimer(() => socket.want(false), settings.leaveGraceMs);
  };

  return {
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    get ignoredFrames() {
      return ignoredFrames;
    },
    open(name, sink) {
      const topic = createOwnTopic({ name, socket, platform, settings, getAccessToken, sink });
      topics.set(`realtime:${name}`, topic);
      return {
        push: topic.push,
        want(bindings) {
          topic.want(bindings);
          updateWanted();
        },
      };
    },
    close() {
      topics.forEach((topic) => topic.want(null));
      stopTokens?.();
      releaseTimer?.cancel();
      socket.close();
    },
  };
}
