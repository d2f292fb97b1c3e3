import { NotRunError } from '../src/target.ts';
import { describe, expect, it } from 'vitest';
import type { Audit, AuditLevel } from '../src/audit.ts';
import { formatJson, formatJUnit, formatTable } from '../src/reports.ts';
import { isUnexpected, runAudits, type AuditResult } from '../src/runner.ts';

const target = {
  authUrl: 'http://127.0.0.1:1',
  restUrl: null,
  storageUrl: null,
  realtimeUrl: null,
  anonKey: '',
  serviceKey: null,
  mailboxUrl: null,
  smsInMailbox: false,
  redirectTo: 'http://localhost/home',
  fetch: () => Promise.reject(new Error('no network')),
};

const audit = (id: string, run: Audit['run'], level: AuditLevel = 'MUST'): Audit => ({
  id,
  area: 'auth',
  level,
  title: `statement <${id}>`,
  source: 'protocol/auth.md#weak-passwords',
  needs: [],
  run,
});

const sample = [
  audit('A-1', () => Promise.resolve()),
  audit('A-2', () => Promise.reject(new Error('found "x" & y'))),
  audit('A-3', () => Promise.reject(new Error('cannot yet'))),
  audit('A-4', () => Promise.resolve()),
  audit('A-5', () => Promise.reject(new NotRunError('no mailbox'))),
  audit('A-6', () => Promise.reject(new Error('would be nice')), 'SHOULD'),
  { ...audit('A-7', () => Promise.resolve()), needs: ['service-key'] as const },
];

const run = (): Promise<readonly AuditResult[]> =>
  runAudits(sample, target, {
    knownFailing: new Map([
      ['A-3', 'a reason'],
      ['A-4', 'a reason that is gone'],
    ]),
  });

describe('a run of audits', () => {
  it('an unknown failure of a MUST and a known failure that passes fail the run', async () => {
    expect((await run()).filter(isUnexpected).map((result) => result.audit.id)).toEqual(['A-2', 'A-4']);
  });

  it('an audit that the target does not support is reported as not run', async () => {
    const notRun = (await run()).filter(({ outcome }) => outcome.status === 'not-run');
    expect(notRun.map((result) => result.audit.id)).toEqual(['A-5', 'A-7']);
  });

  it('an audit waits for no code where the settings confirm without one: it is reported as not run', async () => {
    const confirmation: readonly Audit[] = [
      { ...audit('A-1', () => Promise.resolve()), needs: ['email-confirmation'] },
      { ...audit('A-2', () => Promise.reject(new Error('no code arrived'))), needs: ['phone-confirmation'] },
    ];
    const settings = { mailer_autoconfirm: false, phone_autoconfirm: true };
    const results = await runAudits(confirmation, {
      ...target,
      fetch: () => Promise.resolve(Response.json(settings)),
    });
    expect(results.map(({ outcome }) => outcome)).toEqual([
      { status: 'passed' },
      { status: 'not-run', reason: 'the target lacks: phone-confirmation' },
    ]);
  });

  it('the audits of a run share one run, which no other run has', async () => {
    const runs: object[] = [];
    const remember = audit('A-1', async (context) => void runs.push(context.run));
    await runAudits([remember, remember], target);
    await runAudits([remember], target);
    expect(runs[0]).toBe(runs[1]);
    expect(runs[2]).not.toBe(runs[0]);
  });

  it('an interrupted run finishes the started audits and reports the others as not run', async () => {
    const interruption = new AbortController();
    const first = audit('A-1', () => Promise.resolve(interruption.abort()));
    const second = audit('A-2', () => Promise.resolve());
    const results = await runAudits([first, second], target, {
      concurrency: 1,
      signal: interruption.signal,
    });
    expect(results.map(({ outcome }) => outcome)).toEqual([
      { status: 'passed' },
      { status: 'not-run', reason: 'the run was interrupted' },
    ]);
  });

  it('an audit that does not finish in time fails', async () => {
    const [result] = await runAudits([audit('A-1', () => new Promise(() => undefined))], target, {
      timeoutMs: 5,
    });
    expect(result?.outcome).toEqual({ status: 'failed', reason: 'not finished within 5 ms' });
  });

  it('the table lists the audits that did not pass, with their sources, and the counts', async () => {
    expect(formatTable(await run())).toMatchInlineSnapshot(`
      "✗ A-2 MUST statement <A-2>
          found "x" & y
          conformance/protocol/auth.md#weak-passwords https://github.com/supabase/auth/blob/bc32168/internal/api/password.go
      ~ A-3 MUST statement <A-3>
          known: a reason; cannot yet
          conformance/protocol/auth.md#weak-passwords https://github.com/supabase/auth/blob/bc32168/internal/api/password.go
      ! A-4 passes, but is listed as failing: a reason that is gone
      - A-5 MUST statement <A-5>
          no mailbox
      ✗ A-6 SHOULD statement <A-6>
          would be nice
          conformance/protocol/auth.md#weak-passwords https://github.com/supabase/auth/blob/bc32168/internal/api/password.go
      - A-7 MUST statement <A-7>
          the target lacks: service-key

      area and level       audits   passed   failed    known  not run
      auth MUST                 6        2        1        1        2
      auth SHOULD               1        0        1        0        0"
    `);
  });

  it('the JUnit report escapes its text', async () => {
    const xml = formatJUnit(await run());
    expect(xml).toContain('tests="7" failures="2" skipped="2"');
    expect(xml).toContain('message="found &quot;x&quot; &amp; y"');
    expect(xml).toContain('name="A-1 statement &lt;A-1&gt;"');
  });

  it('the JSON report has the counts', async () => {
    expect(JSON.parse(formatJson(await run()))).toMatchObject({
      counts: { passed: 2, failed: 2, known: 1, notRun: 2 },
    });
  });
});
