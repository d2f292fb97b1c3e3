import { createListeners } from 'supabase-protocol-clients/platform';
import type { Listeners, Platform, Timer, Unsubscribe } from 'supabase-protocol-clients/platform';
import type { OnlineChannels } from './online-channels.ts';
import { initialOnlineState, nextLeaveMs, stepOnline, watchedContacts } from './online-state.ts';
import type { OnlineEvent, OnlineTopics } from './online-state.ts';

/** Shows the user to contacts as online, and knows which people on the page are online. */
export interface OnlinePeople {
  /** Whether this user is known to be online. */
  isOnline(userId: string): boolean;
  /** Calls `listener` when that changes. A user is watched while a listener is registered. */
  watch(userId: string, listener: () => void): Unsubscribe;
  /** Reads the topics again, because they may have changed. */
  refresh(): void;
  /** Leaves all channels. */
  close(): void;
}

export interface OnlinePeopleOptions extends Pick<Platform, 'clock' | 'page' | 'random' | 'report'> {
  readonly channels: OnlineChannels;
  readonly readTopics: () => Promise<OnlineTopics>;
}

/** Rows that are scrolled past are not watched. */
const settleMs = 250;
/** The topics are read again after this time, because a contact who stops hiding is not announced. */
const rereadMs = 300_000;
/** Shortest time between two reads: after an announcement, and after a contact has left. */
const announcedGapMs = 2_000;
const departedGapMs = 30_000;
/**
 * The topic of a contact who has left may have been replaced. Watchers read at a random time in this span, to spread the
 * load.
 */
const departedSpreadMs = 2_000;

export function createOnlinePeople(options: OnlinePeopleOptions): OnlinePeople {
  const { channels, readTopics, clock, page, random, report } = options;
  const listeners = new Map<string, Listeners<void>>();
  /** The joined channels by topic. */
  const joined = new Map<string, Unsubscribe>();
  let state = initialOnlineState;
  let readAtMs = -Infinity;
  let isReading = false;
  let isClosed = false;
  let settleTimer: Timer | null = null;
  let leaveTimer: Timer | null = null;
  let read: { readonly atMs: number; readonly isUrgent: boolean; readonly timer: Timer } | null = null;

  const joinChannels = () => {
    const watched = watchedContacts(state);
    const { own } = state.topics;
    const wanted = new Map(
      watched.map(({ userId, topic }) => [
        topic,
        () => channels.watch(topic, (isPresent) => onPresence(userId, isPresent)),
      ]),
    );
    // Without a contact no page shows the user's dot, and the live channel stays the only one.
    if (own !== null && state.topics.contacts.size > 0) wanted.set(own, () => channels.track(own));
    for (const [topic, leave] of joined) {
      if (wanted.has(topic)) continue;
      joined.delete(topic);
      leave();
    }
    for (const [topic, join] of wanted) if (!joined.has(topic)) joined.set(topic, join());
  };
  const send = (event: OnlineEvent) => {
    if (isClosed) return;
    const before = state;
    state = stepOnline(state, event, clock.monotonicMs());
    if (state.topics !== before.topics || state.shown !== before.shown) joinChannels();
    leaveTimer?.cancel();
    const leaveMs = nextLeaveMs(state);
    if (leaveMs !== null)
      leaveTimer = clock.setTimer(() => send({ kind: 'timer' }), Math.max(0, leaveMs - clock.monotonicMs()));
    for (const userId of new Set([...before.online, ...state.online])) {
      if (before.online.has(userId) === state.online.has(userId)) continue;
      listeners.get(userId)?.call();
    }
  };
  const onPresence = (userId: string, isPresent: boolean) => {
    const wasOnline = state.online.has(userId);
    send({ kind: 'presence', userId, isPresent });
    if (wasOnline && !isPresent) readLater(departedGapMs, random.number() * departedSpreadMs);
  };

  /** @param isUrgent whether a hidden page reads too. */
  const readLater = (gapMs: number, delayMs: number, isUrgent = false) => {
    const nowMs = clock.monotonicMs();
    const atMs = Math.max(nowMs + delayMs, readAtMs + gapMs);
    if (isClosed || (read && read.atMs <= atMs && (read.isUrgent || !isUrgent))) return;
    read?.timer.cancel();
    read = { atMs, isUrgent, timer: clock.setTimer(readIfVisible, Math.max(0, atMs - nowMs)) };
  };
  const readIfVisible = () => {
    if (isReading || isClosed) return;
    if (read?.isUrgent || page.isVisible()) void readNow();
  };
  const readNow = async () => {
    read = null;
    isReading = true;
    readAtMs = clock.monotonicMs();
    try {
      send({ kind: 'topics', topics: await readTopics() });
    } catch (problem) {
      report(problem);
    }
    isReading = false;
    readLater(0, rereadMs);
    // A timer that fired during this read did nothing, so check again.
    readIfDue();
  };
  const readIfDue = () => {
    if (read && read.atMs <= clock.monotonicMs()) readIfVisible();
  };
  const stops = [
    page.subscribe((signal) => {
      if (signal === 'visible') readIfDue();
      if (signal === 'online') readLater(announcedGapMs, 0);
    }),
    channels.onLost(() => send({ kind: 'lost' })),
  ];
  void readNow();

  const settle = () => {
    settleTimer ??= clock.setTimer(() => {
      settleTimer = null;
      send({ kind: 'shown', userIds: [...listeners.keys()] });
    }, settleMs);
  };
  return {
    isOnline: (userId) => state.online.has(userId),
    watch(userId, listener) {
      let watchers = listeners.get(userId);
      if (!watchers) {
        listeners.set(userId, (watchers = createListeners(report)));
        settle();
      }
      const { add, size } = watchers;
      const remove = add(listener);
      return () => {
        remove();
        if (size() > 0 || listeners.get(userId) !== watchers) return;
        listeners.delete(userId);
        settle();
      };
    },
    refresh: () => readLater(announcedGapMs, 0, true),
    close() {
      isClosed = true;
      for (const timer of [settleTimer, leaveTimer, read?.timer]) timer?.cancel();
      for (const stop of [...stops, ...joined.values()]) stop();
      joined.clear();
    },
  };
}
