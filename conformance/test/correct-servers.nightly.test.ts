import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { LocalSupabase } from 'local-supabase';
import { createLocalTarget, startLocalSupabase } from '../bin/local-target.ts';
import { audits } from '../src/audits/audits.ts';
import { parseFrame, type Frame } from '../src/target/frames.ts';
import { runAudits } from '../src/runner/runner.ts';
import type { ConformanceTarget } from '../src/target/target.ts';
import { at, parseJson } from '../src/target/wire.ts';

/** Replaces the text of responses; undefined keeps a response. */
type Rewrite = (text: string, request: Request) => string | undefined;

const rewriting = (target: ConformanceTarget, rewrite: Rewrite): ConformanceTarget => ({
  ...target,
  async fetch(input, init) {
    const request = new Request(input, init);
    const reply = await target.fetch(input, init);
    const text = await reply.clone().text();
    const rewritten = rewrite(text, request);
    return rewritten === undefined ? reply : Response.json(JSON.parse(rewritten), { status: reply.status });
  },
});

/** A server that signs equal claims equally, as with RS256 and HS256. */
function withEqualSignatures(target: ConformanceTarget): ConformanceTarget {
  const signed = new Map<string, string>();
  return rewriting(target, (text) => {
    const token = at(parseJson(text), 'access_token');
    if (typeof token !== 'string') return undefined;
    const claims = token.slice(0, token.lastIndexOf('.'));
    signed.set(claims, signed.get(claims) ?? token);
    return text.replace(token, signed.get(claims) ?? token);
  });
}

/** A server that responds to a refresh with the session of the sign-in. */
function withoutRefresh(target: ConformanceTarget): ConformanceTarget {
  let first: string | undefined;
  return rewriting(target, (text, { url }) => {
    if (url.includes('grant_type=password')) first = text;
    return url.includes('grant_type=refresh_token') ? first : undefined;
  });
}

/** The frames to send to the client instead of one frame of the server. */
type Relay = (frame: Frame) => readonly { readonly frame: Frame; readonly afterMs: number }[];

/** Runs `task` with a target that has a relay for its realtime frames. */
async function withRelay<T>(
  target: ConformanceTarget,
  relay: { readonly toClient?: Relay; readonly toServer?: (text: string) => string },
  task: (relayed: ConformanceTarget) => Promise<T>,
): Promise<T> {
  const { toClient = (frame) => [{ frame, afterMs: 0 }], toServer = (text) => text } = relay;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (client, { url = '' }) => {
    const upstream = new WebSocket(`${target.realtimeUrl}${url.slice(1)}`);
    const opened = once(upstream, 'open');
    client.on(
      'message',
      (data) => void opened.then(() => upstream.send(toServer((data as Buffer).toString()))),
    );
    client.on('close', () => upstream.close());
    upstream.on('message', (data) => {
      for (const { frame, afterMs } of toClient(parseFrame((data as Buffer).toString()))) {
        const text = JSON.stringify([frame.joinRef, frame.ref, frame.topic, frame.event, frame.payload]);
        if (afterMs === 0) client.send(text);
        else setTimeout(() => client.send(text), afterMs);
      }
    });
  });
  await once(server, 'listening');
  try {
    return await task({
      ...target,
      realtimeUrl: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    });
  } finally {
    server.close();
  }
}

/** Delivers an earlier message live before a replay, and the replay after later replies. */
const behindLiveDelivery: Relay = (frame) => {
  if (at(frame.payload, 'meta', 'replayed') !== true) return [{ frame, afterMs: 0 }];
  const live = { ...frame, payload: { ...frame.payload, payload: { n: 1 }, meta: { id: 'live' } } };
  return [
    { frame: live, afterMs: 0 },
    { frame, afterMs: 50 },
  ];
};

describe('an audit and the server under audit', () => {
  let supabase: LocalSupabase;
  let target: ConformanceTarget;

  beforeAll(async () => {
    supabase = await startLocalSupabase();
    target = createLocalTarget(supabase);
  }, 60_000);

  afterAll(() => supabase.close());

  async function outcomesOf(ids: readonly string[], audited: ConformanceTarget) {
    const chosen = audits.filter(({ id }) => ids.includes(id));
    const results = await runAudits(chosen, audited, { concurrency: ids.length });
    return Object.fromEntries(results.map(({ audit, outcome }) => [audit.id, outcome.status]));
  }

  it('a server that signs equal claims with equal signatures passes the refresh audits', async () => {
    const ids = ['CLIENT-AUTH-302', 'CLIENT-AUTH-303', 'CLIENT-AUTH-310'];
    expect(await outcomesOf(ids, withEqualSignatures(target))).toEqual(
      Object.fromEntries(ids.map((id) => [id, 'passed'])),
    );
  });

  it('a server that responds to a refresh with the old session fails', async () => {
    expect(await outcomesOf(['CLIENT-AUTH-302', 'CLIENT-AUTH-310'], withoutRefresh(target))).toEqual({
      'CLIENT-AUTH-302': 'failed',
      'CLIENT-AUTH-310': 'failed',
    });
  });

  it('a key set that one audit fetched does not change the count of another', async () => {
    const ids = ['CLIENT-AUTH-612', 'CLIENT-AUTH-611'];
    await outcomesOf(ids, target);
    expect(await outcomesOf(ids, target)).toEqual(Object.fromEntries(ids.map((id) => [id, 'passed'])));
  });

  it('a server whose key set lacks the signing key fails', async () => {
    const withoutKeys = rewriting(target, (_, { url }) => (url.includes('jwks') ? '{"keys":[]}' : undefined));
    expect(await outcomesOf(['CLIENT-AUTH-611'], withoutKeys)).toEqual({ 'CLIENT-AUTH-611': 'failed' });
  });

  it('a server without phone numbers is not audited for changing one', async () => {
    const withoutPhones = rewriting(target, (text, { url }) =>
      url.endsWith('/settings') ? text.replace('"phone":true', '"phone":false') : undefined,
    );
    expect(await outcomesOf(['AUTH-918'], withoutPhones)).toEqual({ 'AUTH-918': 'not-run' });
    expect(await outcomesOf(['AUTH-918'], target)).toEqual({ 'AUTH-918': 'passed' });
  });

  it('a server that keeps the old phone number after its verification fails', async () => {
    const keeping = rewriting(target, (text, { url }) =>
      url.endsWith('/verify') ? text.replace(/"phone":"[^"]*"/g, '"phone":""') : undefined,
    );
    expect(await outcomesOf(['AUTH-918'], keeping)).toEqual({ 'AUTH-918': 'failed' });
  });

  it('a server that delivers live broadcasts before a late replay passes', async () => {
    const ids = ['RT-203', 'RT-204', 'RT-205'];
    expect(
      await withRelay(target, { toClient: behindLiveDelivery }, (relayed) => outcomesOf(ids, relayed)),
    ).toEqual(Object.fromEntries(ids.map((id) => [id, 'passed'])));
  });

  it('a server that replays one broadcast more than the limit fails', async () => {
    const toServer = (text: string) => text.replace('"limit":2}', '"limit":3}');
    expect(await withRelay(target, { toServer }, (relayed) => outcomesOf(['RT-204'], relayed))).toEqual({
      'RT-204': 'failed',
    });
  });
});
