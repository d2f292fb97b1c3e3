import { describe, expect, it } from 'vitest';
import {
  type AuthEventName,
  type SessionEvent,
  type SessionState,
  step,
} from '../../src/auth-client/session/session-state.ts';
import { holdSession } from '../../src/auth-client/session/session.ts';
import { sessionReply } from './support/scripted-server.ts';

const held = (user: string, serial: number, more: object = {}) =>
  holdSession({ ...sessionReply(user, serial), revision: serial, ...more }, { now: 0, monotonicMs: 0 });
const ada = held('ada', 1);

const states = {
  loading: { kind: 'loading' },
  'signed-out': { kind: 'signed-out' },
  'signed-in': { kind: 'signed-in', held: ada },
} as const satisfies Record<SessionState['kind'], SessionState>;

const events = {
  'restored: nothing': { type: 'restored', held: null },
  'restored: ada': { type: 'restored', held: ada },
  'entered: ada': { type: 'entered', held: held('ada', 2), as: 'SIGNED_IN', reason: 'call' },
  'entered: bob': { type: 'entered', held: held('bob', 1), as: 'SIGNED_IN', reason: 'call' },
  'entered: recovery': { type: 'entered', held: held('ada', 2), as: 'PASSWORD_RECOVERY', reason: 'callback' },
  'renewed: ada': { type: 'renewed', held: held('ada', 2), as: 'TOKEN_REFRESHED', reason: 'refresh' },
  'renewed: bob': { type: 'renewed', held: held('bob', 2), as: 'TOKEN_REFRESHED', reason: 'refresh' },
  'renewed: second factor': {
    type: 'renewed',
    held: held('ada', 2),
    as: 'MFA_CHALLENGE_VERIFIED',
    reason: 'call',
  },
  'found: nothing': { type: 'found', held: null, as: null },
  'found: the same': { type: 'found', held: held('ada', 1), as: null },
  'found: newer tokens': { type: 'found', held: held('ada', 2), as: null },
  'found: newer user': { type: 'found', held: held('ada', 1, { revision: 2 }), as: null },
  'found: recovery': { type: 'found', held: held('ada', 2, { recovery: true }), as: null },
  'found: bob': { type: 'found', held: held('bob', 1), as: null },
  'found: announced factor': { type: 'found', held: held('ada', 2), as: 'MFA_CHALLENGE_VERIFIED' },
  'found: late SIGNED_OUT': { type: 'found', held: held('ada', 2), as: 'SIGNED_OUT' },
  left: { type: 'left', reason: 'call' },
} as const satisfies Record<string, SessionEvent>;

/** State afterwards, and what is announced. */
type Expected = readonly [SessionState['kind'], AuthEventName | null];

/** Total by type: a missing cell does not compile. PROTOCOL.md shows it. */
const table: Record<SessionState['kind'], Record<keyof typeof events, Expected>> = {
  loading: {
    'restored: nothing': ['signed-out', 'INITIAL_SESSION'],
    'restored: ada': ['signed-in', 'INITIAL_SESSION'],
    'entered: ada': ['signed-in', 'SIGNED_IN'],
    'entered: bob': ['signed-in', 'SIGNED_IN'],
    'entered: recovery': ['signed-in', 'PASSWORD_RECOVERY'],
    'renewed: ada': ['loading', null],
    'renewed: bob': ['loading', null],
    'renewed: second factor': ['loading', null],
    'found: nothing': ['loading', null],
    'found: the same': ['loading', null],
    'found: newer tokens': ['loading', null],
    'found: newer user': ['loading', null],
    'found: recovery': ['loading', null],
    'found: bob': ['loading', null],
    'found: announced factor': ['loading', null],
    'found: late SIGNED_OUT': ['loading', null],
    left: ['signed-out', null],
  },
  'signed-out': {
    'restored: nothing': ['signed-out', 'INITIAL_SESSION'],
    'restored: ada': ['signed-out', 'INITIAL_SESSION'],
    'entered: ada': ['signed-in', 'SIGNED_IN'],
    'entered: bob': ['signed-in', 'SIGNED_IN'],
    'entered: recovery': ['signed-in', 'PASSWORD_RECOVERY'],
    'renewed: ada': ['signed-out', null],
    'renewed: bob': ['signed-out', null],
    'renewed: second factor': ['signed-out', null],
    'found: nothing': ['signed-out', null],
    'found: the same': ['signed-in', 'SIGNED_IN'],
    'found: newer tokens': ['signed-in', 'SIGNED_IN'],
    'found: newer user': ['signed-in', 'SIGNED_IN'],
    'found: recovery': ['signed-in', 'PASSWORD_RECOVERY'],
    'found: bob': ['signed-in', 'SIGNED_IN'],
    'found: announced factor': ['signed-in', 'SIGNED_IN'],
    'found: late SIGNED_OUT': ['signed-in', 'SIGNED_IN'],
    left: ['signed-out', null],
  },
  'signed-in': {
    'restored: nothing': ['signed-in', 'INITIAL_SESSION'],
    'restored: ada': ['signed-in', 'INITIAL_SESSION'],
    'entered: ada': ['signed-in', 'SIGNED_IN'],
    'entered: bob': ['signed-in', 'SIGNED_IN'],
    'entered: recovery': ['signed-in', 'PASSWORD_RECOVERY'],
    'renewed: ada': ['signed-in', 'TOKEN_REFRESHED'],
    'renewed: bob': ['signed-in', null],
    'renewed: second factor': ['signed-in', 'MFA_CHALLENGE_VERIFIED'],
    'found: nothing': ['signed-out', 'SIGNED_OUT'],
    'found: the same': ['signed-in', null],
    'found: newer tokens': ['signed-in', 'TOKEN_REFRESHED'],
    'found: newer user': ['signed-in', 'USER_UPDATED'],
    'found: recovery': ['signed-in', 'PASSWORD_RECOVERY'],
    'found: bob': ['signed-in', 'SIGNED_IN'],
    'found: announced factor': ['signed-in', 'MFA_CHALLENGE_VERIFIED'],
    'found: late SIGNED_OUT': ['signed-in', 'TOKEN_REFRESHED'],
    left: ['signed-out', 'SIGNED_OUT'],
  },
};

describe.each(Object.entries(table))('%s', (kind, row) => {
  it.each(Object.entries(row))('%s', (name, [after, announced]) => {
    const before = states[kind as SessionState['kind']];
    const result = step(before, events[name as keyof typeof events]);
    expect([result.state.kind, result.announce?.name ?? null]).toEqual([after, announced]);
    // Who compares must not see a change where there is none.
    const isUnchanged = !result.announce && after === kind;
    expect(isUnchanged ? result.state : before).toEqual(before);
  });
});
