import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthSettings } from 'local-supabase';
import { createLocalSupabase } from 'local-supabase';
import { chooseAudits } from '../src/audits/audits.ts';
import { messageLimitAudits } from '../src/audits/auth/message-limits.audits.ts';
import { rateLimitAudits } from '../src/audits/auth/rate-limits.audits.ts';
import { createLocalTarget } from '../bin/local-target.ts';
import { runAudits } from '../src/runner/runner.ts';
import { createHookServer, type HookServer } from '../src/target/hook-server.ts';
import {
  closedServer,
  serverForKnownUsers,
  serverThatConfirms,
  serverWithCaptcha,
  serverWithChanges,
  serverWithFewMessages,
  serverWithHooks,
  serverWithLimits,
  serverWithShortSessions,
  startAuthServer,
  type AuthServer,
} from './auth-servers.ts';
import { messageLimitAudit } from './local-audits.ts';

const strict: Partial<AuthSettings> = {
  emailMaxFrequencySeconds: 60,
  smsMaxFrequencySeconds: 60,
  passwordUpdateRequiresReauthentication: true,
  passwordUpdateRequiresCurrentPassword: true,
  passwordMinLength: 12,
  passwordRequiredCharacters: [
    'abcdefghijklmnopqrstuvwxyz',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    '0123456789',
    '!@#$%^&*_-',
  ],
  anonymousEnabled: false,
  manualLinkingEnabled: false,
  phoneEnabled: false,
  otpLength: 8,
  sessionSinglePerUser: true,
  web3EthereumEnabled: false,
  web3SolanaEnabled: false,
  passkeysEnabled: false,
};

/** Correct servers, with the minimum number of auth audits that must still pass, and their names if not all run. */
const servers: readonly (readonly [AuthServer, number, string?])[] = [
  [{ name: 'a server with the default settings', auth: {} }, 400],
  [{ name: 'a strict server', auth: strict }, 190],
  [serverWithCaptcha, 30],
  [closedServer, 60],
  [serverWithShortSessions, 200],
  [serverThatConfirms, 190],
  [serverForKnownUsers, 180],
  [serverWithHooks, 250],
  [serverWithChanges, 200],
  [serverWithLimits, 60],
  // Other audits spend the requests of the address, so that these would not run.
  [
    { ...serverWithLimits, name: 'a server with rate limits, alone' },
    7,
    rateLimitAudits.map(({ id }) => id).join(),
  ],
  [serverWithFewMessages, 2, messageLimitAudits.map(({ id }) => id).join()],
];

describe('the audits of the auth service', () => {
  let hooks: HookServer;
  const passedOnOne = new Set<string>();
  beforeAll(async () => {
    hooks = await createHookServer(0);
  });
  afterAll(() => hooks.close());

  it.each(servers.map(([server, least, only = 'auth']) => [server.name, server, least, only] as const))(
    'no audit of the auth service fails on a correct server: %s',
    { timeout: 1_800_000 },
    async (_name, server, least, only) => {
      const { supabase, target } = await startAuthServer(createLocalSupabase, server, hooks);
      try {
        const results = await runAudits(chooseAudits({ only }), target, { limitPauseMs: 0 });
        const failed = results.filter(({ outcome }) => outcome.status === 'failed');
        expect(failed.map(({ audit, outcome }) => [audit.id, outcome])).toEqual([]);
        const passed = results
          .filter(({ outcome }) => outcome.status === 'passed')
          .map(({ audit }) => audit.id);
        expect(passed.length).toBeGreaterThanOrEqual(least);
        for (const id of passed) passedOnOne.add(id);
      } finally {
        await supabase.close();
      }
    },
  );

  it('each audit of the auth service passes on one of them', () => {
    const ids = chooseAudits({ only: 'auth' }).map(({ id }) => id);
    expect(ids.filter((id) => !passedOnOne.has(id))).toEqual([]);
  });
});

it('the audit of the limit of messages passes on a server with ten messages in a second', async () => {
  const supabase = await createLocalSupabase({
    config: false,
    port: 0,
    mailboxPort: 0,
    auth: { bcryptCost: 4 },
    realtime: { maxEventsPerSecond: 10 },
  });
  try {
    const results = await runAudits(chooseAudits({ only: messageLimitAudit }), createLocalTarget(supabase));
    expect(results.map(({ outcome }) => outcome)).toEqual([{ status: 'passed' }]);
  } finally {
    await supabase.close();
  }
});

it('a server that does not describe its schema is not audited for the description', async () => {
  const supabase = await createLocalSupabase({
    config: false,
    port: 0,
    mailboxPort: 0,
    auth: { bcryptCost: 4 },
    rest: { openApiMode: 'disabled' },
  });
  try {
    const ofRoot = chooseAudits({ only: 'REST-434,REST-449,REST-532,REST-544' });
    const results = await runAudits(ofRoot, createLocalTarget(supabase));
    const notRun = { status: 'not-run', reason: 'the description of the schema is switched off' };
    expect(results.map(({ outcome }) => outcome)).toEqual(ofRoot.map(() => notRun));
  } finally {
    await supabase.close();
  }
});

it('no audit fails on a server without the inbox schema', { timeout: 1_800_000 }, async () => {
  const project = await mkdtemp(join(tmpdir(), 'conformance-empty-'));
  const supabase = await createLocalSupabase({
    config: false,
    project,
    port: 0,
    mailboxPort: 0,
    auth: { bcryptCost: 4 },
  });
  try {
    const results = await runAudits(chooseAudits({ set: 'server' }), createLocalTarget(supabase), {
      concurrency: 8,
    });
    const having = (status: string) => results.filter(({ outcome }) => outcome.status === status);
    expect(having('failed').map(({ audit, outcome }) => [audit.id, outcome])).toEqual([]);
    expect(having('passed').length).toBeGreaterThanOrEqual(225);
    const reasons = having('not-run').map(({ outcome }) => 'reason' in outcome && outcome.reason);
    expect(reasons).toContain('needs the schema of protocol/product.md, which --apply-schema makes');
  } finally {
    await supabase.close();
    await rm(project, { recursive: true });
  }
});
