import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, expect, test } from 'vitest';
import {
  clearBrowserData,
  isOwnCookie,
  parentDomains,
  parentPaths,
  type BrowserData,
} from '../../../../src/inbox/features/clear-cookies/browser-data.ts';

const browser = (overrides: Partial<BrowserData> = {}): BrowserData => ({
  document,
  hostname: location.hostname,
  path: '/clear-cookies',
  localStorage: () => localStorage,
  sessionStorage: () => sessionStorage,
  indexedDB: new IDBFactory(),
  caches: undefined,
  serviceWorkers: undefined,
  ...overrides,
});

beforeEach(() => {
  document.cookie = 'sb-project-auth-token.0=base64-broken; Path=/';
  document.cookie = 'sb-project-auth-token.1=%%%; Path=/';
  document.cookie = 'sb-project-auth-token-code-verifier=x; Path=/';
  document.cookie = 'another=stays; Path=/';
});

test("clearing this browser removes every chunk of the application's cookies, also corrupt ones, and no others", async () => {
  expect(await clearBrowserData(browser())).toEqual([]);
  expect(document.cookie).toBe('another=stays');
});

test('clearing this browser removes storage and databases', async () => {
  const indexedDB = new IDBFactory();
  await new Promise((resolve) => {
    indexedDB.open('inbox-cache').onsuccess = ({ target }) => {
      (target as IDBOpenDBRequest).result.close();
      resolve(null);
    };
  });
  localStorage.setItem('theme', 'dark');
  sessionStorage.setItem('x', 'y');
  expect(await clearBrowserData(browser({ indexedDB }))).toEqual([]);
  expect(await indexedDB.databases()).toEqual([]);
  expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
});

test('clearing this browser continues after a failed step and names it', async () => {
  const blocked = () => {
    throw new DOMException('blocked', 'SecurityError');
  };
  expect(await clearBrowserData(browser({ localStorage: blocked }))).toEqual(['local storage']);
  expect(document.cookie).toBe('another=stays');
});

test.each([
  ['sb-project-auth-token', true],
  ['sb-project-auth-token.12', true],
  ['__Secure-sb-x', true],
  ['supabase.auth.token', true],
  ['sbx', false],
  ['session', false],
])('the cookie %s is ours: %s', (name, own) => expect(isOwnCookie(name)).toBe(own));

test('the possible locations of a cookie are all parent domains and paths', () => {
  expect(parentDomains('a.b.example.org')).toEqual(['a.b.example.org', 'b.example.org', 'example.org']);
  expect(parentDomains('localhost')).toEqual([]);
  expect(parentPaths('/x/clear-cookies')).toEqual(['/', '/x', '/x/clear-cookies']);
});
