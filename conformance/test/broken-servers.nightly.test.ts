import { createLocalSupabase, type LocalSupabase } from 'local-supabase';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalTarget } from '../bin/local-target.ts';
import { chooseAudits } from '../src/audits.ts';
import { runAudits } from '../src/runner.ts';
import type { ConformanceTarget } from '../src/target.ts';

let supabase: LocalSupabase;
beforeAll(async () => {
  supabase = await createLocalSupabase({ port: 0, mailboxPort: 0, auth: { bcryptCost: 4 } });
});
afterAll(() => supabase.close());

type Send = (url: string, init: RequestInit) => Promise<Response>;
type Broken = (send: Send, supabase: LocalSupabase) => Send;

const withHeaders = (init: RequestInit, change: (headers: Headers) => void): RequestInit => {
  const headers = new Headers(init.headers);
  change(headers);
  return { ...init, headers };
};
const bearerOf = (init: RequestInit) => new Headers(init.headers).get('authorization')?.slice(7) ?? '';
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}') as Record<
    string,
    unknown
  >;

/** A server that takes expired tokens: it signs them anew. */
const takesExpired: Broken =
  (send, { keys }) =>
  async (url, init) => {
    const claims = claimsOf(bearerOf(init));
    if (typeof claims['exp'] !== 'number' || claims['exp'] * 1000 > Date.now()) return send(url, init);
    const token = await keys.sign({ ...claims, exp: Math.floor(Date.now() / 1000) + 60 });
    return send(
      url,
      withHeaders(init, (headers) => headers.set('authorization', `Bearer ${token}`)),
    );
  };

/** A server that knows of each refresh token which one came after it, and takes that one in its place. */
const takesOldRefreshTokens: Broken = (send) => {
  const next = new Map<string, string>();
  const newest = (token: string): string => {
    const later = next.get(token);
    return later === undefined || later === token ? token : newest(later);
  };
  return async (url, init) => {
    if (!url.includes('grant_type=refresh_token') || typeof init.body !== 'string') return send(url, init);
    const body = JSON.parse(init.body) as { refresh_token?: string };
    const { refresh_token: old } = body;
    if (old === undefined) return send(url, init);
    const response = await send(url, { ...init, body: JSON.stringify({ refresh_token: newest(old) }) });
    const answer = (await response.clone().json()) as { refresh_token?: string };
    if (answer.refresh_token !== undefined) next.set(newest(old), answer.refresh_token);
    return response;
  };
};

/** A server whose signed links open any object. */
const opensAnyObject: Broken =
  (send, { serviceRoleKey }) =>
  (url, init) => {
    const [, path, token] = /\/object\/sign\/(.+)\?token=([^&]+)/.exec(url) ?? [];
    if (path === undefined || token === undefined || claimsOf(token)['url'] === undefined)
      return send(url, init);
    const open = `${url.slice(0, url.indexOf('/object/'))}/object/${path}`;
    return send(
      open,
      withHeaders(init, (headers) => headers.set('authorization', `Bearer ${serviceRoleKey}`)),
    );
  };

const needsNoKey: Broken =
  (send, { anonKey }) =>
  (url, init) =>
    send(
      url,
      withHeaders(init, (headers) => {
        if (!headers.has('apikey')) headers.set('apikey', anonKey);
      }),
    );

const takesAnyKey: Broken =
  (send, { anonKey, serviceRoleKey }) =>
  (url, init) =>
    send(
      url,
      withHeaders(init, (headers) => {
        const key = headers.get('apikey');
        if (key !== null && key !== serviceRoleKey) headers.set('apikey', anonKey);
      }),
    );

const takesTokensOfOthers: Broken =
  (send, { keys }) =>
  async (url, init) => {
    const token = bearerOf(init);
    if (token.split('.').length !== 3) return send(url, init);
    const signed = await keys.sign(claimsOf(token));
    return send(
      url,
      withHeaders(init, (headers) => headers.set('authorization', `Bearer ${signed}`)),
    );
  };

it.each<readonly [string, Broken, string]>([
  ['takes expired tokens', takesExpired, 'AUTH-941 REST-370'],
  ['takes old refresh tokens', takesOldRefreshTokens, 'AUTH-940'],
  ['opens another object by a signed link', opensAnyObject, 'STORE-111 STORE-112'],
  ['needs no API key', needsNoKey, 'AUTH-942 REST-101'],
  ['takes any API key', takesAnyKey, 'AUTH-942 REST-133'],
  ['takes tokens with another signature', takesTokensOfOthers, 'REST-134'],
])('a server that %s is noticed', { timeout: 120_000 }, async (_fault, broken, expected) => {
  const target: ConformanceTarget = createLocalTarget(supabase);
  const ids = expected.split(' ');
  const audits = chooseAudits({ set: 'server' }).filter(({ id }) => ids.includes(id));
  const sound = await runAudits(audits, target);
  expect(sound.map(({ audit, outcome }) => [audit.id, outcome])).toEqual(
    audits.map(({ id }) => [id, { status: 'passed' }]),
  );
  const results = await runAudits(audits, { ...target, fetch: broken(target.fetch, supabase) });
  const noticed = results.filter(({ outcome }) => outcome.status === 'failed').map(({ audit }) => audit.id);
  expect(noticed.toSorted()).toEqual(ids.toSorted());
});
