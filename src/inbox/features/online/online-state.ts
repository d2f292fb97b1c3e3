/** The topics of presence that the user may join. */
export interface OnlineTopics {
  /** The user's own topic; null while the user hides being online. */
  readonly own: string | null;
  /** The topics of contacts who do not hide being online, by user id. */
  readonly contacts: ReadonlyMap<string, string>;
}

/** Which people on the page are online. Immutable. */
export interface OnlineState {
  readonly topics: OnlineTopics;
  /** The people on the page, in the order in which they appeared. */
  readonly shown: readonly string[];
  /** The contacts among them who count as online. */
  readonly online: ReadonlySet<string>;
  /** Those of them who have left, with the monotonic time (ms) at which they count as offline. */
  readonly leaving: ReadonlyMap<string, number>;
}

export type OnlineEvent =
  | { readonly kind: 'topics'; readonly topics: OnlineTopics }
  | { readonly kind: 'shown'; readonly userIds: readonly string[] }
  /** The presence of a contact's topic has an entry, or no longer has one. */
  | { readonly kind: 'presence'; readonly userId: string; readonly isPresent: boolean }
  /** The connection is lost: who is online is unknown. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'timer' };

/** A contact on the page and the topic of the contact's presence. */
export interface WatchedContact {
  readonly userId: string;
  readonly topic: string;
}

/** Most contacts watched at once: each takes a channel of the user's connection. */
export const maxWatchedContacts = 10;

/** A contact who reloads the page, or whose tabs change their leader, stays online for this time. */
export const leaveDelayMs = 3_000;

export const initialOnlineState: OnlineState = {
  topics: { own: null, contacts: new Map() },
  shown: [],
  online: new Set(),
  leaving: new Map(),
};

export function stepOnline(state: OnlineState, event: OnlineEvent, nowMs: number): OnlineState {
  switch (event.kind) {
    case 'topics':
      return withoutUnwatched({ ...state, topics: event.topics });
    case 'shown':
      return withoutUnwatched({ ...state, shown: event.userIds });
    case 'lost':
      return { ...state, online: new Set(), leaving: new Map() };
    case 'presence': {
      const { userId, isPresent } = event;
      if (!watchedContacts(state).some((contact) => contact.userId === userId)) return state;
      const leaving = new Map(state.leaving);
      if (isPresent) {
        leaving.delete(userId);
        return { ...state, online: new Set(state.online).add(userId), leaving };
      }
      if (!state.online.has(userId) || leaving.has(userId)) return state;
      return { ...state, leaving: leaving.set(userId, nowMs + leaveDelayMs) };
    }
    case 'timer': {
      const gone = new Set([...state.leaving].filter(([, atMs]) => atMs <= nowMs).map(([userId]) => userId));
      return keep(state, (userId) => !gone.has(userId));
    }
  }
}

/** The contacts to watch: the first on the page. */
export function watchedContacts({ topics, shown }: OnlineState): readonly WatchedContact[] {
  return shown
    .flatMap((userId) => {
      const topic = topics.contacts.get(userId);
      return topic === undefined ? [] : [{ userId, topic }];
    })
    .slice(0, maxWatchedContacts);
}

/** When the next contact counts as offline, in monotonic milliseconds; null: none is leaving. */
export function nextLeaveMs({ leaving }: OnlineState): number | null {
  return leaving.size === 0 ? null : Math.min(...leaving.values());
}

function withoutUnwatched(state: OnlineState): OnlineState {
  const watched = new Set(watchedContacts(state).map(({ userId }) => userId));
  return keep(state, (userId) => watched.has(userId));
}

function keep(state: OnlineState, isKept: (userId: string) => boolean): OnlineState {
  return {
    ...state,
    online: new Set([...state.online].filter(isKept)),
    leaving: new Map([...state.leaving].filter(([userId]) => isKept(userId))),
  };
}
