import { describe, expect, it } from 'vitest';
import { createCookieStore } from '../../src/auth-client/index.ts';
import { parseCookieHeader } from '../../src/auth-client/storage/cookie-store.ts';
import { createServerClients, serializeCookie } from '../../src/clients/server.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { sessionReply, tokenOf } from '../support/wire/replies.ts';
import { createCookieJar } from './support/cookie-jar.ts';

const MINUTE = 60_000;
const apiKey = 'sb_publishable_x';

const urlOf = (input: RequestInfo | URL) => (input instanceof Request ? input.url : input.toString());
let sites = 0;

/** A page with a wrong clock and a server with a right one share the cookies of one browser. */
function openSite(skewMs: number) {
  // Refreshes are shared by URL and token.
  const url = `https://site-${(sites += 1)}.test`;
  const world = createFakeWorld();
  const jar = createCookieJar();
  const refreshes = { page: 0, server: 0 };
  let serial = 0;
  const fetchOf = (who: keyof typeof refreshes) => async (input: RequestInfo | URL) => {
    if (urlOf(input).includes('refresh_token')) refreshes[who] += 1;
    const iat = Math.floor(world.clock.now() / 1000);
    const access_token = tokenOf('ada', (serial += 1), { iat, exp: iat + 3600 });
    return Response.json(sessionReply('ada', serial, { access_token, expires_at: iat + 3600 }));
  };
  const openPage = () => {
    const tab = world.openTab({ fetch: fetchOf('page') });
    const clock = { ...tab.clock, now: () => tab.clock.now() + skewMs };
    const store = createCookieStore({ jar, secure: false });
    return createSupabaseClients({ url, apiKey, platform: { ...tab, clock }, store });
  };
  const requestServer = () => {
    const cookies = {
      getAll: () => parseCookieHeader(jar.cookie),
      setAll: (set: readonly Parameters<typeof serializeCookie>[0][]) =>
        set.forEach((cookie) => (jar.cookie = serializeCookie(cookie))),
    };
    const platform = world.openTab({ fetch: fetchOf('server') });
    return createServerClients({ url, apiKey, platform, cookies }).auth.getAccessToken();
  };
  const navigate = async () => {
    const token = await requestServer();
    const page = openPage();
    await page.auth.start();
    await page.auth.getAccessToken();
    await world.clock.advance(MINUTE);
    page.close();
    return token;
  };
  return { world, refreshes, openPage, requestServer, navigate };
}

describe.each([-180, -90, -10, 0, 10, 30, 55, 90, 180])(
  'a page whose clock is %i minutes ahead',
  (minutes) => {
    it('and its server do not refresh a session that the page began', async () => {
      const { openPage, navigate, refreshes } = openSite(minutes * MINUTE);
      const { auth, close } = openPage();
      await auth.start();
      await auth.signInWithPassword({ email: 'ada@example.com', password: 'x' });
      close();
      for (let n = 0; n < 10; n += 1) await navigate();
      expect(refreshes).toEqual({ page: 0, server: 0 });
    });

    it('refreshes a session that its server renewed at most once per token lifetime', async () => {
      const { world, openPage, requestServer, navigate, refreshes } = openSite(minutes * MINUTE);
      const { auth, close } = openPage();
      await auth.start();
      await auth.signInWithPassword({ email: 'ada@example.com', password: 'x' });
      close();
      for (let life = 1; life <= 3; life += 1) {
        await world.clock.advance(60 * MINUTE);
        await requestServer();
        expect(refreshes.server).toBe(life);
        for (let n = 0; n < 10; n += 1) await navigate();
        expect(refreshes.server).toBe(life);
        // A page whose clock is behind never refreshes.
        expect(refreshes.page).toBeLessThanOrEqual(minutes <= 0 ? 0 : life);
      }
    });
  },
);
