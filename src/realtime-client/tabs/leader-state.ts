import { next, type Step, type Wait } from '../machine/machine.ts';

/**
 * The role of one tab in sharing a socket. `seeking`: waits for the lock or for a leader's message; `following`:
 * receives from a leader; `doubting`: the leader's response is overdue; `leading`: holds the lock and the socket.
 *
 * Each term has its own lock. A frozen tab that keeps its lock is replaced by starting the next term; it steps down
 * when it resumes and receives a message of that term.
 */
export type LeaderState =
  | { readonly kind: 'stopped'; readonly term: number }
  | { readonly kind: 'seeking' | 'leading'; readonly term: number }
  | { readonly kind: 'following' | 'doubting'; readonly term: number; readonly leader: string };

export type LeaderEvent =
  | { readonly kind: 'start' | 'stop' | 'timer' | 'wake' }
  | { readonly kind: 'granted'; readonly term: number }
  /** A leader's message arrived. */
  | { readonly kind: 'heard'; readonly leader: string; readonly term: number }
  | { readonly kind: 'asked'; readonly term: number };

export type LeaderEffect =
  | Wait
  /** Releases the lock of the previous term and requests the lock of this one. */
  | { readonly do: 'acquire'; readonly term: number }
  | { readonly do: 'release' }
  | { readonly do: 'ask' }
  | { readonly do: 'announce' }
  | { readonly do: 'attach' };

type LeaderStep = Step<LeaderState, LeaderEffect>;

/** Deadline for a leader's response, and the interval at which followers check it. In milliseconds. */
export const answerMs = 3_000;
export const askEveryMs = 10_000;

export function stepLeader(state: LeaderState, event: LeaderEvent): LeaderStep {
  const { kind, term } = state;
  const stay: LeaderStep = next(state);
  if (kind === 'stopped') return event.kind === 'start' ? seek(term) : stay;
  switch (event.kind) {
    case 'start':
      return stay;
    case 'stop':
      return next({ kind: 'stopped', term: 0 }, { do: 'release' });
    case 'granted':
      if (event.term !== term || kind === 'leading') return stay;
      return next({ kind: 'leading', term }, { do: 'announce' });
    case 'asked':
      if (event.term > term) return kind === 'leading' ? seek(event.term) : stay;
      return kind === 'leading' ? next(state, { do: 'announce' }) : stay;
    case 'heard':
      return hear(state, event.leader, event.term);
    case 'wake':
    case 'timer':
      if (kind === 'following')
        return next({ ...state, kind: 'doubting' }, { do: 'ask' }, { do: 'wait', delayMs: answerMs });
      if (event.kind === 'wake' || kind === 'leading') return stay;
      return seek(term + 1);
  }
}

function hear(state: Exclude<LeaderState, { kind: 'stopped' }>, leader: string, term: number): LeaderStep {
  // A leader of an earlier term steps down when it receives a message of the current term.
  if (term < state.term) return next(state, { do: state.kind === 'leading' ? 'announce' : 'ask' });
  if (state.kind === 'leading' && term === state.term) return next(state);
  const wait: LeaderEffect = { do: 'wait', delayMs: askEveryMs };
  const isSame = (state.kind === 'following' || state.kind === 'doubting') && state.leader === leader;
  return next<LeaderState, LeaderEffect>(
    { kind: 'following', term, leader },
    ...(term === state.term ? [] : [{ do: 'acquire' as const, term }]),
    ...(isSame ? [] : [{ do: 'attach' as const }]),
    wait,
  );
}

function seek(term: number): LeaderStep {
  return next<LeaderState, LeaderEffect>(
    { kind: 'seeking', term },
    { do: 'acquire', term },
    { do: 'ask' },
    { do: 'wait', delayMs: answerMs },
  );
}
