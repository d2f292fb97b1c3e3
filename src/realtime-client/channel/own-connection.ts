import type { Timer, Unsubscribe } from '../../platform/platform.ts';
import type { ConnectOptions, Connection } from '../socket/connection.ts';
import { createConnectionStatus } from '../socket/connection-status.ts';
import { createReconnectingSocket } from '../socket/socket.ts';
import { createJoinQueue } from '../socket/join-queue.ts';
import { createTokenSource } from '../socket/token-source.ts';
import { defaultJoinConfig } from '../protocol/join-config.ts';
import { createOwnTopic, type OwnTopic } from './topic.ts';
import { encodeSocketUrl } from '../protocol/wire.ts';
import { credentialsOf, serviceUrl } from '../../platform/service.ts';

/** A connection over a socket of this tab's own. */
export function createOwnConnection(options: ConnectOptions): Connection {
  const { url, apiKey, vsn, platform, settings, onTokenChange, emit } = options;
  const { clock, report } = platform;
  const topics = new Map<string, OwnTopic>();
  const status = createConnectionStatus(clock, settings, report);
  const queue = createJoinQueue(settings.parallelJoins);
  const tokens = createTokenSource(options.getAccessToken, clock, settings.timeoutMs);
  let ignoredFrames = 0;
  let wasOpen = false;
  let lastState = 'idle';
  let releaseTimer: Timer | undefined;
  let slotTimer: Timer | undefined;
  let stopTokens: Unsubscribe | undefined;

  const socket = createReconnectingSocket({
    ...options,
    url: encodeSocketUrl(url, apiKey, vsn, options.params),
    isBlocked: () => queue.isJoining,
    holdMs: () => Math.max(0, ...Array.from(topics.values(), (topic) => topic.holdMs)),
    onMessage(message, frame) {
      const isKnown =
        message && (message.topic === 'phoenix' || topics.get(message.topic)?.receive(message, frame));
      if (!isKnown) ignoredFrames += 1;
    },
    onHeartbeat: (ref) => topics.forEach((topic) => topic.receiveHeartbeat(ref)),
    onState(kind, isOpen, lastFrameAtMs) {
      if (kind !== lastState) emit({ type: 'socket', state: kind });
      lastState = kind;
      status.publish(
        kind === 'idle' || kind === 'closed' ? kind : isOpen ? 'connected' : 'connecting',
        lastFrameAtMs,
      );
      if (isOpen === wasOpen) return;
      wasOpen = isOpen;
      if (!isOpen) queue.reset();
      topics.forEach((topic) =>
        topic.step(isOpen ? { kind: 'online' } : { kind: 'offline', wallMs: lastFrameAtMs }),
      );
    },
    isKeyRefused: () => isKeyRefused(options),
    onUnavailable: (problem) => topics.forEach((topic) => topic.step({ kind: 'unavailable', ...problem })),
  });

  /** Keeps the socket open while a topic needs it, and for a grace period after. */
  const updateWanted = () => {
    releaseTimer?.cancel();
    if ([...topics.values()].some((topic) => topic.isWanted)) {
      stopTokens ??= onTokenChange?.((token) => {
        tokens.reset();
        topics.forEach((topic) => topic.step({ kind: 'tokenChange', token, wallMs: clock.now() }));
      });
      socket.want(true);
    } else if (status.getSnapshot().status !== 'closed')
      releaseTimer = clock.setTimer(() => socket.want(false), settings.leaveGraceMs);
  };

  /**
   * Channels that exceeded the server's limit take the places of those that were left, once the server no longer counts
   * these.
   */
  const offerSlots = () => {
    slotTimer?.cancel();
    const offer = () =>
      [...topics.values()]
        .filter((topic) => topic.isOverLimit)
        .slice(0, queue.room)
        .forEach((topic) => topic.step({ kind: 'slot' }));
    if ([...topics.values()].some((topic) => topic.isOverLimit))
      slotTimer = clock.setTimer(offer, settings.leaveGraceMs);
  };

  return {
    ...status,
    get ignoredFrames() {
      return ignoredFrames;
    },
    open(name, sink) {
      const topic = createOwnTopic({
        ...options,
        name,
        socket,
        queue,
        tokens,
        sink: {
          ...sink,
          onStatus(snapshot) {
            updateWanted();
            emit({ type: 'channel', name, state: snapshot.status, reason: snapshot.error?.message ?? null });
            sink.onStatus(snapshot);
            if (snapshot.status === 'closed' || snapshot.status === 'failed') offerSlots();
          },
        },
      });
      topics.set(`realtime:${name}`, topic);
      return topic;
    },
    close() {
      // Close the socket before leaving the topics: status listeners may call join().
      socket.close();
      topics.forEach((topic) => topic.want(null, defaultJoinConfig));
      stopTokens?.();
      releaseTimer?.cancel();
      slotTimer?.cancel();
    },
  };
}

/** The HTTP interface of the same service checks the same key; an empty batch of broadcasts has no effect. */
async function isKeyRefused({ url, apiKey, platform }: ConnectOptions): Promise<boolean> {
  try {
    const { status } = await platform.fetch(`${serviceUrl(url, 'realtime')}/api/broadcast`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentialsOf(apiKey, null) },
      body: '{"messages":[]}',
    });
    return status === 401;
  } catch {
    return false;
  }
}
