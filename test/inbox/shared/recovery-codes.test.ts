import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createMfa } from '../../../src/auth-client/features/mfa.ts';
import { createMemoryStore } from '../../../src/auth-client/index.ts';
import { createLazyClients } from '../../../src/clients/lazy-clients.ts';
import type { Database } from '../../../src/inbox/database.types.ts';
import { createRecoveryCodes } from '../../../src/inbox/shared/recovery-codes/recovery-codes.ts';
import { readAssuranceLevel } from '../../../src/inbox/shared/token-claims.ts';
import { createPlatform } from '../../../src/platform/browser-platform.ts';
import { createUser, seedPassword, useLocalSupabase } from '../../support/local-supabase.ts';
import { createAuthenticator } from '../../support/second-factor.ts';
import { createBreakableFetch, to } from '../../support/wire/breakable-fetch.ts';

const supabase = useLocalSupabase({ auth: { recoveryCodesEnabled: false } });
const withService = useLocalSupabase({ auth: { recoveryCodesEnabled: true } });
let email: string;
beforeEach(() => {
  email = `codes-${crypto.randomUUID()}@example.com`;
});

async function signIn(server: ReturnType<typeof supabase>, fetch = server.fetch) {
  const clients = createLazyClients<Database>({
    url: server.url,
    apiKey: server.anonKey,
    platform: createPlatform({ fetch, report: () => undefined }),
    store: createMemoryStore(),
    importRest: () => import('../../../src/rest-client/index.ts'),
    importRealtime: () => import('../../../src/realtime-client/index.ts'),
  });
  onTestFinished(() => clients.close());
  await clients.auth.start();
  await clients.auth.signInWithPassword({ email, password: seedPassword });
  return clients;
}

/** A person with an authenticator app, signed in with it. */
async function createPerson(server: ReturnType<typeof supabase>, fetch = server.fetch) {
  await createUser(server, email);
  const clients = await signIn(server, fetch);
  await createAuthenticator(createMfa(clients.auth), server.clock.now);
  return clients;
}

const levelOf = async ({ auth }: Awaited<ReturnType<typeof signIn>>) => {
  const session = await auth.getSession();
  return session && readAssuranceLevel(session);
};

test.each([
  ['switched off', undefined],
  ['not there, as in an older auth service', () => new Response(null, { status: 405 })],
])('recovery codes are those of the database where the service’s are %s', async (_title, reply) => {
  const { fetch, ...backend } = createBreakableFetch(supabase);
  if (reply) backend.break(to('/factors/recovery-codes'), reply);
  const codes = createRecoveryCodes(await createPerson(supabase(), fetch), []);
  expect(await codes.getStatus(AbortSignal.timeout(60_000))).toBeNull();
  const created = await codes.create();
  expect(created).toHaveLength(10);
  expect(await codes.getStatus(AbortSignal.timeout(60_000))).toMatchObject({
    unused: 10,
    createdAtMs: expect.any(Number),
  });

  const low = await signIn(supabase(), fetch);
  const session = await low.auth.getSession();
  const recovery = createRecoveryCodes(low, session?.user.factors);
  expect(await recovery.use('0000-0000-0000')).toEqual({ outcome: 'invalid' });
  expect(await levelOf(low)).toBe('aal1');
  expect(await recovery.use(created[0]?.toLowerCase() ?? '')).toEqual({ outcome: 'accepted', unused: 9 });
  expect(await levelOf(low)).toBe('aal2');
});

test('recovery codes are the service’s where it offers them, one at a time, and two-step sign-in stays on', async () => {
  const person = await createPerson(withService());
  const created = await createRecoveryCodes(person, []).create();
  expect(created[0]).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);

  const low = await signIn(withService());
  const factors = (await low.auth.getSession())?.user.factors;
  const recovery = createRecoveryCodes(low, factors);
  expect(await recovery.use('wrong wrong wrong')).toEqual({ outcome: 'invalid' });
  expect(await recovery.use(created[0] ?? '')).toEqual({ outcome: 'accepted', unused: 9 });
  expect(await levelOf(low)).toBe('aal2');
  expect(await recovery.getStatus(AbortSignal.timeout(60_000))).toEqual({ unused: 9, createdAtMs: null });
  expect((await low.auth.getUser()).factors).toHaveLength(2);

  const again = await signIn(withService());
  expect(await levelOf(again)).toBe('aal1');
  expect(await createRecoveryCodes(again, factors).use(created[0] ?? '')).toEqual({ outcome: 'invalid' });
  const replaced = await recovery.create();
  expect(new Set([...created, ...replaced]).size).toBe(20);
});

test('recovery codes are limited after too many wrong ones', async () => {
  const person = await createPerson(withService());
  await createRecoveryCodes(person, []).create();
  const low = await signIn(withService());
  const recovery = createRecoveryCodes(low, (await low.auth.getSession())?.user.factors);
  for (let attempt = 0; attempt < 5; attempt += 1) await recovery.use('wrong wrong wrong');
  expect(await recovery.use('wrong wrong wrong')).toMatchObject({ outcome: 'limited' });
});

test('a transient failure of the service creates no codes in the database', async () => {
  const { fetch, ...backend } = createBreakableFetch(withService);
  const person = await createPerson(withService(), fetch);
  backend.break(to('/factors/recovery-codes'), () => new Response('{}', { status: 503 }));
  await expect(createRecoveryCodes(person, []).create()).rejects.toMatchObject({ status: 503 });
  const unknown = createRecoveryCodes(person, []).getStatus(AbortSignal.timeout(60_000));
  await expect(unknown, 'not told as none').rejects.toMatchObject({ status: 503 });
  backend.mend();
  expect(await createRecoveryCodes(person, []).getStatus(AbortSignal.timeout(60_000))).toBeNull();
});
