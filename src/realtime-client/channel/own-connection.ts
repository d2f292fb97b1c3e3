import type { Timer, Unsubscribe } from '../../platform/platform.ts';
import type { ConnectOptions, Connection } from '../socket/connection.ts';
import { createConnectionStatus } from '../socket/connection-status.ts';
import { isOpen } from '../socket/socket-state.ts';
import { createReconnectingSocket } from '../socket/socket.ts';
import { hasTurn, initialJoins, nextTurns, stepJoins } from '../socket/joins-state.ts';
import { createTokenSource } from '../socket/token-source.ts';
import { createWaitingData } from '../socket/waiting-data.ts';
import { defaultJoinConfig } from '../protocol/join-config.ts';
import { isJoined } from './channel-state.ts';
import { OwnTopic } from './topic.ts';

/** A connection over this tab's own socket. */
export function createOwnConnection(options: ConnectOptions): Connection {
  const { platform, settings, onTokenChange, emit } = options;
  const { clock, report } = platform;
  const topics = new Map<string, OwnTopic>();
  const status = createConnectionStatus(clock, settings, report);
  const tokens = createTokenSource(options.getAccessToken, clock, settings.timeoutMs);
  const waiting = createWaitingData(options, () => topics.forEach((topic) => topic.discard()));
  let joins = initialJoins(settings.parallelJoins);
  let ignoredFrames = 0;
  let isKeptOpen = false;
  let releaseTimer: Timer | undefined;
  let slotTimer: Timer | undefined;
  let stopTokens: Unsubscribe | undefined;

  const all = () => [...topics.values()];
  const countJoined = () => all().filter(({ state }) => isJoined(state)).length;
  /** How many more topics the server is known to allow. */
  const room = () => Math.max(0, joins.capacity - countJoined());
  const grantTurns = () => {
    if (socket.isOpen) nextTurns(joins, all()).forEach((topic) => topic.step({ kind: 'turn' }));
  };

  const socket = createReconnectingSocket(options, {
    isBlocked: () => all().some(hasTurn),
    holdMs: () => Math.max(0, ...all().map((topic) => topic.holdMs)),
    onMessage(message, frame) {
      if (message?.topic === 'phoenix') topics.forEach((topic) => topic.receiveHeartbeat(message.ref));
      else if (!message || !topics.get(message.topic)?.receive(message, frame)) ignoredFrames += 1;
    },
    onStep(state, before, lastFrameAtMs) {
      const { kind } = state;
      if (kind !== before.kind) emit({ type: 'socket', state: kind });
      status.publish(
        kind === 'idle' || kind === 'closed' ? kind : isOpen(state) ? 'connected' : 'connecting',
        lastFrameAtMs,
      );
      if (isOpen(state)) return grantTurns();
      if (!isOpen(before)) return undefined;
      // The next socket may have other limits.
      joins = initialJoins(settings.parallelJoins);
      return topics.forEach((topic) => topic.step({ kind: 'offline', lastFrameAtMs }));
    },
    onUnavailable: (problem) => topics.forEach((topic) => topic.step({ kind: 'unavailable', ...problem })),
  });

  const isNeeded = () =>
    isKeptOpen || all().some(({ state: { kind } }) => kind !== 'idle' && kind !== 'failed');

  /** Keeps the socket open while a topic needs it, and for a grace period after. */
  const updateWanted = () => {
    releaseTimer?.cancel();
    if (isNeeded()) {
      stopTokens ??= onTokenChange?.((token) => {
        tokens.reset(token);
        waiting.adopt(token);
        topics.forEach((topic) => topic.step({ kind: 'tokenChange', token }));
      });
      socket.want(true);
    } else if (status.getSnapshot().status !== 'closed')
      releaseTimer = clock.setTimer(() => socket.want(false), settings.leaveGraceMs);
  };

  /** Joins channels that exceeded the server's limit, once the server no longer counts the channels that were left. */
  const offerSlots = () => {
    slotTimer?.cancel();
    const surplus = () =>
      all().filter(({ state }) => state.kind === 'failed' && state.code === 'channel-limit');
    const offer = () =>
      surplus()
        .slice(0, room())
        .forEach((topic) => topic.step({ kind: 'join' }));
    if (surplus().length > 0) slotTimer = clock.setTimer(offer, settings.leaveGraceMs);
  };

  return {
    ...status,
    get ignoredFrames() {
      return ignoredFrames;
    },
    open(name, sink) {
      const topic = `realtime:${name}`;
      const own = new OwnTopic(topic, sink, options, {
        socket,
        tokens,
        waiting,
        isFull: () => room() === 0,
        onRefused(refusal) {
          joins = stepJoins(joins, { kind: 'refused', topic, refusal, joined: countJoined() });
        },
        onStep(state, before) {
          if (isJoined(state) && !isJoined(before))
            joins = stepJoins(joins, { kind: 'accepted', topic, joined: countJoined() });
          grantTurns();
        },
        onStatus({ status: state, error }) {
          updateWanted();
          emit({ type: 'channel', name, state, reason: error?.message ?? null });
          if (state === 'closed' || state === 'failed') offerSlots();
        },
      });
      topics.set(topic, own);
      return own;
    },
    keepOpen(isKept) {
      isKeptOpen = isKept;
      updateWanted();
      // A socket that the program closes does not wait for the grace period.
      if (!isNeeded()) socket.want(false);
    },
    close() {
      // Close the socket before leaving the topics: status listeners may call join().
      socket.close();
      topics.forEach((topic) => topic.want(null, defaultJoinConfig));
      stopTokens?.();
      waiting.close();
      releaseTimer?.cancel();
      slotTimer?.cancel();
    },
  };
}
