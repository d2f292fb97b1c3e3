import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPublicPath, links, parseNext } from '../../../src/inbox/shared/routes.ts';

const origin = 'https://inbox.example';

test.each([
  '/login',
  '/signup',
  '/reset-password',
  '/clear-cookies',
  '/join',
  '/join/abc',
  '/join/a/b',
  '/login/',
])('%s needs no session', (path) => expect(isPublicPath(path)).toBe(true));

test.each(['/', '/home', '/_app', '/account', '/preferences', '/joiner', '/loginx', '/join-us', '/LOGIN'])(
  '%s needs a session',
  (path) => expect(isPublicPath(path)).toBe(false),
);

test('the target after a sign-in is the requested page', () => {
  expect(parseNext(links.login({ next: '/join/abc?x=1#y' }).slice('/login'.length), origin)).toBe(
    '/join/abc?x=1#y',
  );
});

test.each([
  '',
  '?next=',
  '?next=https://evil.example/',
  '?next=//evil.example',
  '?next=/\\evil.example',
  '?next=%2F%2Fevil.example',
  '?next=/%09/evil.example',
  '?next=/.//evil.example',
  '?next=/x/..//evil.example',
  '?next=javascript:alert(1)',
  '?next=account',
  '?next=/login',
  '?next=/signup/',
  '?next=/reset-password',
  '?next=/',
])('the target %s leads to the inbox after a sign-in', (query) => {
  const next = parseNext(query, origin);
  expect(new URL(next, origin).origin).toBe(origin);
  expect(next).toBe('/home');
});

test('the target after a sign-in never leaves the origin, whatever the URL says', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.webUrl(), fc.stringMatching(/^[/\\.@:\t\n a-z%]{0,12}$/)),
      (next) => {
        const target = parseNext(`?${new URLSearchParams({ next })}`, origin);
        expect(target.startsWith('/')).toBe(true);
        expect(new URL(target, origin).origin).toBe(origin);
      },
    ),
    { numRuns: 500 },
  );
});

test('links leave out default values', () => {
  expect(links.inbox({ tab: 'all' })).toBe('/home');
  expect(links.inbox({ tab: 'unread', kind: 'mention' })).toBe('/home?tab=unread&kind=mention');
  expect(links.login()).toBe('/login');
});

test('links encode any token', () => expect(links.join('a/b?c')).toBe('/join/a%2Fb%3Fc'));
