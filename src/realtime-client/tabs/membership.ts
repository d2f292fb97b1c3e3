import type { Clock, TabChannel, Unsubscribe } from '../../platform/platform.ts';
import { createMachine, type Machine } from '../machine/machine.ts';
import type { ConnectionStatus } from '../socket/connection-status.ts';
import type { ConnectOptions, Connection } from '../socket/connection.ts';
import type { Pushes } from '../socket/push.ts';
import { stepLeader, type LeaderEffect, type LeaderEvent, type LeaderState } from './leader-state.ts';
import { Leader } from './leader.ts';
import type { SharedTopic } from './shared-topic.ts';
import { parseTabMessage, type FollowerMessage, type LeaderNews, type TabMessage } from './tab-message.ts';
import { createTermLock, type TermLock } from './term-lock.ts';

/** A topic of this tab, and its pushes that wait for the leader. */
export interface TabTopic {
  readonly shared: SharedTopic;
  readonly pushes: Pushes;
}

type Without<Union, Keys extends PropertyKey> = Union extends unknown ? Omit<Union, Keys> : never;

type RunEffect = Exclude<LeaderEffect, { type: 'wait' }>;

/** What a tab contributes to its group. */
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

/** One tab's membership in the group of a user's tabs: it follows or leads. */
export class Membership {
  readonly #member: MembershipOptions;
  readonly #clock: Clock;
  readonly #lock: TermLock;
  readonly #broadcast: TabChannel;
  readonly #machine: Machine<LeaderState, LeaderEvent>;
  readonly #unsubscribe: Unsubscribe;
  #leader: Leader | undefined;
  #lastMessageMs: number;
  #hasLeft = false;

  constructor(member: MembershipOptions) {
    this.#member = member;
    const { platform, url } = member.options;
    const name = `realtime:${new URL(url).host}:${member.user}`;
    this.#clock = platform.clock;
    this.#lastMessageMs = platform.clock.now();
    this.#lock = createTermLock(platform.locks, name, (term) =>
      this.#machine.send({ type: 'granted', term }),
    );
    this.#broadcast = platform.openTabChannel(name);
    this.#machine = createMachine<LeaderState, LeaderEvent, RunEffect>({
      initial: { type: 'stopped', term: 0 },
      step: stepLeader,
      run: (effect) => this.#run(effect),
      platform,
      onStep: ({ type }, before) => {
        if (type === 'seeking' && before.type !== 'seeking') this.#detach();
      },
    });
    this.#unsubscribe = this.#broadcast.subscribe((value) => this.#receive(value));
  }

  get ignoredFrames(): number {
    return this.#leader?.ignoredFrames ?? 0;
  }

  get isReady(): boolean {
    const { type } = this.#machine.state;
    return type === 'following' || type === 'leading';
  }

  /** Begins to look for the group's leader. */
  start(): void {
    this.#machine.send({ type: 'start' });
  }

  stop(): void {
    if (this.#machine.state.type === 'stopped') return;
    this.say({ type: 'bye' });
    this.#machine.send({ type: 'stop' });
    this.#detach();
  }

  wake(): void {
    if (!this.#leader) this.say({ type: 'wake' });
    this.#machine.send({ type: 'wake' });
  }

  /** Stops permanently. */
  leave(): void {
    this.stop();
    this.#hasLeft = true;
    this.#unsubscribe();
    this.#broadcast.close();
  }

  /** Sends a message to the leader, which may be this tab. */
  say(message: Without<FollowerMessage, 'from' | 'to'>): void {
    const from = this.#member.self;
    if (this.#leader) this.#lead({ ...message, from });
    else this.#broadcast.post({ ...message, from, to: 'leader' });
  }

  #receive(value: unknown): void {
    const message = parseTabMessage(value);
    if (!message) return;
    if (message.to === 'leader') return this.#lead(message);
    this.#machine.send({ type: 'message', leader: message.from, term: message.term });
    const { state } = this.#machine;
    if ((state.type !== 'following' && state.type !== 'doubting') || state.leader !== message.from) return;
    this.#lastMessageMs = this.#clock.now();
    this.#follow(message);
  }

  /** Receives a message of a following tab. */
  #lead(message: Without<FollowerMessage, 'to'>): void {
    const leader = this.#leader;
    if (message.type === 'ask') this.#machine.send({ type: 'query', term: message.term });
    else if (message.type === 'want') leader?.want(message);
    else if (message.type === 'push') leader?.push(message);
    else if (message.type === 'send') leader?.send(message);
    else if (message.type === 'track') leader?.track(message.from, message.name, message.entry);
    else if (message.type === 'wake') leader?.wake();
    else leader?.forget(message.from);
  }

  /** Receives a message of the leading tab. */
  #follow(news: LeaderNews): void {
    const { topics, status, self, options } = this.#member;
    const topic = 'name' in news ? topics.get(news.name)?.shared : undefined;
    switch (news.type) {
      case 'lead':
        return;
      case 'roll':
        return this.#postWants();
      case 'connection': {
        const shown = news.snapshot.status;
        if (shown !== 'closed') status.publish(shown, news.snapshot.lostAtMs ?? this.#lastMessageMs);
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
  }

  /** @param term the term of the leader that sends the news. */
  #post(news: LeaderNews, term: number): void {
    // A push may settle after the tab left the group.
    if (this.#hasLeft) return;
    const { state } = this.#machine;
    // Followers of a later term would mistake the last messages of a deposed leader for those of the present one.
    const isDeposed = state.type !== 'stopped' && state.term !== term;
    const from = this.#member.self;
    if (!isDeposed) this.#broadcast.post({ ...news, from, to: 'followers', term } satisfies TabMessage);
    if (news.type !== 'roll') this.#follow(news);
  }

  #postWants(): void {
    this.#member.topics.forEach(({ shared }, name) => {
      const { bindings, config, entry } = shared;
      if (bindings) this.say({ type: 'want', name, bindings, config, isRequested: false });
      if (bindings && entry) this.say({ type: 'track', name, entry });
    });
  }

  #attach(): void {
    this.#detach();
    this.#postWants();
    this.#member.topics.forEach(({ pushes }) => pushes.flush());
  }

  #detach(): void {
    this.#member.topics.forEach(({ shared }) => shared.detach(this.#lastMessageMs));
    this.#member.status.publish('connecting', this.#lastMessageMs);
  }

  #run(effect: RunEffect): void {
    if (effect.type === 'acquire' || effect.type === 'release') {
      // Acquiring or releasing the lock ends leadership.
      this.#leader?.close();
      this.#leader = undefined;
      if (effect.type === 'acquire') this.#lock.acquire(effect.term);
      else this.#lock.release();
    } else if (effect.type === 'ask') this.say({ type: 'ask', term: this.#machine.state.term });
    else if (effect.type === 'attach') this.#attach();
    else if (this.#leader) this.#leader.announce();
    else {
      const { options, connect, self } = this.#member;
      const { term } = this.#machine.state;
      this.#leader = new Leader(options, connect, self, (news) => this.#post(news, term));
      this.#leader.announce();
      this.#attach();
    }
  }
}
