import { backoffDelayMs } from '../../platform/backoff.ts';
import type { RealtimeErrorCode } from '../errors.ts';
import { readJwtSubject } from '../../platform/jwt.ts';
import { next, type Step, type Wait } from '../machine/machine.ts';
import { classifyRefusal, isCuredByToken, type Refusal } from '../protocol/refusal.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { SocketProblem } from '../socket/socket.ts';

/**
 * The states of one channel on its topic. `idle`: left; `offline`: waits for the socket; `queued`: waits for its turn
 * to join; `authorizing`: waits for an access token; `joining`: waits for the reply; `joined`: waits for the server's
 * confirmation; `live`: changes arrive; `backoff`: waits before the next join; `failed`: stopped, with the reason.
 */
export type ChannelState = ChannelMemory &
  (
    | { readonly kind: 'idle' | 'offline' | 'queued' | 'authorizing' | 'joining' | 'joined' | 'backoff' }
    /** When the channel became live, by the monotonic and by the wall clock. */
    | { readonly kind: 'live'; readonly liveAtMs: number; readonly liveWallMs: number }
    | { readonly kind: 'failed'; readonly code: RealtimeErrorCode; readonly message: string }
  );

interface ChannelMemory {
  /** Whether the socket is open. */
  readonly online: boolean;
  /** The token last sent to the server; undefined before the first join. */
  readonly token: string | null | undefined;
  /** A token announced while a token request or a join was in flight. */
  readonly newerToken: string | null;
  /** When (wall clock, ms) the confirmation arrived, if it arrived before the reply. */
  readonly confirmedAtMs: number | null;
  /** Whether the answer that the channel waits for is late, and a heartbeat decides whether it is lost. */
  readonly isOverdue: boolean;
  /** Failed joins since the channel was last stable. */
  readonly attempt: number;
  /** Tokens that the server refused since the channel was last live. */
  readonly refusals: number;
  /** Since when (wall clock, ms) changes may be missing; null before the channel was first live. */
  readonly lostAtMs: number | null;
  readonly wasLive: boolean;
}

export type ChannelEvent =
  /**
   * `turn`: the join queue admits the channel; `slot`: another channel of the socket was left; `heartbeat`: the server
   * answered the heartbeat of `probe`, and so everything that it received before.
   */
  | { readonly kind: 'join' | 'online' | 'timer' | 'turn' | 'slot' | 'heartbeat' }
  /** `rejoin`: the channel's bindings changed. */
  | { readonly kind: 'leave' | 'rejoin'; readonly wallMs: number }
  /** The socket was lost; the last frame arrived at `wallMs`. */
  | { readonly kind: 'offline'; readonly wallMs: number }
  /** `holdMs`: how long the server may hold its reply to the join. */
  | { readonly kind: 'token'; readonly token: string | null; readonly holdMs: number }
  | { readonly kind: 'tokenError' }
  | { readonly kind: 'tokenChange'; readonly token: string | null; readonly wallMs: number }
  /** The join was accepted; `confirms`: no confirmation by a `system` message is outstanding. */
  | { readonly kind: 'accepted'; readonly confirms: boolean; readonly wallMs: number }
  /**
   * The join was refused, possibly after it had timed out; `isLeaving` when the server counts a channel against its limit
   * that is being left.
   */
  | { readonly kind: 'refused'; readonly reason: string; readonly isLeaving?: boolean }
  /** No websocket can be opened. */
  | ({ readonly kind: 'unavailable' } & SocketProblem)
  /** The server has confirmed the subscription to changes, and the replication, where they were asked for. */
  | { readonly kind: 'subscribed'; readonly wallMs: number }
  /** A `system` error, about the subscription to changes or about the channel as a whole. */
  | {
      readonly kind: 'systemError';
      readonly reason: string;
      readonly ofSubscription: boolean;
      readonly wallMs: number;
    }
  /** The server closed the channel (`phx_close`), or its process crashed (`phx_error`). */
  | { readonly kind: 'ended'; readonly wallMs: number };

export type ChannelEffect =
  | Wait
  /** `enqueue`: request a turn in the join queue; `discard`: drop what is queued for the listeners. */
  | { readonly do: 'enqueue' | 'authorize' | 'discard' }
  /** Send a heartbeat: the server answers the frames of a socket in order, so its answer ends the wait for earlier ones. */
  | { readonly do: 'probe' }
  | { readonly do: 'rejectToken'; readonly token: string | null | undefined; readonly isFinal: boolean }
  | { readonly do: 'join'; readonly token: string | null }
  | { readonly do: 'leave' }
  | { readonly do: 'pushToken'; readonly token: string }
  | { readonly do: 'gap'; readonly sinceMs: number; readonly reason: 'rejoined' | 'resubscribed' };

type ChannelStep = Step<ChannelState, ChannelEffect>;

/** After this many refused tokens in a row the channel fails, because another token would be refused too. */
const maxRefusals = 3;

