import { describe, expect, test } from 'vitest';
import { classifyInvitation, parseInvitationCode } from '../../../../src/inbox/features/join/invitation.ts';
import type { Invitation } from '../../../../src/inbox/features/join/invitation.ts';

const invitation: Invitation = {
  status: 'pending',
  inviterId: 'ada',
  inviterName: 'Ada',
  inviteeEmail: 'grace@example.com',
  isForMe: true,
  entityType: null,
  entityName: 'Roadmap',
  expiresAtMs: 0,
};
const kindOf = (change: Partial<Invitation> | null, userId: string | null = 'grace') =>
  classifyInvitation(change && { ...invitation, ...change }, userId).type;

test.each(['accepted', 'declined', 'expired', 'revoked'] as const)(
  'an invitation that is %s says so',
  (status) => {
    expect(kindOf({ status })).toBe(status);
  },
);

test('an invitation is open to its invitee', () => expect(kindOf({})).toBe('open'));
test('an invitation asks for a sign-in without a session', () => expect(kindOf({}, null)).toBe('signed-out'));
test('an invitation that does not exist is unknown', () => expect(kindOf(null)).toBe('unknown'));
test('an invitation is known to its sender', () => expect(kindOf({ isForMe: false }, 'ada')).toBe('own'));

test('an invitation reveals nothing to another account', () => {
  for (const status of ['pending', 'accepted', 'expired'] as const)
    expect(kindOf({ isForMe: false, status })).toBe('other-account');
});

describe('a pasted text', () => {
  const token = 'a1fe04a1bedb4df1afaaf74dbeacae0eef664d67b5824c4ea73ee5a7edc0535f';

  test.each([
    token,
    `  ${token}\n`,
    `https://inbox.example/join/${token}`,
    `https://inbox.example/join/${token}/?utm=mail#top`,
    `/join/${token}`,
    `inbox.example/join/${token}`,
  ])('a pasted text is accepted as a code: %s', (pasted) => expect(parseInvitationCode(pasted)).toBe(token));

  test.each(['', 'hello', 'https://inbox.example/home', `${token} ${token}`, 'https://inbox.example/join/'])(
    'a pasted text is rejected: %s',
    (pasted) => expect(parseInvitationCode(pasted)).toBeNull(),
  );
});
