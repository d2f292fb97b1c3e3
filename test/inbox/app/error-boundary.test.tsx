import { act, cleanup, render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConfigurationScreen } from '../../../src/inbox/app/configuration-screen.tsx';
import { ErrorBoundary } from '../../../src/inbox/app/shell/error-boundary.tsx';
import { toasts } from '../../../src/inbox/ui/state/toasts.ts';
import { PartBoundary } from '../../../src/inbox/ui/page/part-boundary.tsx';
import { createComponentLoader, onDemand } from '../../../src/inbox/ui/state/loader.ts';
import { followChunkFailures } from '../../../src/inbox/app/chunks/chunk-failures.ts';

let isBroken = true;
function Fragile() {
  if (isBroken) throw new Error('secret detail');
  return <p>All is well.</p>;
}

beforeEach(() => {
  isBroken = true;
  vi.spyOn(console, 'error').mockReturnValue(undefined);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test('a page that throws shows a message without details and three actions', () => {
  const onError = vi.fn<() => void>();
  render(
    <ErrorBoundary onError={onError}>
      <Fragile />
    </ErrorBoundary>,
  );
  expect(screen.getByRole('heading', { name: 'Something went wrong' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Go to your inbox' }).getAttribute('href')).toBe('/home');
  expect(screen.getByRole('link', { name: /^Clear cookies/ }).getAttribute('href')).toBe('/clear-cookies');
  expect(document.body.textContent).not.toContain('secret detail');
  expect(onError).toHaveBeenCalledOnce();
});

test('a page that throws recovers on another page', () => {
  const { rerender } = render(
    <ErrorBoundary resetKey="/a">
      <Fragile />
    </ErrorBoundary>,
  );
  isBroken = false;
  rerender(
    <ErrorBoundary resetKey="/b">
      <Fragile />
    </ErrorBoundary>,
  );
  expect(screen.getByText('All is well.')).toBeTruthy();
});

describe('a chunk that cannot be loaded', () => {
  beforeEach(() => Object.defineProperty(navigator, 'onLine', { configurable: true, value: false }));
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'onLine');
  });

  /** A screen whose code loads as soon as there is a network, and a count of its loads. */
  function remoteScreen() {
    const remote = { isThere: false, calls: 0 };
    const Screen = onDemand(
      createComponentLoader(async () => {
        remote.calls += 1;
        if (remote.isThere) return () => <p>All is well.</p>;
        // Fails as the build's preloading does.
        const problem = new TypeError('Failed to fetch dynamically imported module');
        dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: problem }));
        throw problem;
      }),
    );
    return { remote, Screen };
  }
  followChunkFailures(window);

  test('a chunk that cannot be loaded is retried once, reported offline, and retried on request', async () => {
    const { remote, Screen } = remoteScreen();
    await act(async () => {
      render(
        <ErrorBoundary>
          <Screen />
        </ErrorBoundary>,
      );
    });
    const button = await screen.findByRole('button', { name: 'Try again' });
    expect(screen.getByRole('alert').textContent).toMatch(/couldn’t be loaded/);
    expect(remote.calls).toBe(1);
    remote.isThere = true;
    await act(async () => button.click());
    expect(await screen.findByText('All is well.')).toBeTruthy();
    expect(remote.calls).toBe(2);
  });

  test('a chunk that cannot be loaded is retried at the next visit', async () => {
    const { remote, Screen } = remoteScreen();
    const page = (key: string, content: React.ReactNode) => (
      <ErrorBoundary resetKey={key}>
        <Suspense>{content}</Suspense>
      </ErrorBoundary>
    );
    const { rerender } = await act(async () => render(page('/a', <Screen />)));
    await screen.findByRole('button', { name: 'Try again' });
    rerender(page('/b', <p>Elsewhere</p>));
    remote.isThere = true;
    await act(async () => rerender(page('/a', <Screen />)));
    expect(await screen.findByText('All is well.')).toBeTruthy();
  });

  test('a part that cannot be loaded leaves the rest unchanged, offers to reload, and loads the next time', async () => {
    toasts.clear();
    const { remote, Screen } = remoteScreen();
    const close = vi.fn<() => void>();
    const page = (isOpen: boolean) => (
      <ErrorBoundary>
        <p>The rest</p>
        {isOpen && (
          <PartBoundary onFail={close}>
            <Screen />
          </PartBoundary>
        )}
      </ErrorBoundary>
    );
    const { rerender } = await act(async () => render(page(true)));
    expect(document.body.textContent).toBe('The rest');
    expect(close).toHaveBeenCalledOnce();
    expect(toasts.getSnapshot()).toMatchObject([{ tone: 'error', action: { label: 'Reload' } }]);
    rerender(page(false));
    remote.isThere = true;
    await act(async () => rerender(page(true)));
    expect(document.body.textContent).toBe('The restAll is well.');
  });

  test('the reload after a failed part returns to the URL at which it was opened', async () => {
    toasts.clear();
    const { Screen } = remoteScreen();
    history.replaceState(null, '', '/home?open=7');
    await act(async () => {
      render(
        <PartBoundary onFail={() => history.replaceState(null, '', '/home')}>
          <Screen />
        </PartBoundary>,
      );
    });
    expect(location.search).toBe('');
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: true });
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response());
    await act(async () => toasts.getSnapshot()[0]?.action?.run());
    expect(location.search).toBe('?open=7');
  });

  test('an optional part that cannot be loaded shows no message', async () => {
    toasts.clear();
    const { Screen } = remoteScreen();
    await act(async () => {
      render(
        <PartBoundary isOptional>
          <Screen />
        </PartBoundary>,
      );
    });
    expect(document.body.textContent).toBe('');
    expect(toasts.getSnapshot()).toEqual([]);
  });
});

test('a missing setting is named on the screen', () => {
  const message = 'Supabase configuration incomplete: VITE_SUPABASE_URL is not set';
  render(<ConfigurationScreen message={message} />);
  expect(screen.getByRole('alert').textContent).toBe(message);
});