export const initialChannel: ChannelState = {
  kind: 'idle',
  online: false,
  token: undefined,
  newerToken: null,
  confirmedAtMs: null,
  isOverdue: false,
  attempt: 0,
  refusals: 0,
  lostAtMs: null,
  wasLive: false,
};

/** @param nowMs monotonic time in milliseconds. */
export function stepChannel(
  state: ChannelState,
  event: ChannelEvent,
  nowMs: number,
  settings: RealtimeSettings,
): ChannelStep {
  const stay: ChannelStep = next(state);
  const { kind } = state;
  /** The memory after an interruption by this event. */
  const interrupted = 'wallMs' in event ? markInterrupted(state, event.wallMs, nowMs, settings) : state;
  const isWaiting = kind === 'joining' || kind === 'joined';
  const isOnTopic = isWaiting || kind === 'live';
  switch (event.kind) {
    case 'join':
      return kind === 'idle' || kind === 'failed' ? begin({ ...state, attempt: 0, refusals: 0 }) : stay;
    case 'rejoin':
      return isOnTopic ? withLeave(begin(interrupted)) : stay;
    case 'leave': {
      // Keep the time of the loss: listeners of a left channel learn of the gap after the next join.
      const { online, lostAtMs } = interrupted;
      return {
        state: { ...initialChannel, online, lostAtMs },
        effects: isOnTopic ? [{ do: 'leave' }] : [],
      };
    }
    case 'turn':
      return kind === 'queued'
        ? next(
            { ...state, kind: 'authorizing' },
            { do: 'authorize' },
            { do: 'wait', delayMs: settings.timeoutMs },
          )
        : stay;
    case 'slot':
      return kind === 'failed' && state.code === 'channel-limit' ? begin(state) : stay;
    case 'unavailable':
      return kind === 'idle' || kind === 'failed' ? stay : fail(interrupted, event.code, event.message);
    case 'online':
      return kind === 'offline' ? begin({ ...state, online: true }) : next({ ...state, online: true });
    case 'offline':
      return kind === 'idle' || kind === 'failed'
        ? next({ ...state, online: false })
        : next({ ...interrupted, kind: 'offline', online: false });
    case 'token':
      return kind === 'authorizing'
        ? authorized(state, state.newerToken ?? event.token, event.holdMs, settings)
        : stay;
    case 'tokenError':
      return kind === 'authorizing' ? retry(state, settings) : stay;
    case 'tokenChange':
      return changeToken(state, event.token, interrupted, isOnTopic);
    case 'accepted':
      return kind === 'joining' ? accept(state, event, nowMs, settings) : stay;
    case 'refused':
      // In `backoff`: the refusal of a join that had timed out. In `authorizing`: the token is known to be refused.
      return kind === 'joining' || kind === 'backoff' || kind === 'authorizing'
        ? refuse(
            state,
            event.isLeaving ? 'retry' : classifyRefusal(event.reason, false),
            event.reason,
            true,
            settings,
          )
        : stay;
    case 'subscribed':
      return confirm(state, event.wallMs, nowMs);
    case 'systemError': {
      if (!isOnTopic) return stay;
      const refusal = classifyRefusal(event.reason, event.ofSubscription);
      return withLeave(refuse(interrupted, refusal, event.reason, false, settings));
    }
    case 'ended':
      return isOnTopic ? retry(interrupted, settings) : stay;
    case 'timer':
      if (kind === 'backoff') return begin(state);
      if (kind === 'authorizing') return retry(state, settings);
      // A refusal blocks the socket: the answer may wait behind the refused joins of other channels.
      return isWaiting ? next({ ...state, isOverdue: true }, { do: 'probe' }) : stay;
    case 'heartbeat':
      return isWaiting && state.isOverdue ? withLeave(retry(state, settings)) : stay;
  }
}

function begin(state: ChannelMemory): ChannelStep {
  const memory = { ...state, newerToken: null, confirmedAtMs: null, isOverdue: false };
  return state.online
    ? next({ ...memory, kind: 'queued' }, { do: 'enqueue' })
    : next({ ...memory, kind: 'offline' });
}

function fail(state: ChannelMemory, code: RealtimeErrorCode, message: string): ChannelStep {
  return next({ ...state, kind: 'failed', code, message });
}

/** Records since when changes may be missing; a stable period resets the backoff. */
function markInterrupted(
  state: ChannelState,
  sinceMs: number,
  nowMs: number,
  settings: RealtimeSettings,
): ChannelMemory {
  if (state.kind !== 'live') return state;
  const isStable = nowMs - state.liveAtMs >= settings.stableAfterMs;
  return { ...state, lostAtMs: state.lostAtMs ?? sinceMs, attempt: isStable ? 0 : state.attempt };
}

function retry(state: ChannelMemory, settings: RealtimeSettings, atLeastMs = 0): ChannelStep {
  const delayMs = Math.max(
    backoffDelayMs(state.attempt + 1, { delaysMs: settings.reconnectDelaysMs }, 0),
    atLeastMs,
  );
  return next(
    { ...state, kind: 'backoff', attempt: state.attempt + 1 },
    { do: 'wait', delayMs, jitter: true },
  );
}

