import { type CookieMethodsServer, createServerClient } from '@supabase/ssr';
import type { Page as BrowserPage } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ada, useLocalSupabase } from '../support/local-supabase.ts';
import type { Page } from './shared-session/main.ts';
import { useConsumer } from './support/consumer.ts';
import { usePage } from './support/page.ts';

const supabase = useLocalSupabase({ port: 0 });
const consumer = useConsumer('shared-session', [
  '@supabase/ssr',
  '@supabase/supabase-js',
  '@types/node',
  '@types/ws',
]);
const built = usePage(consumer, supabase);

let browserPage: BrowserPage;
beforeEach(async () => {
  browserPage = await built().open();
});

const call = <Name extends keyof Page>(name: Name) =>
  browserPage.evaluate(
    (method) => (globalThis as unknown as { page: Record<string, () => Promise<unknown>> }).page[method]?.(),
    name as string,
  ) as ReturnType<Page[Name]>;

describe('a page that shares its session with @supabase/ssr', () => {
  it.each([
    ['signInWithOurs', 'refreshWithVendors', 'signOutWithOurs'],
    ['signInWithVendors', 'refreshWithOurs', 'signOutWithVendors'],
  ] as const)('%s, then %s, then %s: both always report the same', async (signIn, refresh, signOut) => {
    await call(signIn);
    const first = await call('readWithOurs');
    expect(first?.email).toBe(ada.email);
    expect(await call('readWithVendors')).toEqual(first);

    await call(refresh);
    const second = await call('readWithVendors');
    expect(second?.accessToken).not.toBe(first?.accessToken);
    expect(await call('readWithOurs')).toEqual(second);

    await call(signOut);
    expect(await call('readWithOurs')).toBe(null);
    expect(await call('readWithVendors')).toBe(null);
    expect(await browserPage.evaluate(() => document.cookie)).toBe('');
  });

  it("is read by a server with the vendor's client, and the page adopts the refreshed session", async () => {
    await call('signInWithOurs');
    const first = await call('readWithOurs');
    const { url, anonKey } = supabase();
    const context = browserPage.context();
    const cookies: CookieMethodsServer = {
      getAll: () => context.cookies(),
      setAll: (list) =>
        context.addCookies(list.map(({ name, value }) => ({ name, value, url: browserPage.url() }))),
    };
    // Node 20 has no WebSocket, and the vendor's client requires one for any use.
    const transport = WebSocket as unknown as typeof globalThis.WebSocket;
    const server = createServerClient(url, anonKey, { cookies, realtime: { transport } });
    expect((await server.auth.getUser()).data.user?.email).toBe(ada.email);

    const { data } = await server.auth.refreshSession();
    expect(data.session?.access_token).not.toBe(first?.accessToken);
    expect((await call('readWithOurs'))?.accessToken).toBe(data.session?.access_token);
  });
});
