import { backoffDelayMs } from '../../platform/backoff.ts';
import type { RealtimeErrorCode } from '../errors.ts';
import { decodeJwtClaims, readJwtSubject } from '../../platform/jwt.ts';
import { next, type Step, type Wait } from '../machine/machine.ts';
import { isEndedByToken, type Refusal } from '../protocol/refusal.ts';
import type { RealtimeSettings } from '../settings.ts';
import type { SocketProblem } from '../socket/socket.ts';

/** A confirmation by a `system` message: of the subscription to changes, or that the server receives what the database sends. */
export type Confirmation = 'subscription' | 'replication';

/**
 * The states of one channel on its topic. `idle`: left; `queued`: waits for the socket and for its turn to join;
 * `authorizing`: waits for an access token; `joining`: waits for the reply; `joined`: waits for the server's confirmations;
 * `live`: changes arrive; `backoff`: waits before the next join; `failed`: stopped, with the reason.
 */
export type ChannelState = ChannelMemory &
  (
    | { readonly type: 'idle' | 'queued' | 'authorizing' | 'joining' | 'joined' | 'backoff' }
    /** When the channel became live, by the monotonic and by the wall clock. */
    | { readonly type: 'live'; readonly liveAtMs: number; readonly liveWallMs: number }
    | { readonly type: 'failed'; readonly code: RealtimeErrorCode; readonly message: string }
  );

