import type { HeldSession } from './session.ts';

/** The specification's events (§4). */
export type AuthEventName =
  | 'INITIAL_SESSION'
  | 'SIGNED_IN'
  | 'SIGNED_OUT'
  | 'TOKEN_REFRESHED'
  | 'USER_UPDATED'
  | 'PASSWORD_RECOVERY'
  | 'MFA_CHALLENGE_VERIFIED';

/**
 * Why an event came: `call` of this client, `callback` URL, `refresh`, `storage` (what another tab or program
 * stored), `refused` (the server ended the session), `start`.
 */
export type AuthEventReason = 'call' | 'callback' | 'refresh' | 'storage' | 'refused' | 'start';

export type SessionState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'signed-in'; readonly held: HeldSession };

export type SessionEvent =
  /** What storage held at the start. */
  | { readonly type: 'restored'; readonly held: HeldSession | null }
  /** A new session, whoever was signed in before. */
  | {
      readonly type: 'entered';
      readonly held: HeldSession;
      readonly as: EntryName;
      readonly reason: AuthEventReason;
    }
  /** The same session with new tokens or a new user. */
  | {
      readonly type: 'renewed';
      readonly held: HeldSession;
      readonly as: RenewalName;
      readonly reason: AuthEventReason;
    }
  /** What storage holds now; `as` is the name under which another tab announced it. */
  | { readonly type: 'found'; readonly held: HeldSession | null; readonly as: AuthEventName | null }
  | { readonly type: 'left'; readonly reason: AuthEventReason };

export type EntryName = 'SIGNED_IN' | 'PASSWORD_RECOVERY';
export type RenewalName = 'TOKEN_REFRESHED' | 'USER_UPDATED' | 'MFA_CHALLENGE_VERIFIED';

export interface Announcement {
  readonly name: AuthEventName;
  readonly reason: AuthEventReason;
}

export interface Step {
  readonly state: SessionState;
  readonly announce: Announcement | null;
}

/** What a state does with an event. PROTOCOL.md shows the table. */
export function step(state: SessionState, event: SessionEvent): Step {
  switch (event.type) {
    case 'restored':
      return {
        state: state.kind === 'loading' ? stateOf(event.held) : state,
        announce: { name: 'INITIAL_SESSION', reason: 'start' },
      };
    case 'entered':
      return { state: stateOf(event.held), announce: { name: event.as, reason: event.reason } };
    case 'renewed':
      // Who left, or is someone else by now, is not renewed.
      return state.kind === 'signed-in' && isSameUser(state.held, event.held)
        ? { state: stateOf(event.held), announce: { name: event.as, reason: event.reason } }
        : { state, announce: null };
    case 'found':
      return state.kind === 'loading' ? { state, announce: null } : find(state, event.held, event.as);
    case 'left':
      return {
        state: stateOf(null),
        announce: state.kind === 'signed-in' ? { name: 'SIGNED_OUT', reason: event.reason } : null,
      };
  }
}

function find(
  state: Exclude<SessionState, { kind: 'loading' }>,
  held: HeldSession | null,
  as: AuthEventName | null,
): Step {
  const before = state.kind === 'signed-in' ? state.held : null;
  const name = nameOfChange(before, held, as);
  // An unchanged record keeps the state's identity, and the clocks at which it was received.
  if (!name) return { state, announce: null };
  return { state: stateOf(held), announce: { name, reason: 'storage' } };
}

function nameOfChange(
  before: HeldSession | null,
  after: HeldSession | null,
  as: AuthEventName | null,
): AuthEventName | null {
  if (!after) return before && 'SIGNED_OUT';
  const entry = after.record.recovery ? 'PASSWORD_RECOVERY' : 'SIGNED_IN';
  if (!before || !isSameUser(before, after)) return entry;
  const old = before.record;
  const { access_token, revision, recovery } = after.record;
  if (recovery && !old.recovery) return 'PASSWORD_RECOVERY';
  const isSameToken = access_token === old.access_token;
  if (isSameToken && revision === old.revision) return null;
  // A recovery that is over by now is no news.
  const isOver = as === 'SIGNED_OUT' || (as === 'PASSWORD_RECOVERY' && !recovery);
  if (as && !isOver && (as !== 'SIGNED_IN' || !isSameToken)) return as;
  return isSameToken ? 'USER_UPDATED' : 'TOKEN_REFRESHED';
}

function isSameUser(a: HeldSession, b: HeldSession): boolean {
  return a.record.user.id === b.record.user.id;
}

function stateOf(held: HeldSession | null): SessionState {
  return held ? { kind: 'signed-in', held } : { kind: 'signed-out' };
}
