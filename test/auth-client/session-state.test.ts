import { describe, expect, it } from 'vitest';
import {
  type AuthEventName,
  type SessionEvent,
  type SessionState,
  step,
} from '../../src/auth-client/session/session-state.ts';
import { toActiveSession } from '../../src/auth-client/session/session.ts';
import { sessionReply } from '../support/wire/replies.ts';

const active = (user: string, serial: number, more: object = {}) =>
  toActiveSession({ ...sessionReply(user, serial), revision: serial, ...more }, { now: 0, monotonicMs: 0 });
const ada = active('ada', 1);

const states = {
  loading: { type: 'loading' },
  'signed-out': { type: 'signed-out' },
  'signed-in': { type: 'signed-in', active: ada },
} as const satisfies Record<SessionState['type'], SessionState>;

const events = {
  'restored: nothing': { type: 'restored', active: null },
  'restored: ada': { type: 'restored', active: ada },
  'signed in: ada': { type: 'signed-in', active: active('ada', 2), name: 'SIGNED_IN', reason: 'call' },
  'signed in: bob': { type: 'signed-in', active: active('bob', 1), name: 'SIGNED_IN', reason: 'call' },
  'signed in: recovery': {
    type: 'signed-in',
    active: active('ada', 2),
    name: 'PASSWORD_RECOVERY',
    reason: 'callback',
  },
  'renewed: ada': { type: 'renewed', active: active('ada', 2), name: 'TOKEN_REFRESHED', reason: 'refresh' },
  'renewed: bob': { type: 'renewed', active: active('bob', 2), name: 'TOKEN_REFRESHED', reason: 'refresh' },
  'renewed: second factor': {
    type: 'renewed',
    active: active('ada', 2),
    name: 'MFA_CHALLENGE_VERIFIED',
    reason: 'call',
  },
  'storage read: nothing': { type: 'storage-read', active: null, name: null },
  'storage read: the same': { type: 'storage-read', active: active('ada', 1), name: null },
  'storage read: newer tokens': { type: 'storage-read', active: active('ada', 2), name: null },
  'storage read: newer user': { type: 'storage-read', active: active('ada', 1, { revision: 2 }), name: null },
  'storage read: recovery': {
    type: 'storage-read',
    active: active('ada', 2, { recovery: true }),
    name: null,
  },
  'storage read: bob': { type: 'storage-read', active: active('bob', 1), name: null },
  'storage read: announced second factor': {
    type: 'storage-read',
    active: active('ada', 2),
    name: 'MFA_CHALLENGE_VERIFIED',
  },
  'storage read: late SIGNED_OUT': { type: 'storage-read', active: active('ada', 2), name: 'SIGNED_OUT' },
  'signed out': { type: 'signed-out', reason: 'call' },
} as const satisfies Record<string, SessionEvent>;

type Expected = readonly [SessionState['type'], AuthEventName | null];

