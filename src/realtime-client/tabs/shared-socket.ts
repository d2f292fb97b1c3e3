import type { Broadcast, Timer, Unsubscribe } from '../../platform/platform.ts';
import { backoffMs, withJitter } from '../socket/backoff.ts';
import type { ConnectOptions, Connection, TopicSink } from '../socket/connection.ts';
import { binaryFrames } from '../broadcast/binary-frames.ts';
import { postgresChangesProtocol } from '../changes/protocol.ts';
import { createConnectionStatus, type ConnectionStatus } from '../socket/connection-status.ts';
import { createLeader, type Leader } from './leader.ts';
import { stepLeader, type LeaderEffect, type LeaderEvent, type LeaderState } from './leader-state.ts';
import { createMachine, type Machine } from '../machine/machine.ts';
import { createPushes, type Pushes } from '../socket/push.ts';
import type { ShareConnection } from '../realtime-client.ts';
import { createSharedTopic, type SharedTopic } from './shared-topic.ts';
import { parseTabMessage, type FollowerMessage, type LeaderNews, type TabMessage } from './tab-message.ts';
import { createTermLock } from './term-lock.ts';
import { readJwtSubject } from '../../platform/jwt.ts';

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
  options.platform.locks.scope === 'realm' ? connect(options) : createSharedConnection(options, connect);

interface TabTopic {
  readonly shared: SharedTopic;
  readonly pushes: Pushes;
}

function createSharedConnection(
  options: ConnectOptions,
  connect: (options: ConnectOptions) => Connection,
): Connection {
  const { platform, settings, getAccessToken, onTokenChange, parts } = options;
  // This tab may lead for tabs whose channels have features that its own lack.
  parts.binaryFrames = binaryFrames;
  parts.postgresChanges = postgresChangesProtocol;
  const { clock, page } = platform;
  const self = platform.random.bytes(8).join('-');
  const status = createConnectionStatus(clock, settings, platform.report);
  const topics = new Map<string, TabTopic>();
  /** The subject of the token; null after a sign-out or `close()`, undefined until the first token. */
  let user: string | null | undefined;
  let membership: Membership | undefined;
  let stops: readonly (Unsubscribe | undefined)[] | undefined;
  let lastPush = 0;
  let askTimer: Timer | undefined;

  const enter = (next: string | null) => {
    askTimer?.cancel();
    if (next === user) return;
    membership?.leave();
    membership = undefined;
    if (user) topics.forEach(({ shared }) => shared.onDiscard());
    user = next;
    if (next === null) {
      status.publish('idle', clock.now());
      return topics.forEach(({ shared }) => shared.signOut());
    }
    membership = joinUser({ options, connect, self, user: next, topics, status });
    membership.start();
  };
  const begin = () => {
    stops = [
      onTokenChange?.((token) => enter(token === null ? null : readJwtSubject(token))),
      page.subscribe((signal) => {
        if (signal === 'pagehide') return membership?.stop();
        if (signal === 'hidden' || signal === 'offline') return;
        membership?.start();
        membership?.wake();
      }),
    ];
    void ask(0);
  };
  /**
   * The token's subject decides which tabs share a socket; tabs without a token share the anonymous one. Until the
   * token request succeeds the tab joins no group, because it may belong to a signed-in user.
   */
  const ask = async (attempt: number) => {
    const again = (delayMs: number) => {
      askTimer?.cancel();
      if (user === undefined) askTimer = clock.setTimer(() => void ask(attempt + 1), delayMs);
    };
    again(settings.timeoutMs);
    try {
      const token = await getAccessToken();
      if (user === undefined) enter(readJwtSubject(token ?? ''));
    } catch (problem) {
      platform.report(problem);
      again(withJitter(backoffMs(attempt, settings), settings, platform.random.number()));
    }
  };
  return {
    ...status,
    get ignoredFrames() {
      return membership?.ignoredFrames() ?? 0;
    },
    open(name: string, sink: TopicSink) {
      const shared = createSharedTopic(sink, clock);
      const pushes = createPushes({
        clock,
        settings,
        isReady: () => membership?.isReady() ?? false,
        send(event, payload) {
          const id = `${self}:${(lastPush += 1)}`;
          membership?.say({ kind: 'push', id, name, event, payload });
          return id;
        },
      });
      topics.set(name, { shared, pushes });
      return {
        push: pushes.push,
        send(event, payload) {
          membership?.say({ kind: 'send', name, event, payload });
        },
        track(entry) {
          shared.entry = entry;
          membership?.say({ kind: 'track', name, entry });
        },
        want(wanted, config) {
          const bindings = wanted && [...wanted.values()];
          shared.want(bindings, config);
          if (!bindings) pushes.close();
          if (user === null) shared.signOut();
          if (!stops && bindings) begin();
          membership?.say({ kind: 'want', name, bindings, config, isRequested: true });
        },
      };
    },
    close() {
      askTimer?.cancel();
      membership?.leave();
      membership = undefined;
      user = null;
      stops?.forEach((stop) => stop?.());
      stops = [];
      // Publish `closed` before leaving the topics: listeners may call join().
      status.publish('closed', clock.now());
      topics.forEach(({ shared }) => shared.want(null, shared.config));
    },
  };
}

/** One tab's membership in the group of a user's tabs: it follows or leads. */
interface Membership {
  start(): void;
  stop(): void;
  wake(): void;
  /** Stops permanently. */
  leave(): void;
  isReady(): boolean;
  ignoredFrames(): number;
  /** Sends a message to the leader, which may be this tab. */
  say(message: Without<FollowerMessage, 'from' | 'to'>): void;
}