interface ChannelMemory {
  /** The token last sent to the server; undefined before the first join. */
  readonly token: string | null | undefined;
  /** When (monotonic, ms) the server verifies the token that was last pushed on the current join; null if none was. */
  readonly verifiedAtMs: number | null;
  /** A token announced while a token request or a join was in flight. */
  readonly newerToken: string | null;
  /** The confirmations that are outstanding since the last join. */
  readonly unconfirmed: readonly Confirmation[];
  /** Whether the server has confirmed a replication before: older servers never do. */
  readonly confirmsReplication: boolean;
  /** Whether an awaited reply is late; a heartbeat then decides whether it is lost. */
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
   * `turn`: the channel may join; `rejoin`: its bindings changed; `accepted`: the server accepted the join; `ended`: it closed
   * the channel (`phx_close`), or the channel's process crashed (`phx_error`).
   */
  | {
      readonly type: 'join' | 'rejoin' | 'leave' | 'turn' | 'tokenError' | 'accepted' | 'ended' | 'timer';
    }
  /** The server replied to the heartbeat of `probe`, and so to everything that it received before. */
  | { readonly type: 'heartbeat' }
  /** The socket was lost; the last frame arrived at `lastFrameAtMs` (wall clock). */
  | { readonly type: 'offline'; readonly lastFrameAtMs: number }
  /**
   * `holdMs`: how long the server may hold its reply to the join; `confirmations`: what the server must confirm before the
   * channel is live.
   */
  | {
      readonly type: 'token';
      readonly token: string | null;
      readonly holdMs: number;
      readonly confirmations: readonly Confirmation[];
    }
  | { readonly type: 'tokenChange'; readonly token: string | null }
  /**
   * `refused`: the join was refused, possibly after it had timed out; `systemError`: the server reports an error of the
   * subscription to changes or of the channel as a whole.
   */
  | { readonly type: 'refused' | 'systemError'; readonly refusal: Refusal; readonly reason: string }
  /** No websocket can be opened. */
  | ({ readonly type: 'unavailable' } & SocketProblem)
  | { readonly type: 'confirmed'; readonly confirmation: Confirmation };

export type ChannelEffect =
  | Wait
  | { readonly type: 'authorize' | 'join' | 'leave' }
  /** Sends a heartbeat: the server replies in order, so its reply ends the wait for earlier ones. */
  | { readonly type: 'probe' }
  /** `pushToken` sends the state's token to the server; `rejectToken` reports it as refused. */
  | { readonly type: 'pushToken' }
  | { readonly type: 'rejectToken'; readonly isFinal: boolean }
  | { readonly type: 'gap'; readonly sinceMs: number; readonly reason: 'rejoined' | 'resubscribed' };

/** What a step depends on besides the state and the event. Times in milliseconds, by the monotonic and by the wall clock. */
interface ChannelContext {
  readonly nowMs: number;
  readonly wallMs: number;
  readonly settings: RealtimeSettings;
}

type ChannelStep = Step<ChannelState, ChannelEffect>;

/**
 * Servers after 2.129.8 verify the first pushed token at once, and hold further ones until this time has passed since they
 * verified one. In milliseconds.
 */
const tokenThrottleMs = 10_000;
/** After this many refused tokens in a row the channel fails, because another token would be refused too. */
const maxRefusals = 3;

export const initialChannel: ChannelState = {
  type: 'idle',
  token: undefined,
  verifiedAtMs: null,
  newerToken: null,
  unconfirmed: [],
  confirmsReplication: false,
  isOverdue: false,
  attempt: 0,
  refusals: 0,
  lostAtMs: null,
  wasLive: false,
};

/** Whether the server has accepted the current join. */
export function isJoined({ type }: ChannelState): boolean {
  return type === 'joined' || type === 'live';
}

/** Whether the server may have the current join: what it sends belongs to the channel. */
export function isOnTopic(state: ChannelState): boolean {
  return state.type === 'joining' || isJoined(state);
}

export function stepChannel(state: ChannelState, event: ChannelEvent, context: ChannelContext): ChannelStep {
  const stay: ChannelStep = next(state);
  const { type } = state;
  switch (event.type) {
    case 'join':
      return type === 'idle' || type === 'failed' ? begin({ ...state, attempt: 0, refusals: 0 }) : stay;
    case 'rejoin':
      return isOnTopic(state) ? withLeave(begin(interrupt(state, context))) : stay;
    case 'leave': {
      // Keep the time of the loss: listeners of a left channel receive the gap after the next join.
      const { lostAtMs, confirmsReplication } = interrupt(state, context);
      const left = { ...initialChannel, lostAtMs, confirmsReplication };
      return isOnTopic(state) ? next(left, { type: 'leave' }) : next(left);
    }
    case 'turn':
      return type === 'queued'
        ? next(
            { ...state, type: 'authorizing' },
            { type: 'authorize' },
            { type: 'wait', delayMs: context.settings.timeoutMs },
          )
        : stay;
    case 'unavailable':
      return type === 'idle' || type === 'failed' ? stay : fail(state, event.code, event.message);
    case 'offline':
      return type === 'idle' || type === 'failed' || type === 'queued'
        ? stay
        : begin(interrupt(state, { ...context, wallMs: event.lastFrameAtMs }));
    case 'token':
      return type === 'authorizing' ? authorized(state, event, context) : stay;
    case 'tokenError':
      return type === 'authorizing' ? retry(state, context) : stay;
    case 'tokenChange':
      return changeToken(state, event.token, interrupt(state, context), context.nowMs);
    case 'accepted':
      return type === 'joining' ? accept(state, context) : stay;
    case 'refused':
      // In `backoff`: the refusal of a join that had timed out. In `authorizing`: the token is known to be refused.
      return type === 'joining' || type === 'backoff' || type === 'authorizing'
        ? refuse(state, event, context)
        : stay;
    case 'confirmed':
      return isOnTopic(state) ? confirm(state, event.confirmation, context) : stay;
    case 'systemError':
      return isOnTopic(state) ? withLeave(refuse(interrupt(state, context), event, context)) : stay;
    case 'ended':
      return isOnTopic(state) ? retry(interrupt(state, context), context) : stay;
    case 'timer':
      return expire(state, context);
    case 'heartbeat':
      if (!isOnTopic(state) || !state.isOverdue) return stay;
      return type === 'joined' && awaitsUnknownReplication(state)
        ? proceed(without(state, 'replication'), context)
        : withLeave(retry(state, context));
  }
}

function expire(state: ChannelState, context: ChannelContext): ChannelStep {
  const { type } = state;
  if (type === 'backoff') return begin(state);
  if (type === 'authorizing') return retry(state, context);
  // A refusal blocks the socket: the reply may wait behind the refused joins of other channels.
  return type === 'joining' || type === 'joined'
    ? next({ ...state, isOverdue: true }, { type: 'probe' })
    : next(state);
}

function begin(state: ChannelMemory): ChannelStep {
  return next({
    ...state,
    type: 'queued',
    verifiedAtMs: null,
    newerToken: null,
    unconfirmed: [],
    isOverdue: false,
  });
}

function fail(state: ChannelMemory, code: RealtimeErrorCode, message: string): ChannelStep {
  return next({ ...state, type: 'failed', code, message });
}

/** Records since when changes may be missing; a stable period resets the backoff. */
function interrupt(state: ChannelState, { nowMs, wallMs, settings }: ChannelContext): ChannelState {
  if (state.type !== 'live') return state;
  const isStable = nowMs - state.liveAtMs >= settings.stableAfterMs;
  return { ...state, lostAtMs: state.lostAtMs ?? wallMs, attempt: isStable ? 0 : state.attempt };
}

function retry(state: ChannelMemory, { settings }: ChannelContext, atLeastMs = 0): ChannelStep {
  const delayMs = Math.max(
    backoffDelayMs(state.attempt + 1, { delaysMs: settings.reconnectDelaysMs }, 0),
    atLeastMs,
  );
  return next(
    { ...state, type: 'backoff', attempt: state.attempt + 1 },
    { type: 'wait', delayMs, jitter: true },
  );
}

function withLeave({ state, effects }: ChannelStep): ChannelStep {
  return next(state, { type: 'leave' }, ...effects);
}

function authorized(
  state: ChannelState,
  { token: requested, holdMs, confirmations }: Extract<ChannelEvent, { readonly type: 'token' }>,
  { settings }: ChannelContext,
): ChannelStep {
  const token = state.newerToken ?? requested;
  if (token === null && state.token) return fail(state, 'signed-out', 'The user is signed out');
  return next(
    { ...state, type: 'joining', token, newerToken: null, unconfirmed: confirmations },
    { type: 'join' },
    { type: 'wait', delayMs: settings.timeoutMs + holdMs },
  );
}

/** @param interrupted the state with the start of the gap, if the change of the token interrupts it. */
function changeToken(
  state: ChannelState,
  token: string | null,
  interrupted: ChannelState,
  nowMs: number,
): ChannelStep {
  const { type } = state;
  const stay: ChannelStep = next(state);
  if (type === 'idle') return stay;
  if (type === 'failed') return token && isEndedByToken(state.code) ? begin({ ...state, refusals: 0 }) : stay;
  if (token === null) {
    // The pending token request belongs to the previous user; start over.
    if (!state.token) return type === 'authorizing' ? begin(state) : stay;
    const { state: failed } = fail(interrupted, 'signed-out', 'The user is signed out');
    return isOnTopic(state) ? next(failed, { type: 'leave' }) : next(failed);
  }
  // Also the token of the last join: the pending request may have been made while the user was signed out.
  if (type === 'authorizing') return next({ ...state, newerToken: token });
  if (token === state.token) return stay;
  if (type === 'joining') return next({ ...state, newerToken: token });
  if (!isJoined(state)) return stay;
  if (isOtherUser(state.token, token)) return changeUser(interrupted);
  const verifiedAtMs = verificationAtMs(state.verifiedAtMs, nowMs);
  // The server applies other rights of a pushed token late; a join applies them at once.
  if (verifiedAtMs > nowMs && hasOtherRights(state.token, token)) return withLeave(begin(interrupted));
  return next({ ...state, token, verifiedAtMs }, { type: 'pushToken' });
}

/** When the server verifies a token that is pushed now. The newest of the held tokens replaces the others. */
function verificationAtMs(lastAtMs: number | null, nowMs: number): number {
  if (lastAtMs === null) return nowMs;
  return lastAtMs > nowMs ? lastAtMs : Math.max(nowMs, lastAtMs + tokenThrottleMs);
}

/** Whether policies may decide differently for another token of the same user: any claim except times and id differs. */
function hasOtherRights(before: string | null | undefined, after: string): boolean {
  return rightsOf(before ?? '') !== rightsOf(after);
}

const renewedClaims = new Set(['exp', 'iat', 'nbf', 'jti']);

function rightsOf(token: string): string {
  const claims = Object.entries(decodeJwtClaims(token) ?? {});
  return JSON.stringify(claims.filter(([name]) => !renewedClaims.has(name)));
}

/** After a pushed token the server keeps the old user's subscription for seconds: leave and join instead. */
function changeUser(state: ChannelMemory): ChannelStep {
  return withLeave(begin(state));
}

function isOtherUser(before: string | null | undefined, after: string): boolean {
  return readJwtSubject(before ?? '') !== readJwtSubject(after);
}

function accept(state: ChannelState, context: ChannelContext): ChannelStep {
  const { newerToken } = state;
  if (!newerToken) return proceed(state, context);
  if (isOtherUser(state.token, newerToken)) return changeUser(state);
  const pushed = { ...state, token: newerToken, verifiedAtMs: context.nowMs, newerToken: null };
  const { state: after, effects } = proceed(pushed, context);
  return next(after, { type: 'pushToken' }, ...effects);
}

/** A repeated confirmation means that the server resubscribed and may have dropped changes before. */
function confirm(state: ChannelState, confirmation: Confirmation, context: ChannelContext): ChannelStep {
  const isReplication = confirmation === 'replication';
  const confirmed = without(
    { ...state, confirmsReplication: state.confirmsReplication || isReplication },
    confirmation,
  );
  // The wait for the reply, or for the replication, continues.
  const isWaiting = state.type === 'joining' || (confirmed.unconfirmed.length > 0 && !isReplication);
  return isWaiting ? next(confirmed) : proceed(confirmed, context);
}

function without<State extends ChannelMemory>(state: State, confirmation: Confirmation): State {
  return { ...state, unconfirmed: state.unconfirmed.filter((one) => one !== confirmation) };
}

/** Whether the channel waits for a replication that an older server never confirms. */
function awaitsUnknownReplication({ unconfirmed, confirmsReplication }: ChannelMemory): boolean {
  return unconfirmed.includes('replication') && !confirmsReplication;
}

/** Makes an accepted channel live, or waits for its confirmations. */
function proceed(
  state: ChannelState,
  { nowMs, wallMs, settings: { replicationTimeoutMs, liveTimeoutMs } }: ChannelContext,
): ChannelStep {
  const accepted = { ...state, isOverdue: false };
  if (state.unconfirmed.length > 0) {
    const delayMs = awaitsUnknownReplication(state) ? replicationTimeoutMs : liveTimeoutMs;
    return next({ ...accepted, type: 'joined' }, { type: 'wait', delayMs });
  }
  const isLive = state.type === 'live';
  const sinceMs = isLive ? state.liveWallMs : state.lostAtMs;
  const gap: readonly ChannelEffect[] =
    sinceMs === null ? [] : [{ type: 'gap', sinceMs, reason: isLive ? 'resubscribed' : 'rejoined' }];
  const liveAtMs = isLive ? state.liveAtMs : nowMs;
  const live = { ...accepted, type: 'live', wasLive: true, lostAtMs: null, refusals: 0 } as const;
  return next({ ...live, liveAtMs, liveWallMs: wallMs }, ...gap);
}

function refuse(
  state: ChannelMemory,
  { type, refusal, reason }: Extract<ChannelEvent, { readonly refusal: Refusal }>,
  context: ChannelContext,
): ChannelStep {
  if (refusal === 'token') {
    const refused = { ...state, refusals: state.refusals + 1 };
    // Retry at once only after a stable period: a server that confirms and expires at once would loop.
    const again = state.attempt === 0 ? begin({ ...refused, attempt: 1 }) : retry(refused, context);
    const { state: after, effects } =
      refused.refusals >= maxRefusals ? fail(refused, 'token-rejected', reason) : again;
    return next(after, { type: 'rejectToken', isFinal: type === 'refused' }, ...effects);
  }
  return refusal === 'later' || refusal === 'retry'
    ? retry(state, context, refusal === 'later' ? context.settings.rateLimitDelayMs : 0)
    : fail(state, refusal, reason);
}
