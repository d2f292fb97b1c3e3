import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AuthClient, createAuthClient, createMemoryStore } from '../../src/auth-client/index.ts';
import { type FakeTab, createFakeWorld } from '../support/fake-platform.ts';
import { type Fate, LIFETIME_SECONDS, createTokenServer } from '../support/wire/token-server.ts';

/** More schedules, or a certain one: AUTH_SCHEDULES=20000 AUTH_SEED=7 */
const RUNS = Number(process.env['AUTH_SCHEDULES'] ?? 200);
const SEED = process.env['AUTH_SEED'] === undefined ? {} : { seed: Number(process.env['AUTH_SEED']) };
const KEY = 'sb-project-auth-token';
const TABS = 3;

type Command =
  | {
      readonly type: 'read' | 'force' | 'sign out' | 'hide' | 'show' | 'cut' | 'join' | 'crash';
      readonly tab: number;
    }
  | { readonly type: 'sign in'; readonly tab: number; readonly user: 'ada' | 'bob' }
  | { readonly type: 'pass' | 'sleep' | 'jump'; readonly seconds: number }
  | { readonly type: 'fate'; readonly fate: Fate }
  | { readonly type: 'revoke' | 'fill' | 'empty' };

const tab = fc.nat(TABS - 1);
const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constantFrom('read', 'read', 'force'), tab }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('sign out'), tab }) },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constantFrom('hide', 'show', 'cut', 'join', 'crash'), tab }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('sign in'), tab, user: fc.constantFrom('ada', 'bob') }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ type: fc.constant('pass'), seconds: fc.constantFrom(0, 0.02, 1, 31, 125) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant('sleep'), seconds: fc.constantFrom(100, 290, 301, 4_000) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('jump'), seconds: fc.constantFrom(-3_600, -200, 200, 3_600) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('fate'),
        fate: fc.constantFrom<Fate[]>(
          'reply lost',
          'not sent',
          'busy',
          'limited',
          'conflict',
          'page',
          'slow',
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('revoke', 'fill', 'empty') }) },
  ),
  { minLength: 4, maxLength: 16 },
);

interface Page {
  readonly id: number;
  client: AuthClient;
  platform: FakeTab;
  /** Calls that were not awaited; those of a crashed tab never end. */
  pending: Promise<unknown>[];
  events: string[];
}