type Without<Union, Keys extends PropertyKey> = Union extends unknown ? Omit<Union, Keys> : never;

function joinUser({
  options,
  connect,
  self,
  user,
  topics,
  status,
}: {
  readonly options: ConnectOptions;
  readonly connect: (options: ConnectOptions) => Connection;
  readonly self: string;
  readonly user: string;
  readonly topics: ReadonlyMap<string, TabTopic>;
  readonly status: ConnectionStatus;
}): Membership {
  const { platform } = options;
  const { clock } = platform;
  const name = `realtime:${new URL(options.url).host}:${user}`;
  const lock = createTermLock(platform.locks, name, (term) => machine.send({ kind: 'granted', term }));
  const broadcast: Broadcast = platform.openBroadcast(name);
  let leader: Leader | undefined;
  let lastHeardMs = clock.now();
  let hasLeft = false;

  const detach = () => {
    topics.forEach(({ shared }) => shared.detach(lastHeardMs));
    status.publish('connecting', lastHeardMs);
  };
  const applyLeaderMessage = (news: LeaderNews) => {
    const topic = 'name' in news ? topics.get(news.name)?.shared : undefined;
    switch (news.kind) {
      case 'lead':
        return;
      case 'roll':
        return sayWants();
      case 'connection': {
        const shown = news.snapshot.status;
        if (shown !== 'closed') status.publish(shown, news.snapshot.lostAtMs ?? lastHeardMs);
        return;
      }
      case 'status':
        return topic?.onStatus(news.keys, news.snapshot);
      case 'change':
        return topic?.onChange(news.keys, news.change);
      case 'gap':
        return topic?.onGap(news.loss);
      case 'discard':
        return topic?.onDiscard();
      case 'message':
        return news.except === self ? undefined : topic?.onMessage(news.event, news.payload);
      case 'event':
        return options.emit(news.event);
      case 'pushed':
        topics.forEach(({ pushes }) => pushes.reply(news.id, news.response, news.error));
    }
  };
  const tell = (news: LeaderNews) => {
    // A push may settle after the tab left the group.
    if (hasLeft) return;
    broadcast.post({ ...news, from: self, to: 'followers', term: machine.state.term } satisfies TabMessage);
    if (news.kind !== 'roll') applyLeaderMessage(news);
  };
  const applyFollowerMessage = (message: Without<FollowerMessage, 'to'>) => {
    if (message.kind === 'ask') machine.send({ kind: 'asked', term: message.term });
    else if (message.kind === 'want') leader?.want(message);
    else if (message.kind === 'push') leader?.push(message);
    else if (message.kind === 'send') leader?.send(message);
    else if (message.kind === 'track') leader?.track(message.from, message.name, message.entry);
    else if (message.kind === 'wake') leader?.wake();
    else leader?.forget(message.from);
  };
  const say: Membership['say'] = (message) => {
    if (leader) applyFollowerMessage({ ...message, from: self });
    else broadcast.post({ ...message, from: self, to: 'leader' });
  };
  const sayWants = () =>
    topics.forEach(({ shared }, topic) => {
      const { bindings, config, entry } = shared;
      if (bindings) say({ kind: 'want', name: topic, bindings, config, isRequested: false });
      if (bindings && entry) say({ kind: 'track', name: topic, entry });
    });
  const attach = () => {
    detach();
    sayWants();
    topics.forEach(({ pushes }) => pushes.flush());
  };

  const run = (effect: Exclude<LeaderEffect, { do: 'wait' }>) => {
    if (effect.do === 'acquire' || effect.do === 'release') {
      // Acquiring or releasing the lock ends leadership.
      leader?.close();
      leader = undefined;
      if (effect.do === 'acquire') lock.acquire(effect.term);
      else lock.release();
    } else if (effect.do === 'ask') say({ kind: 'ask', term: machine.state.term });
    else if (effect.do === 'attach') attach();
    else if (leader) leader.announce();
    else {
      leader = createLeader(options, connect, self, tell);
      leader.announce();
      attach();
    }
  };
  const machine: Machine<LeaderState, LeaderEvent> = createMachine<
    LeaderState,
    LeaderEvent,
    Exclude<LeaderEffect, { do: 'wait' }>
  >({
    initial: { kind: 'stopped', term: 0 },
    step: stepLeader,
    run,
    clock,
    jitter: (delayMs) => delayMs,
    report: platform.report,
    onStep({ kind }, before) {
      if (kind === 'seeking' && before.kind !== 'seeking') detach();
    },
  });
  const unsubscribe = broadcast.subscribe((value) => {
    const message = parseTabMessage(value);
    if (!message) return;
    if (message.to === 'leader') return applyFollowerMessage(message);
    machine.send({ kind: 'heard', leader: message.from, term: message.term });
    const { state } = machine;
    if ((state.kind !== 'following' && state.kind !== 'doubting') || state.leader !== message.from) return;
    lastHeardMs = clock.now();
    applyLeaderMessage(message);
  });

  const stop = () => {
    if (machine.state.kind === 'stopped') return;
    say({ kind: 'bye' });
    machine.send({ kind: 'stop' });
    detach();
  };
  return {
    start: () => machine.send({ kind: 'start' }),
    wake() {
      if (!leader) say({ kind: 'wake' });
      machine.send({ kind: 'wake' });
    },
    stop,
    leave() {
      stop();
      hasLeft = true;
      unsubscribe();
      broadcast.close();
    },
    ignoredFrames: () => leader?.ignoredFrames() ?? 0,
    isReady: () => machine.state.kind === 'following' || machine.state.kind === 'leading',
    say,
  };
}
