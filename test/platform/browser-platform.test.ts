import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPlatform } from '../../src/platform/browser-platform.ts';
import type { PageSignal } from '../../src/platform/platform.ts';

afterEach(() => vi.unstubAllGlobals());

describe('locks', () => {
  const refuse = () => Promise.reject(new DOMException('Storage is blocked', 'SecurityError'));

  it('exclude within the realm where Web Locks are refused', async () => {
    vi.stubGlobal('navigator', { locks: { request: refuse } });
    const { locks } = createPlatform();
    const steps: string[] = [];
    const hold = (name: string) =>
      locks.hold('a', async () => {
        steps.push(`${name} begins`);
        await Promise.resolve();
        steps.push(`${name} ends`);
        return name;
      });
    expect(await Promise.all([hold('one'), hold('two')])).toEqual(['one', 'two']);
    expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it.each(['Node.js/24', 'Deno/2.9.6'])(
    'of two clients are separate in %s, whose locks are those of the process',
    async (userAgent) => {
      const { hold } = createPlatform().locks;
      const request = (name: string, options: object, task: () => Promise<unknown>) =>
        hold(name, task, options);
      vi.stubGlobal('navigator', { userAgent, locks: { request } });
      const [one, two] = [createPlatform().locks, createPlatform().locks];
      const task = vi.fn<() => Promise<never>>(() => new Promise(() => undefined));
      void one.hold('a', task);
      void two.hold('a', task);
      void two.hold('a', task);
      await vi.waitFor(() => expect(task).toHaveBeenCalledTimes(2));
    },
  );

  it('rethrow the error of the task, and run it once', async () => {
    const request = (_name: string, _options: LockOptions, task: () => unknown) => task();
    vi.stubGlobal('navigator', { locks: { request } });
    const task = vi.fn<() => Promise<never>>(() => Promise.reject(new Error('the task failed')));
    await expect(createPlatform().locks.hold('a', task)).rejects.toThrow('the task failed');
    expect(task).toHaveBeenCalledTimes(1);
  });

  it('return the result of the task after another client has stolen the lock', async () => {
    const request = async (_name: string, _options: LockOptions, task: () => Promise<unknown>) => {
      void task();
      return Promise.reject(new DOMException('Lock broken by another request', 'AbortError'));
    };
    vi.stubGlobal('navigator', { locks: { request } });
    const { locks } = createPlatform();
    expect(await locks.hold('a', () => new Promise((resolve) => setTimeout(resolve, 1, 'result')))).toBe(
      'result',
    );
  });

  it('name the client that holds one, and no client where the runtime does not report it', async () => {
    const held = [{ name: 'b', mode: 'exclusive', clientId: 'tab-of-b' }];
    vi.stubGlobal('navigator', { locks: { query: () => Promise.resolve({ held }) } });
    const { locks } = createPlatform();
    expect([await locks.holderOf?.('b'), await locks.holderOf?.('a')]).toEqual(['tab-of-b', null]);
    vi.stubGlobal('navigator', { locks: { query: refuse } });
    expect(await createPlatform().locks.holderOf?.('b')).toBeNull();
  });

  it('reject with the abort reason of a wait', async () => {
    const request = (_name: string, { signal }: LockOptions) => Promise.reject(signal?.reason as Error);
    vi.stubGlobal('navigator', { locks: { request } });
    const signal = AbortSignal.abort(new Error('given up'));
    await expect(createPlatform().locks.hold('a', () => Promise.resolve(), { signal })).rejects.toThrow(
      'given up',
    );
  });

  it('are not shared between tabs without a channel between them', () => {
    vi.stubGlobal('navigator', { locks: { request: refuse } });
    expect(createPlatform().locks.scope).toBe('origin');
    vi.stubGlobal('BroadcastChannel', undefined);
    expect(createPlatform().locks.scope).toBe('realm');
  });
});

describe('SHA-256', () => {
  it.each([
    ['Web Crypto', undefined],
    ['an http page, where crypto.subtle is missing', {}],
  ])('is computed with %s', async (_name, crypto) => {
    if (crypto) vi.stubGlobal('crypto', crypto);
    const digest = await createPlatform().sha256(new TextEncoder().encode('abc'));
    expect(Buffer.from(digest).toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('the page', () => {
  it.each([
    ['no navigator (Node 20)', undefined, true],
    ['a navigator without onLine (Node 22, Bun, Deno)', { hardwareConcurrency: 2 }, true],
    ['a browser that is online', { onLine: true }, true],
    ['a browser that is offline', { onLine: false }, false],
  ])('reports whether the host is online: %s', (_name, navigator, isOnline) => {
    vi.stubGlobal('navigator', navigator);
    expect(createPlatform().page.isOnline()).toBe(isOnline);
  });

  it('is hidden when frozen, and visible when resumed', () => {
    const page = new EventTarget();
    vi.stubGlobal('document', page);
    const signals: PageSignal[] = [];
    const stop = createPlatform().page.subscribe((signal) => signals.push(signal));
    page.dispatchEvent(new Event('freeze'));
    page.dispatchEvent(new Event('resume'));
    stop();
    page.dispatchEvent(new Event('freeze'));
    expect(signals).toEqual(['pagehide', 'resume']);
  });
});

describe('a channel to other tabs', () => {
  it('is not opened in Deno, where it would keep the process alive', () => {
    const opened = vi.fn<(name: string) => void>();
    vi.stubGlobal('BroadcastChannel', function BroadcastChannel(name: string) {
      opened(name);
    });
    createPlatform().openTabChannel('a');
    expect(opened).toHaveBeenCalledTimes(1);
    vi.stubGlobal('Deno', {});
    createPlatform().openTabChannel('b').close();
    expect(opened).toHaveBeenCalledTimes(1);
  });
});

describe('a timer', () => {
  it.each([2 ** 31, 2 ** 33])('of %d ms runs after its time, not at once', async (delayMs) => {
    vi.useFakeTimers();
    const run = vi.fn<() => void>();
    createPlatform().clock.setTimer(run, delayMs);
    await vi.advanceTimersByTimeAsync(delayMs - 1);
    expect(run).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(run).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
  });

  it('of more than the longest timeout can be canceled', async () => {
    vi.useFakeTimers();
    const run = vi.fn<() => void>();
    const timer = createPlatform().clock.setTimer(run, 2 ** 32);
    await vi.advanceTimersByTimeAsync(2 ** 31 + 5);
    timer.cancel();
    await vi.advanceTimersByTimeAsync(2 ** 33);
    expect(run).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('keeps the process alive until it runs, unless it is unref', () => {
    const timeouts = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timeouts();
    const timer = createPlatform().clock.setTimer(() => undefined, 60_000);
    expect(timeouts()).toBe(before + 1);
    timer.unref?.();
    expect(timeouts()).toBe(before);
    timer.cancel();
  });

  it('without end never runs, and keeps nothing alive', () => {
    vi.useFakeTimers();
    createPlatform().clock.setTimer(() => undefined, Infinity);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});
