import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuthSettings } from 'local-supabase';
import { createLocalSupabase } from 'local-supabase';
import { chooseAudits } from '../src/audits/audits.ts';
import { auditsWithoutPasskeys } from './local-audits.ts';
import { createLocalTarget } from '../bin/local-target.ts';
import { runAudits } from '../src/runner/runner.ts';

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

/** The settings of correct servers, and the minimum number of auth audits that must still pass. */
const servers: readonly (readonly [string, Partial<AuthSettings>, number])[] = [
  ['a strict server', strict, 190],
  ['a server with a captcha', { captchaToken: 'solved' }, 30],
  ['a server that confirms at once', { mailerAutoconfirm: true, phoneAutoconfirm: true }, 190],
  ['a server where one address confirms a change', { secureEmailChange: false, refreshTokenVersion: 2 }, 200],
  ['a server that is closed to new users', { disableSignup: true }, 180],
  ['a server with rate limits', { rateLimits: {} }, 60],
];

describe('the audits of the auth service', () => {
  it.each(servers)(
    'no audit of the auth service fails on a correct server: %s',
    { timeout: 300_000 },
    async (_name, auth, least) => {
      const supabase = await createLocalSupabase({
        config: false,
        port: 0,
        mailboxPort: 0,
        auth: { bcryptCost: 4, ...auth },
      });
      try {
        const results = await runAudits(chooseAudits({ only: 'auth' }), createLocalTarget(supabase), {
          limitPauseMs: 0,
        });
        const failed = results.filter(({ outcome }) => outcome.status === 'failed');
        expect(failed.map(({ audit, outcome }) => [audit.id, outcome])).toEqual([]);
        const passed = results
          .filter(({ outcome }) => outcome.status === 'passed')
          .map(({ audit }) => audit.id);
        expect(passed.length).toBeGreaterThanOrEqual(least);
        expect(auditsWithoutPasskeys.filter((id) => passed.includes(id))).toEqual(
          auth.passkeysEnabled === false ? auditsWithoutPasskeys : [],
        );
      } finally {
        await supabase.close();
      }
    },
  );
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

it('no audit fails on a server without the inbox schema', { timeout: 300_000 }, async () => {
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
