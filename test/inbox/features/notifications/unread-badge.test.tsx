import { act, render } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { UnreadBadge } from '../../../../src/inbox/features/notifications/bell/unread-badge.tsx';
import {
  InboxContext,
  type InboxServices,
} from '../../../../src/inbox/features/notifications/data/inbox-context.ts';
import { createObservable } from '../../../../src/platform/index.ts';

afterEach(() => void vi.unstubAllGlobals());

interface State {
  readonly isVerified: boolean;
  readonly unread: number;
}

const toSnapshot = ({ isVerified, unread }: State) => ({ isVerified, counts: { unread } });

/** Renders the badge of an inbox with this state. */
function renderBadge(initial: State) {
  const inbox = createObservable(toSnapshot(initial));
  const { unmount } = render(
    <InboxContext value={{ inbox } as unknown as InboxServices}>
      <UnreadBadge />
    </InboxContext>,
  );
  return { unmount, set: (state: State) => act(async () => inbox.set(toSnapshot(state))) };
}

/** Two alerts of push messages; returns how many were closed, once all pending work has ended. */
function showAlerts() {
  const close = vi.fn<() => void>();
  const getNotifications = async () => [{ close }, { close }];
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration: async () => ({ getNotifications }) } });
  return async () => {
    await new Promise((resolve) => setTimeout(resolve));
    return close.mock.calls.length;
  };
}

test('the alerts of push messages are closed once nothing is unread, and not before the list is read', async () => {
  const countClosed = showAlerts();
  const { set } = renderBadge({ isVerified: false, unread: 0 });
  expect(await countClosed()).toBe(0);
  await set({ isVerified: true, unread: 2 });
  expect(await countClosed()).toBe(0);
  await set({ isVerified: true, unread: 0 });
  expect(await countClosed()).toBe(2);
});

test('the alerts of push messages are closed at sign-out', async () => {
  const countClosed = showAlerts();
  const { unmount } = renderBadge({ isVerified: true, unread: 2 });
  expect(await countClosed()).toBe(0);
  unmount();
  expect(await countClosed()).toBe(2);
});

test('the title has the number where no service worker exists', () => {
  vi.stubGlobal('navigator', {});
  renderBadge({ isVerified: true, unread: 3 });
  expect(document.title).toContain('3');
});