/** The type requires every cell: a missing one does not compile. PROTOCOL.md shows the table. */
const table: Record<SessionState['type'], Record<keyof typeof events, Expected>> = {
  loading: {
    'restored: nothing': ['signed-out', 'INITIAL_SESSION'],
    'restored: ada': ['signed-in', 'INITIAL_SESSION'],
    'signed in: ada': ['signed-in', 'SIGNED_IN'],
    'signed in: bob': ['signed-in', 'SIGNED_IN'],
    'signed in: recovery': ['signed-in', 'PASSWORD_RECOVERY'],
    'renewed: ada': ['loading', null],
    'renewed: bob': ['loading', null],
    'renewed: second factor': ['loading', null],
    'storage read: nothing': ['loading', null],
    'storage read: the same': ['loading', null],
    'storage read: newer tokens': ['loading', null],
    'storage read: newer user': ['loading', null],
    'storage read: recovery': ['loading', null],
    'storage read: bob': ['loading', null],
    'storage read: announced second factor': ['loading', null],
    'storage read: late SIGNED_OUT': ['loading', null],
    'signed out': ['signed-out', null],
  },
  'signed-out': {
    'restored: nothing': ['signed-out', 'INITIAL_SESSION'],
    'restored: ada': ['signed-out', 'INITIAL_SESSION'],
    'signed in: ada': ['signed-in', 'SIGNED_IN'],
    'signed in: bob': ['signed-in', 'SIGNED_IN'],
    'signed in: recovery': ['signed-in', 'PASSWORD_RECOVERY'],
    'renewed: ada': ['signed-out', null],
    'renewed: bob': ['signed-out', null],
    'renewed: second factor': ['signed-out', null],
    'storage read: nothing': ['signed-out', null],
    'storage read: the same': ['signed-in', 'SIGNED_IN'],
    'storage read: newer tokens': ['signed-in', 'SIGNED_IN'],
    'storage read: newer user': ['signed-in', 'SIGNED_IN'],
    'storage read: recovery': ['signed-in', 'PASSWORD_RECOVERY'],
    'storage read: bob': ['signed-in', 'SIGNED_IN'],
    'storage read: announced second factor': ['signed-in', 'SIGNED_IN'],
    'storage read: late SIGNED_OUT': ['signed-in', 'SIGNED_IN'],
    'signed out': ['signed-out', null],
  },
  'signed-in': {
    'restored: nothing': ['signed-in', 'INITIAL_SESSION'],
    'restored: ada': ['signed-in', 'INITIAL_SESSION'],
    'signed in: ada': ['signed-in', 'SIGNED_IN'],
    'signed in: bob': ['signed-in', 'SIGNED_IN'],
    'signed in: recovery': ['signed-in', 'PASSWORD_RECOVERY'],
    'renewed: ada': ['signed-in', 'TOKEN_REFRESHED'],
    'renewed: bob': ['signed-in', null],
    'renewed: second factor': ['signed-in', 'MFA_CHALLENGE_VERIFIED'],
    'storage read: nothing': ['signed-out', 'SIGNED_OUT'],
    'storage read: the same': ['signed-in', null],
    'storage read: newer tokens': ['signed-in', 'TOKEN_REFRESHED'],
    'storage read: newer user': ['signed-in', 'USER_UPDATED'],
    'storage read: recovery': ['signed-in', 'PASSWORD_RECOVERY'],
    'storage read: bob': ['signed-in', 'SIGNED_IN'],
    'storage read: announced second factor': ['signed-in', 'MFA_CHALLENGE_VERIFIED'],
    'storage read: late SIGNED_OUT': ['signed-in', 'TOKEN_REFRESHED'],
    'signed out': ['signed-out', 'SIGNED_OUT'],
  },
};

describe.each(Object.entries(table))('%s', (kind, row) => {
  it.each(Object.entries(row))('%s', (name, [after, emitted]) => {
    const before = states[kind as SessionState['type']];
    const result = step(before, events[name as keyof typeof events]);
    expect([result.state.type, result.emission?.name ?? null]).toEqual([after, emitted]);
    // A state that does not change keeps its identity.
    const isUnchanged = !result.emission && after === kind;
    expect(isUnchanged ? result.state : before).toBe(before);
  });
});

describe('a record of another tab', () => {
  const recovering = active('ada', 1, { recovery: true });
  const unnumbered = (more: object = {}) => active('ada', 1, { revision: undefined, ...more });

  it.each([
    ['SIGNED_IN', ada, active('ada', 2), 'SIGNED_IN'],
    ['SIGNED_IN', ada, active('ada', 1, { revision: 2 }), 'USER_UPDATED'],
    ['USER_UPDATED', ada, active('ada', 1, { revision: 2 }), 'USER_UPDATED'],
    ['PASSWORD_RECOVERY', ada, active('ada', 2), 'TOKEN_REFRESHED'],
    ['PASSWORD_RECOVERY', recovering, active('ada', 2, { recovery: true }), 'PASSWORD_RECOVERY'],
    [null, recovering, active('ada', 2, { recovery: true }), 'TOKEN_REFRESHED'],
    [null, unnumbered(), unnumbered(), null],
    [null, unnumbered(), active('ada', 1, { revision: 1 }), null],
    [null, unnumbered(), unnumbered({ user: { ...ada.record.user, phone: '491' } }), 'USER_UPDATED'],
    [null, ada, active('ada', 1, { user: { ...ada.record.user, phone: '491' } }), null],
  ] as const)(
    'is published as an event by the stored record when announced as %s (%#)',
    (name, before, stored, expected) => {
      const event: SessionEvent = { type: 'storage-read', active: stored, name };
      expect(step({ type: 'signed-in', active: before }, event).emission?.name ?? null).toBe(expected);
    },
  );
});
