import { expect, test } from 'vitest';
import {
  openAlert,
  parsePushMessage,
  showPushMessage,
} from '../../../../src/inbox/service-worker/push-message.ts';
import type { OpenPage, PushScope } from '../../../../src/inbox/service-worker/push-message.ts';

function createScope(
  pages: readonly DocumentVisibilityState[] = [],
  endpoint: string | null = 'https://fcm.googleapis.com/fcm/send/1',
  url = 'https://inbox.example.com/home',
) {
  const calls: unknown[] = [];
  const scope: PushScope = {
    pages: () =>
      Promise.resolve(
        pages.map((visibilityState): OpenPage => ({
          url,
          visibilityState,
          focus: () => Promise.resolve(calls.push('focus')),
          postMessage: (message) => calls.push(message),
        })),
      ),
    endpoint: () => Promise.resolve(endpoint),
    openPage: (path) => Promise.resolve(calls.push(`open ${path}`)),
    showAlert: (title, options) => Promise.resolve(void calls.push([title, options])),
    setBadge: (count) => Promise.resolve(void calls.push(`badge ${count}`)),
  };
  return { scope, calls };
}

const message = {
  title: 'Grace mentioned you',
  body: 'Please look',
  language: 'en',
  tag: 'one',
  path: '/home?open=one',
  unreadCount: 3,
};

test('a push message is shown with its words and path, and sets the badge', async () => {
  const { scope, calls } = createScope(['hidden']);
  await showPushMessage(message, scope);
  const options = {
    body: 'Please look',
    lang: 'en',
    tag: 'one',
    icon: '/icon-192.png',
    data: '/home?open=one',
  };
  expect(calls).toEqual(['badge 3', ['Grace mentioned you', options]]);
});

test('a push message is not shown above a page that is visible', async () => {
  const { scope, calls } = createScope(['hidden', 'visible']);
  await showPushMessage(message, scope);
  expect(calls).toEqual(['badge 3']);
});

test('a push message is shown above a visible page in Safari, which counts one without an alert as a breach', async () => {
  const { scope, calls } = createScope(['visible'], 'https://web.push.apple.com/QH');
  await showPushMessage(message, scope);
  expect(calls).toEqual(['badge 3', ['Grace mentioned you', expect.objectContaining({ tag: 'one' })]]);
});

test.each([null, 'https://fcm.googleapis.com/x.push.apple.com/', 'https://push.apple.com.evil.example/'])(
  'a push message is not shown above a visible page with the endpoint %j',
  async (endpoint) => {
    const { scope, calls } = createScope(['visible'], endpoint);
    await showPushMessage(message, scope);
    expect(calls).toEqual(['badge 3']);
  },
);

test('a push message that cannot be read is shown as one of the application', async () => {
  const { scope, calls } = createScope();
  await showPushMessage(null, scope);
  expect(calls).toEqual([['Tidings', { icon: '/icon-192.png', data: undefined }]]);
  await openAlert(undefined, scope);
  expect(calls.at(-1)).toBe('open /home');
});

test('a push message is shown where the system has no badges', async () => {
  const { scope, calls } = createScope();
  await showPushMessage(message, { ...scope, setBadge: () => Promise.reject(new Error('No badges')) });
  expect(calls).toHaveLength(1);
});

test.each([undefined, '', 'null', '{}', '[1]', '{"title":1,"path":"/"}'])(
  'a push message cannot be read if it is %j',
  (text) => {
    expect(parsePushMessage(text)).toBeNull();
  },
);

test('a push message is read from JSON', () => {
  expect(parsePushMessage(JSON.stringify(message))).toEqual(message);
});

test('a click on an alert opens the notification in a page that is open', async () => {
  const { scope, calls } = createScope(['hidden']);
  await openAlert('/home?open=one', scope);
  expect(calls).toEqual(['focus', { type: 'open-path', path: '/home?open=one' }]);
});

test.each(['unsubscribe.html#token=t', 'unsubscribe', 'clear-cookies.html'])(
  'the page /%s is not one of the application: it shows no message and opens no path',
  async (path) => {
    const { scope, calls } = createScope(['visible'], null, `https://inbox.example.com/${path}`);
    await showPushMessage(message, scope);
    await openAlert('/home?open=one', scope);
    expect(calls).toEqual(['badge 3', [message.title, expect.anything()], 'open /home?open=one']);
  },
);

test('a click on an alert opens the path in a page that the browser does not focus', async () => {
  const { scope, calls } = createScope(['hidden']);
  const [page] = await scope.pages();
  const focus = () => Promise.reject(new DOMException('Not allowed', 'InvalidAccessError'));
  const pages = async () => (page ? [{ ...page, focus }] : []);
  await openAlert('/home?open=one', { ...scope, pages });
  expect(calls).toEqual([{ type: 'open-path', path: '/home?open=one' }]);
});

test('a click on an alert opens a page where none is open', async () => {
  const { scope, calls } = createScope();
  await openAlert('/home?open=one', scope);
  expect(calls).toEqual(['open /home?open=one']);
});

test.each([null, 'https://evil.example', '//evil.example', '/\t/evil.example', String.raw`/\evil.example`])(
  'a click on an alert opens the inbox instead of %j',
  async (data) => {
    const { scope, calls } = createScope();
    await openAlert(data, scope);
    expect(calls).toEqual(['open /home']);
  },
);