/** Runs a schedule and checks the invariants of PROTOCOL.md after each command and at the end. */
async function play(schedule: readonly Command[]) {
  const world = createFakeWorld();
  const memory = createMemoryStore();
  let isFull = false;
  let wasFull = false;
  const store = {
    ...memory,
    set(key: string, value: string) {
      if (isFull) throw new DOMException('Full', 'QuotaExceededError');
      return memory.set(key, value);
    },
  };
  const timers = world.openTab();
  const server = createTokenServer(
    (ms) => new Promise((resolve) => void timers.clock.setTimer(resolve, ms)),
    () => world.clock.now(),
  );
  let signOuts = 0;
  let expectedUser: string | null = null;
  const problems: unknown[] = [];

  let opened = 0;
  const openPage = async (): Promise<Page> => {
    const id = (opened += 1);
    const platform = world.openTab({ fetch: server.fetchFor(id), report: () => {} });
    const client = createAuthClient({ url: 'http://project.test', apiKey: 'k', platform, store });
    const events: string[] = [];
    client.onEvent(({ name }) => {
      events.push(name);
      // A session ends by a sign-out or by the server's definitive refusal, and by nothing else.
      if (name === 'SIGNED_OUT' && signOuts === 0 && server.definitiveRefusals === 0)
        problems.push('dropped');
    });
    await client.start();
    return { id, client, platform, events, pending: [] };
  };
  const pages = await Promise.all(Array.from({ length: TABS }, openPage));
  const at = (index: number) => pages[index] as Page;
  const watch = (page: Page, call: Promise<unknown>) => void page.pending.push(call.catch(() => undefined));

  const run = async (command: Command) => {
    switch (command.type) {
      case 'read':
        return watch(at(command.tab), at(command.tab).client.getAccessToken());
      case 'force':
        return watch(at(command.tab), at(command.tab).client.refreshSession());
      case 'sign in':
        await at(command.tab).client.signInWithPassword({ email: `${command.user}@x.test`, password: 'p' });
        expectedUser = command.user;
        return;
      case 'sign out':
        signOuts += 1;
        expectedUser = null;
        // With an expired token the client refreshes once more to revoke the session, even while a refresh is in flight.
        signedOutTokens.add(
          (JSON.parse(memory.get(KEY) ?? '{}') as { refresh_token?: string }).refresh_token ?? '',
        );
        // While the storage is full it lacks the newest refresh token, so take it from the tab's request in flight.
        for (const { tab: sender, refreshToken, inFlight } of server.attempts)
          if (inFlight && sender === at(command.tab).id) signedOutTokens.add(refreshToken);
        return watch(at(command.tab), at(command.tab).client.signOut());
      case 'hide':
      case 'show':
        return at(command.tab).platform.setVisible(command.type === 'show');
      case 'cut':
      case 'join':
        return at(command.tab).platform.setOnline(command.type === 'join');
      case 'crash':
        at(command.tab).platform.crash();
        for (const attempt of server.attempts)
          if (attempt.tab === at(command.tab).id && attempt.inFlight) attempt.abandoned = true;
        pages[command.tab] = await openPage();
        return;
      case 'pass':
        return world.clock.advance(command.seconds * 1000);
      case 'sleep':
        return world.clock.sleep(command.seconds * 1000);
      case 'jump':
        return world.clock.jump(command.seconds * 1000);
      case 'fate':
        return void server.fates.push(command.fate);
      case 'revoke':
        return server.revoke();
      case 'fill':
      case 'empty':
        isFull = command.type === 'fill';
        wasFull ||= isFull;
    }
  };
  const signedOutTokens = new Set<string>();
  const check = async () => {
    const text = memory.get(KEY) ?? 'null';
    const stored = JSON.parse(text) as { user: { id: string } } | null;
    // The storage has no session of user A after user B's sign-in, and none after a sign-out.
    if (!wasFull && stored && stored.user.id !== expectedUser) problems.push(`stored: ${stored.user.id}`);
    const flights = new Set<string>();
    const renewed = new Set<string>();
    for (const { tab, refreshToken, inFlight, delivered, abandoned } of server.attempts) {
      if (abandoned || signedOutTokens.has(refreshToken)) continue;
      // A tab with full storage does not share its tokens, so the rule holds only within the tab.
      const token = wasFull ? `${tab}:${refreshToken}` : refreshToken;
      if (renewed.has(token)) problems.push(`sent after its renewal: ${token}`);
      if (inFlight && flights.has(token)) problems.push(`twice in flight: ${token}`);
      if (inFlight) flights.add(token);
      if (delivered) renewed.add(token);
    }
  };

  for (const command of schedule) {
    await run(command);
    await world.settle();
    await check();
  }
  // At the end the network works, every tab is shown, and a minute passes.
  server.fates.length = 0;
  isFull = false;
  for (const { platform } of pages) {
    platform.setOnline(true);
    platform.setVisible(true);
  }
  await world.clock.advance(61_000);
  for (const page of pages) watch(page, page.client.getAccessToken());
  await world.clock.advance(61_000);
  await Promise.all(pages.flatMap(({ pending }) => pending));
  await check();
  const users = pages.map(({ client }) => client.getSnapshot().user?.id ?? null);
  if (!wasFull) {
    const accepted = server.current ? expectedUser : null;
    for (const user of users)
      if (user !== accepted && !(user === expectedUser && !server.current)) problems.push(`ends as ${user}`);
    if (new Set(users).size > 1) problems.push(`tabs disagree: ${users.join()}`);
  }
  if (world.heldLocks.size > 0) problems.push('a lock is held');
  const wire = JSON.stringify(world.broadcasts);
  if (/eyJ|refresh_token|@|\d+\.\d+"/.test(wire)) problems.push('a broadcast carries a secret');
  for (const { client } of pages) client.close();
  return problems;
}

it(`keeps the invariants over ${RUNS} schedules of ${TABS} tabs with tokens of ${LIFETIME_SECONDS} s`, async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (schedule) => {
      expect(await play(schedule)).toEqual([]);
    }),
    {
      numRuns: RUNS,
      ...SEED,
      examples: [
        [
          [
            { type: 'fill' },
            { type: 'sign in', tab: 1, user: 'ada' },
            { type: 'jump', seconds: 3_600 },
            { type: 'read', tab: 1 },
            { type: 'sign out', tab: 1 },
          ],
        ],
      ],
    },
  );
}, 3_600_000);
