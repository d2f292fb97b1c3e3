import type { TabChannel } from '../../platform/platform.ts';
import { createMachine, type Machine } from '../machine/machine.ts';
import type { ConnectionStatus } from '../socket/connection-status.ts';
import type { ConnectOptions, Connection } from '../socket/connection.ts';
import type { Pushes } from '../socket/push.ts';
import { stepLeader, type LeaderEffect, type LeaderEvent, type LeaderState } from './leader-state.ts';
import { createLeader, type Leader } from './leader.ts';
import type { SharedTopic } from './shared-topic.ts';
import { parseTabMessage, type FollowerMessage, type LeaderNews, type TabMessage } from './tab-message.ts';
import { createTermLock } from './term-lock.ts';

/** A topic of this tab, and its pushes that wait for the leader. */
export interface TabTopic {
  readonly shared: SharedTopic;
  readonly pushes: Pushes;
}

/** One tab's membership in the group of a user's tabs: it follows or leads. */
export interface Membership {
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

/** What a tab brings into its group. */
export interface MembershipOptions {
  readonly options: ConnectOptions;
  /** Opens a socket of this tab's own, when it leads. */
  readonly connect: (options: ConnectOptions) => Connection;
  /** The tab's random id. */
  readonly self: string;
  /** The subject of the user's token: the group's name. */
  readonly user: string;
  /** The tab's topics by name; the tab adds to them later. */
  readonly topics: ReadonlyMap<string, TabTopic>;
  readonly status: ConnectionStatus;
}

/** Joins the group of the user's tabs; `start()` begins to look for its leader. */
export function joinGroup(membership: MembershipOptions): Membership {
  const { options, connect, self, user, topics, status } = membership;
  const { platform } = options;
  const { clock } = platform;
  const name = `realtime:${new URL(options.url).host}:${user}`;
  const lock = createTermLock(platform.locks, name, (term) => machine.send({ kind: 'granted', term }));
  const broadcast: TabChannel = platform.openTabChannel(name);
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
  /** @param term the term of the leader that sends the news. */
  const tell = (news: LeaderNews, term: number) => {
    // A push may settle after the tab left the group.
    if (hasLeft) return;
    // Followers of a later term would mistake the last messages of a deposed leader for those of the present one.
    const isDeposed = machine.state.kind !== 'stopped' && machine.state.term !== term;
    if (!isDeposed) broadcast.post({ ...news, from: self, to: 'followers', term } satisfies TabMessage);
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
      const { term } = machine.state;
      leader = createLeader(options, connect, self, (news) => tell(news, term));
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
    platform,
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
