import { describe, expect, test } from 'vitest';
import { decideRoute, type RouteInput } from '../../../src/inbox/app/route-decision.ts';

const signedOut: RouteInput = {
  status: 'signed-out',
  needsSecondFactor: false,
  hasLeft: false,
  path: '/home',
  query: '',
  hash: '',
  origin: 'https://inbox.example',
};
const signedIn: RouteInput = { ...signedOut, status: 'signed-in' };

test.each(['/login', '/home', '/nowhere'])('%s waits while the session loads', (path) => {
  expect(decideRoute({ ...signedOut, status: 'loading', path })).toEqual({ type: 'loading' });
});

test('a signed-out user sees the public screens', () =>
  expect(decideRoute({ ...signedOut, path: '/join/x' }).type).toBe('public'));

test.each([
  ['/home', '', '/login'],
  ['/', '', '/login'],
  ['/home', '?tab=unread', '/login?next=%2Fhome%3Ftab%3Dunread'],
  ['/account', '', '/login?next=%2Faccount'],
  ['/nowhere', '', '/login?next=%2Fnowhere'],
  ['/home/', '', '/login'],
  ['/preferences', '?a=1&code=secret', '/login?next=%2Fpreferences%3Fa%3D1'],
  ['/home/', '?next=%2Fjoin%2Fabc', '/login?next=%2Fjoin%2Fabc'],
  ['/home', '?next=%2Fjoin%2Fabc', '/login?next=%2Fjoin%2Fabc'],
])('%s%s leads to %s when signed out', (path, query, to) => {
  expect(decideRoute({ ...signedOut, path, query })).toEqual({ type: 'redirect', to });
});

test('tokens of a fragment never reach ?next=', () => {
  const decision = decideRoute({ ...signedOut, path: '/account', hash: '#access_token=a&refresh_token=b' });
  expect(decision).toEqual({ type: 'redirect', to: '/login?next=%2Faccount' });
});

test('a signed-out user does not return to the last page after a sign-out', () => {
  const decision = decideRoute({ ...signedOut, path: '/account', hasLeft: true });
  expect(decision).toEqual({ type: 'redirect', to: '/login' });
});

test.each(['/home', '/', '/_app', '/nowhere'])('a signed-in user may open %s', (path) => {
  expect(decideRoute({ ...signedIn, path }).type).toBe('private');
});

test.each(['/login', '/signup', '/login/', '/signup/'])('a signed-in user is redirected from %s', (path) => {
  expect(decideRoute({ ...signedIn, path, query: '?next=%2Fjoin%2Fx' })).toEqual({
    type: 'redirect',
    to: '/join/x',
  });
  expect(decideRoute({ ...signedIn, path })).toEqual({ type: 'redirect', to: '/home' });
});

test('a signed-in user returns to the requested page after a mail link', () => {
  for (const path of ['/home', '/home/'])
    expect(decideRoute({ ...signedIn, path, query: '?next=%2Fjoin%2Fx' })).toEqual({
      type: 'redirect',
      to: '/join/x',
    });
});

test.each(['/reset-password', '/join/x'])('a signed-in user may also see %s', (path) => {
  expect(decideRoute({ ...signedIn, path }).type).toBe('public');
});

test('the second factor is required before anything else', () => {
  const half: RouteInput = { ...signedIn, needsSecondFactor: true };
  expect(decideRoute({ ...half, path: '/account' })).toEqual({
    type: 'redirect',
    to: '/login?next=%2Faccount',
  });
  expect(decideRoute({ ...half, path: '/login' }).type).toBe('public');
});

describe('a mail link', () => {
  const hash = '#token_hash=abcdef0123456789abcdef&type=signup';
  const link = { tokenHash: 'abcdef0123456789abcdef', type: 'signup' };

  test.each([
    ['/home', '', '/login'],
    ['/home', '?next=%2Fpreferences', '/login?next=%2Fpreferences'],
    ['/account', '', '/login?next=%2Faccount'],
  ])('a mail link at %s%s travels to %s when signed out, never in ?next=', (path, query, to) => {
    expect(decideRoute({ ...signedOut, path, query, hash })).toEqual({ type: 'redirect', to: to + hash });
  });

  test.each(['/login', '/reset-password'])('a mail link is shown at %s when signed out', (path) => {
    expect(decideRoute({ ...signedOut, path, hash })).toEqual({ type: 'mail-link', link });
  });

  test.each(['/home', '/account', '/login', '/'])('a mail link is shown at %s when signed in', (path) => {
    expect(decideRoute({ ...signedIn, path, hash })).toEqual({ type: 'mail-link', link });
  });

  test('a mail link is read from the query too', () => {
    const query = '?next=%2Fx&token_hash=abcdef0123456789abcdef&type=signup';
    expect(decideRoute({ ...signedIn, path: '/home', query })).toEqual({ type: 'mail-link', link });
    expect(decideRoute({ ...signedOut, path: '/home', query })).toEqual({
      type: 'redirect',
      to: `/login?next=%2Fx${hash}`,
    });
  });

  test.each([
    ['/preferences', hash],
    ['/home', '#token_hash=abcdef0123456789abcdef&type=constructor'],
    ['/home', '#token_hash=short&type=signup'],
  ])('%s%s has no mail link', (path, other) => {
    expect(decideRoute({ ...signedIn, path, hash: other }).type).toBe('private');
  });
});
