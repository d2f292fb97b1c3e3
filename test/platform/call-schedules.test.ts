import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../../src/auth-client/index.ts';
import { createSupabaseClients } from '../../src/clients/supabase-clients.ts';
import { decodeJwtClaims } from '../../src/platform/jwt.ts';
import { inChunks, pages } from '../../src/rest-client/index.ts';
import { createStorageClient } from '../../src/storage-client/index.ts';
import { createFakeWorld } from '../support/fake-platform.ts';
import { createTokenServer, type Fate, LIFETIME_SECONDS } from '../support/wire/token-server.ts';

/** More schedules, or a certain one: CALL_SCHEDULES=20000 CALL_SEED=7 */
const RUNS = Number(process.env['CALL_SCHEDULES'] ?? 80);
const SEED = process.env['CALL_SEED'] === undefined ? {} : { seed: Number(process.env['CALL_SEED']) };
const sessionKey = 'sb-project-auth-token';
const refreshLock = `lock:${sessionKey}:refresh`;

type Call = 'write' | 'chunks' | 'pages' | 'signed URLs';
type DataFate = 'expired' | 'denied' | 'unavailable' | 'late';
type Command =
  | { readonly type: 'call'; readonly tab: number; readonly call: Call }
  | { readonly type: 'sign in'; readonly tab: number; readonly user: 'ada' | 'bob' }
  | { readonly type: 'sign out' | 'read'; readonly tab: number }
  | { readonly type: 'pass' | 'jump'; readonly seconds: number }
  | { readonly type: 'fate'; readonly fate: Fate }
  | { readonly type: 'data fate'; readonly fate: DataFate }
  | { readonly type: 'lose the lock' | 'revoke' };

const tab = fc.nat(1);
const commands = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        type: fc.constant('call'),
        tab,
        call: fc.constantFrom<Call[]>('write', 'chunks', 'pages', 'signed URLs'),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant('sign in'), tab, user: fc.constantFrom('ada', 'bob') }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('sign out', 'read', 'read'), tab }) },
    {
      weight: 5,
      arbitrary: fc.record({ type: fc.constant('pass'), seconds: fc.constantFrom(0, 0.02, 0.1, 5, 290) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant('jump'), seconds: fc.constantFrom(-7_200, 7_200) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('fate'),
        fate: fc.constantFrom<Fate[]>('reply lost', 'not sent', 'busy', 'slow'),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('data fate'),
        fate: fc.constantFrom<DataFate[]>('expired', 'denied', 'unavailable', 'late'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('lose the lock', 'revoke') }) },
  ),
  { minLength: 4, maxLength: 18 },
);

const refusal = (status: number, code: string, message: string) =>
  Response.json({ code, message, details: null, hint: null }, { status });

