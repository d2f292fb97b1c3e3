import { next, type Step, type Wait } from '../machine/machine.ts';

/**
 * The role of one tab in sharing a socket. `seeking`: waits for the lock or for a leader's message; `following`:
 * receives from a leader; `doubting`: the leader's response is overdue; `leading`: holds the lock and the socket.
 *
 * Each term has its own lock. A frozen tab that keeps its lock is replaced by starting the next term; it steps down
 * when it resumes and receives a message of that term.
 */
export type LeaderState =
  | { readonly type: 'stopped'; readonly term: number }
  | { readonly type: 'seeking' | 'leading'; readonly term: number }
  | { readonly type: 'following' | 'doubting'; readonly term: number; readonly leader: string };

export type LeaderEvent =
  | { readonly type: 'start' | 'stop' | 'timer' | 'wake' }
  | { readonly type: 'granted'; readonly term: number }
  /** A leader's message arrived. */
  | { readonly type: 'message'; readonly leader: string; readonly term: number }
  | { readonly type: 'query'; readonly term: number };

export type LeaderEffect =
  | Wait
  /** Releases the lock of the previous term and requests the lock of this one. */
  | { readonly type: 'acquire'; readonly term: number }
  | { readonly type: 'release' }
  | { readonly type: 'ask' }
  | { readonly type: 'announce' }
  | { readonly type: 'attach' };

type LeaderStep = Step<LeaderState, LeaderEffect>;

/** Deadline for a leader's response, and the interval at which followers check it. In milliseconds. */
export const responseMs = 3_000;
export const askEveryMs = 10_000;

export function stepLeader(state: LeaderState, event: LeaderEvent): LeaderStep {
  const { type, term } = state;
  const stay: LeaderStep = next(state);
  if (type === 'stopped') return event.type === 'start' ? seek(term) : stay;
  switch (event.type) {
    case 'start':
      return stay;
    case 'stop':
      return next({ type: 'stopped', term: 0 }, { type: 'release' });
    case 'granted':
      if (event.term !== term || type === 'leading') return stay;
      return next({ type: 'leading', term }, { type: 'announce' });
    case 'query':
      if (event.term > term) return type === 'leading' ? seek(event.term) : stay;
      return type === 'leading' ? next(state, { type: 'announce' }) : stay;
    case 'message':
      return applyLeaderMessage(state, event.leader, event.term);
    case 'wake':
    case 'timer':
      if (type === 'following')
        return next({ ...state, type: 'doubting' }, { type: 'ask' }, { type: 'wait', delayMs: responseMs });
      if (event.type === 'wake' || type === 'leading') return stay;
      return seek(term + 1);
  }
}

function applyLeaderMessage(
  state: Exclude<LeaderState, { type: 'stopped' }>,
  leader: string,
  term: number,
): LeaderStep {
  // A leader of an earlier term steps down when it receives a message of the current term.
  if (term < state.term) return next(state, { type: state.type === 'leading' ? 'announce' : 'ask' });
  if (state.type === 'leading' && term === state.term) return next(state);
  const wait: LeaderEffect = { type: 'wait', delayMs: askEveryMs };
  const isSame = (state.type === 'following' || state.type === 'doubting') && state.leader === leader;
  return next<LeaderState, LeaderEffect>(
    { type: 'following', term, leader },
    ...(term === state.term ? [] : [{ type: 'acquire' as const, term }]),
    ...(isSame ? [] : [{ type: 'attach' as const }]),
    wait,
  );
}

function seek(term: number): LeaderStep {
  return next<LeaderState, LeaderEffect>(
    { type: 'seeking', term },
    { type: 'acquire', term },
    { type: 'ask' },
    { type: 'wait', delayMs: responseMs },
  );
}
