import type { TokenResponse } from '../wire/responses.ts';
import type { ActiveSession, Session } from './session.ts';

/** Names of the events that `onEvent` delivers. */
export type AuthEventName =
  | 'INITIAL_SESSION'
  | 'SIGNED_IN'
  | 'SIGNED_OUT'
  | 'TOKEN_REFRESHED'
  | 'USER_UPDATED'
  | 'PASSWORD_RECOVERY'
  | 'MFA_CHALLENGE_VERIFIED';

/**
 * What caused an event: a `call` of this client, a `callback` URL, a `refresh`, `storage` (another tab or program wrote
 * it), `refused` (the server ended the session), `start`.
 */
export type AuthEventReason = 'call' | 'callback' | 'refresh' | 'storage' | 'refused' | 'start';

export type SessionState =
  | { readonly type: 'loading' }
  | { readonly type: 'signed-out' }
  | { readonly type: 'signed-in'; readonly active: ActiveSession };

export type SessionEvent =
  /** The first read of storage. */
  | { readonly type: 'restored'; readonly active: ActiveSession | null }
  /** A new session replaces the previous one, of the same or another user. */
  | {
      readonly type: 'signed-in';
      readonly active: ActiveSession;
      readonly name: SignInEventName;
      readonly reason: AuthEventReason;
    }
  /** The same session has new tokens or a new user record. */
  | {
      readonly type: 'renewed';
      readonly active: ActiveSession;
      readonly name: RenewalEventName;
      readonly reason: AuthEventReason;
    }
  /** A later read of storage. `name` is the event with which another tab announced the change. */
  | {
      readonly type: 'storage-read';
      readonly active: ActiveSession | null;
      readonly name: AuthEventName | null;
    }
  /** The session ended here: by a sign-out, or because the server refused it. */
  | { readonly type: 'signed-out'; readonly reason: AuthEventReason };

export type SignInEventName = 'SIGNED_IN' | 'PASSWORD_RECOVERY';
export type RenewalEventName = 'TOKEN_REFRESHED' | 'USER_UPDATED' | 'MFA_CHALLENGE_VERIFIED';

/** An event for the application's listeners. */
export interface Emission {
  /** What happened. */
  readonly name: AuthEventName;
  /** What caused it. */
  readonly reason: AuthEventReason;
}

/** A change of the session, as `onEvent` delivers it. */
export interface AuthEvent extends Emission {
  /** The session after the change; null when signed out. For `INITIAL_SESSION`: the session that storage held. */
  readonly session: Session | null;
}

/** A session from a sign-in or a callback. */
export interface NewSession {
  readonly response: TokenResponse;
  readonly name: SignInEventName;
  readonly reason: AuthEventReason;
  /** Whether a link or a caller brought the tokens: their times are not those of a response. Default false. */
  readonly isImported?: boolean;
}

export interface Step {
  readonly state: SessionState;
  readonly emission: Emission | null;
}

/** The transition table of PROTOCOL.md: pure and total. */
export function step(state: SessionState, event: SessionEvent): Step {
  const current = state.type === 'signed-in' ? state.active : null;
  switch (event.type) {
    case 'restored':
      return {
        state: state.type === 'loading' ? stateOf(event.active) : state,
        emission: { name: 'INITIAL_SESSION', reason: 'start' },
      };
    case 'signed-in':
      return changeTo(event.active, event);
    case 'renewed':
      // A late response renews nothing after a sign-out or for another user.
      return current && isSameUser(current, event.active)
        ? changeTo(event.active, event)
        : { state, emission: null };
    case 'storage-read': {
      const name = state.type === 'loading' ? null : eventNameFor(current, event.active, event.name);
      // An unchanged record keeps the state's identity, and with it the clock reading of its receipt.
      return name ? changeTo(event.active, { name, reason: 'storage' }) : { state, emission: null };
    }
    case 'signed-out':
      if (state.type === 'signed-out') return { state, emission: null };
      return { state: stateOf(null), emission: current && { name: 'SIGNED_OUT', reason: event.reason } };
  }
}

function changeTo(active: ActiveSession | null, { name, reason }: Emission): Step {
  return { state: stateOf(active), emission: { name, reason } };
}

function eventNameFor(
  current: ActiveSession | null,
  stored: ActiveSession | null,
  announcedName: AuthEventName | null,
): AuthEventName | null {
  if (!stored) return current && 'SIGNED_OUT';
  const { recovery } = stored.record;
  if (!current || !isSameUser(current, stored)) return recovery ? 'PASSWORD_RECOVERY' : 'SIGNED_IN';
  if (recovery && !current.record.recovery) return 'PASSWORD_RECOVERY';
  const isSameToken = stored.record.access_token === current.record.access_token;
  if (isSameToken && hasSameContent(current, stored)) return null;
  if (announcedName && describesChange(announcedName, { isSameToken, recovery })) return announcedName;
  return isSameToken ? 'USER_UPDATED' : 'TOKEN_REFRESHED';
}

/** A later write may have overtaken the announcement; then the stored record names the change. */
function describesChange(
  name: AuthEventName,
  { isSameToken, recovery }: { readonly isSameToken: boolean; readonly recovery: boolean | undefined },
): boolean {
  if (name === 'SIGNED_OUT') return false;
  if (name === 'PASSWORD_RECOVERY') return !!recovery;
  return name !== 'SIGNED_IN' || !isSameToken;
}

/** Records of other programs have no revision, so their users are compared. */
function hasSameContent({ record: current }: ActiveSession, { record: stored }: ActiveSession): boolean {
  if (stored.revision !== undefined && current.revision !== undefined)
    return stored.revision === current.revision;
  return JSON.stringify(stored.user) === JSON.stringify(current.user);
}

function isSameUser(a: ActiveSession, b: ActiveSession): boolean {
  return a.record.user.id === b.record.user.id;
}

function stateOf(active: ActiveSession | null): SessionState {
  return active ? { type: 'signed-in', active } : { type: 'signed-out' };
}