/** Runs a schedule of two tabs of one browser, and returns what it broke. */
async function play(schedule: readonly Command[], serverSkewMs: number): Promise<readonly unknown[]> {
  const world = createFakeWorld();
  const store = createMemoryStore();
  const timers = world.openTab();
  const delay = (ms: number) => new Promise<void>((resolve) => void timers.clock.setTimer(resolve, ms));
  const startMs = timers.clock.now() + serverSkewMs;
  const tokens = createTokenServer(delay, () => startMs + timers.clock.monotonicMs());
  const dataFates: DataFate[] = [];
  const problems: unknown[] = [];
  /** The user who was signed in when each call began. */
  const callers = new Map<string, string | null>();
  /** The number of additional renewals that a token may have. */
  const spareRenewals = new Map<string, number>();
  const spare = (refreshToken: string) =>
    void spareRenewals.set(refreshToken, (spareRenewals.get(refreshToken) ?? 0) + 1);
  const inFlight = () => tokens.attempts.filter((attempt) => attempt.inFlight);
  let signOuts = 0;
  let hasRevoked = false;

  const respondWithData = async (request: Request): Promise<Response> => {
    const text = decodeURIComponent(request.url) + (await request.clone().text());
    const call = /call-\d+/.exec(text)?.[0] ?? '';
    const bearer = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
    const subject = decodeJwtClaims(bearer)?.['sub'];
    if ((subject ?? null) !== callers.get(call))
      problems.push(`${call} of ${callers.get(call)} was sent as ${String(subject)}`);
    await delay(20);
    const isStorage = request.url.includes('/storage/');
    const fate = dataFates.shift();
    if (fate === 'expired' && isStorage)
      return Response.json(
        { statusCode: '403', error: 'Unauthorized', message: 'jwt expired' },
        { status: 400 },
      );
    if (fate === 'expired') return refusal(401, 'PGRST303', 'JWT expired');
    if (fate === 'denied') return refusal(403, '42501', 'denied');
    if (fate === 'unavailable') return refusal(503, 'PGRST001', 'unavailable');
    if (fate === 'late') await delay(3_000);
    if (isStorage) return Response.json([]);
    return request.method === 'POST' ? new Response(null, { status: 201 }) : Response.json([{ id: call }]);
  };
  const openTab = (id: number) => {
    const fetchTokens = tokens.fetchFor(id);
    const platform = world.openTab({
      report: () => {},
      fetch: async (input, init) => {
        const request = new Request(input, init);
        if (!request.url.includes('/auth/v1/')) return respondWithData(request);
        if (request.url.includes('refresh_token') && inFlight().some(({ hasLostLock }) => !hasLostLock))
          problems.push('two refreshes are in flight under one lock');
        return fetchTokens(request);
      },
    });
    const clients = createSupabaseClients({
      url: 'http://project.test',
      apiKey: 'sb_publishable_x',
      platform,
      store,
    });
    clients.auth.onEvent(({ name, reason }) => {
      if (name !== 'SIGNED_OUT' || hasRevoked) return;
      if (signOuts === 0 || reason === 'refused') problems.push('a session was lost');
    });
    return { ...clients, storage: createStorageClient(clients.connection) };
  };
  const tabs = [openTab(1), openTab(2)] as const;
  await Promise.all(tabs.map(({ auth }) => auth.start()));
  const storedToken = () => {
    const stored = JSON.parse(store.get(sessionKey) ?? '{}') as { readonly refresh_token?: string };
    return stored.refresh_token ?? '';
  };
  const pending: Promise<unknown>[] = [];
  const watch = (work: Promise<unknown>) => void pending.push(work.catch(() => undefined));
  let calls = 0;
  const call = async ({ rest, storage }: (typeof tabs)[number], kind: Call, name: string) => {
    const rows = rest.from('notes').select('id').eq('call', name);
    switch (kind) {
      case 'write':
        return rest.from('notes').insert({ name }).execute();
      case 'chunks':
        return inChunks(rest.from('notes').delete().eq('call', name).in('id', ['1', '2', '3']).select('id'), {
          size: 1,
        });
      case 'pages':
        for await (const page of pages(rows, { by: ['id'], size: 1 })) if (page.length === 0) return;
        return;
      case 'signed URLs':
        return storage.from(name).createSignedUrls(
          Array.from({ length: 2_001 }, (_, at) => `${at}`),
          60,
        );
    }
  };
  const run = async (command: Command) => {
    switch (command.type) {
      case 'call':
        calls += 1;
        callers.set(`call-${calls}`, tabs[command.tab as 0 | 1].auth.getSnapshot().user?.id ?? null);
        return watch(call(tabs[command.tab as 0 | 1], command.call, `call-${calls}`));
      case 'sign in':
        return watch(
          tabs[command.tab as 0 | 1].auth.signInWithPassword({
            email: `${command.user}@x.test`,
            password: 'p',
          }),
        );
      case 'sign out':
        signOuts += 1;
        // A sign-out renews an expired session again to revoke it, even while its refresh is in flight.
        new Set([storedToken(), ...inFlight().map(({ refreshToken }) => refreshToken)]).forEach(spare);
        return watch(tabs[command.tab as 0 | 1].auth.signOut());
      case 'read':
        return watch(tabs[command.tab as 0 | 1].auth.getAccessToken());
      case 'pass':
        return world.clock.advance(command.seconds * 1000);
      case 'jump':
        return world.clock.jump(command.seconds * 1000);
      case 'fate':
        return void tokens.fates.push(command.fate);
      case 'data fate':
        return void dataFates.push(command.fate);
      case 'revoke':
        hasRevoked = true;
        return tokens.revoke();
      case 'lose the lock':
        // The next holder does not wait for the request of the previous one, whose response is still in transit.
        for (const attempt of inFlight()) {
          attempt.hasLostLock = true;
          spare(attempt.refreshToken);
        }
        return watch(timers.locks.hold(refreshLock, async () => undefined, { steal: true }));
    }
  };
  for (const command of schedule) {
    await run(command);
    await world.settle();
  }
  tokens.fates.length = 0;
  dataFates.length = 0;
  await world.clock.advance(120_000);
  await Promise.all(pending);
  const renewals = new Map<string, number>();
  for (const { refreshToken, delivered } of tokens.attempts) {
    const earlier = renewals.get(refreshToken) ?? 0;
    if (earlier > (spareRenewals.get(refreshToken) ?? 0)) problems.push(`${refreshToken} was sent again`);
    if (delivered) renewals.set(refreshToken, earlier + 1);
  }
  // The next token may be due at this moment.
  if (inFlight().length > 0) await world.clock.advance(LIFETIME_SECONDS * 100);
  if (inFlight().length > 0) problems.push('a refresh is in flight');
  if (tokens.definitiveRefusals > 0 && !hasRevoked) problems.push('the server ended a session');
  for (const { close } of tabs) close();
  return problems;
}

it(`keeps each call with its user over ${RUNS} schedules of two tabs with tokens of ${LIFETIME_SECONDS} s`, async () => {
  const skewMs = fc.constantFrom(0, -7_200_000, 7_200_000);
  await fc.assert(
    fc.asyncProperty(commands, skewMs, async (schedule, serverSkewMs) => {
      expect(await play(schedule, serverSkewMs)).toEqual([]);
    }),
    { numRuns: RUNS, ...SEED },
  );
}, 3_600_000);