function withLeave({ state, effects }: ChannelStep): ChannelStep {
  return next(state, { do: 'leave' }, ...effects);
}

function authorized(
  state: ChannelState,
  token: string | null,
  holdMs: number,
  { timeoutMs }: RealtimeSettings,
): ChannelStep {
  if (token === null && state.token) return fail(state, 'signed-out', 'The user is signed out');
  return next(
    { ...state, kind: 'joining', token, newerToken: null },
    { do: 'join', token },
    { do: 'wait', delayMs: timeoutMs + holdMs },
  );
}

function changeToken(
  state: ChannelState,
  token: string | null,
  interrupted: ChannelMemory,
  isOnTopic: boolean,
): ChannelStep {
  const { kind } = state;
  const stay: ChannelStep = next(state);
  if (kind === 'idle') return stay;
  if (kind === 'failed') return token && isCuredByToken(state.code) ? begin({ ...state, refusals: 0 }) : stay;
  if (token === null) {
    // The pending token request belongs to the previous user; start over.
    if (!state.token) return kind === 'authorizing' ? begin(state) : stay;
    const { state: failed } = fail(interrupted, 'signed-out', 'The user is signed out');
    return isOnTopic ? next(failed, { do: 'leave' }, { do: 'discard' }) : next(failed);
  }
  // Also the token of the last join: the pending request may have been made while the user was signed out.
  if (kind === 'authorizing') return next({ ...state, newerToken: token });
  if (token === state.token) return stay;
  if (kind === 'joining') return next({ ...state, newerToken: token });
  if (isOtherUser(state.token, token))
    return isOnTopic ? changeUser(interrupted) : next(state, { do: 'discard' });
  return isOnTopic ? next({ ...state, token }, { do: 'pushToken', token }) : stay;
}

/** After a pushed token the server keeps the old user's subscription for seconds: leave and join instead. */
function changeUser(state: ChannelMemory): ChannelStep {
  const { state: after, effects } = begin(state);
  return next(after, { do: 'leave' }, { do: 'discard' }, ...effects);
}

function isOtherUser(before: string | null | undefined, after: string): boolean {
  return readJwtSubject(before ?? '') !== readJwtSubject(after);
}

function accept(
  state: ChannelState,
  { confirms, wallMs }: { readonly confirms: boolean; readonly wallMs: number },
  nowMs: number,
  { liveTimeoutMs }: RealtimeSettings,
): ChannelStep {
  const { newerToken } = state;
  if (newerToken && isOtherUser(state.token, newerToken)) return changeUser(state);
  const joined: ChannelState = {
    ...state,
    kind: 'joined',
    token: newerToken ?? state.token,
    newerToken: null,
    isOverdue: false,
  };
  const push: ChannelEffect[] = newerToken ? [{ do: 'pushToken', token: newerToken }] : [];
  if (!confirms && state.confirmedAtMs === null)
    return next(joined, ...push, { do: 'wait', delayMs: liveTimeoutMs });
  const live = confirm(joined, wallMs, nowMs);
  return next(live.state, ...push, ...live.effects);
}

/** A repeated confirmation means that the server resubscribed and may have dropped changes before. */
function confirm(state: ChannelState, wallMs: number, nowMs: number): ChannelStep {
  if (state.kind === 'joining') return next({ ...state, confirmedAtMs: wallMs });
  if (state.kind !== 'joined' && state.kind !== 'live') return next(state);
  const isLive = state.kind === 'live';
  const sinceMs = isLive ? state.liveWallMs : state.lostAtMs;
  const gap: ChannelEffect[] =
    sinceMs === null ? [] : [{ do: 'gap', sinceMs, reason: isLive ? 'resubscribed' : 'rejoined' }];
  const memory = { ...state, wasLive: true, lostAtMs: null, refusals: 0 };
  return {
    state: {
      ...memory,
      kind: 'live',
      liveAtMs: isLive ? state.liveAtMs : nowMs,
      liveWallMs: wallMs,
    },
    effects: gap,
  };
}

function refuse(
  state: ChannelMemory,
  refusal: Refusal,
  reason: string,
  isJoin: boolean,
  settings: RealtimeSettings,
): ChannelStep {
  if (refusal === 'token') {
    const refused = { ...state, refusals: state.refusals + 1 };
    const reject: ChannelEffect = { do: 'rejectToken', token: state.token, isFinal: isJoin };
    // Retry at once only after a stable period: a server that confirms and expires at once would loop.
    const again = state.attempt === 0 ? begin({ ...refused, attempt: 1 }) : retry(refused, settings);
    const { state: after, effects } =
      refused.refusals >= maxRefusals ? fail(refused, 'token-rejected', reason) : again;
    return next(after, reject, ...effects);
  }
  return refusal === 'later' || refusal === 'retry'
    ? retry(state, settings, refusal === 'later' ? settings.rateLimitDelayMs : 0)
    : fail(state, refusal, reason);
}
