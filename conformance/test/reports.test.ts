import { describe, expect, it } from 'vitest';
import { assert, UnmetExpectationError } from '../src/target/assertion.ts';
import type { AuditContext } from '../src/audit/audit-context.ts';
import { compareReports, formatComparison, parseReport } from '../src/reports/comparison.ts';
import { formatHtml } from '../src/reports/html-report.ts';
import { formatJson, formatJUnit, formatText } from '../src/reports/reports.ts';
import { runAudits } from '../src/runner/runner.ts';
import { assertStatus, at } from '../src/target/wire.ts';
import { audit, reportOf, runSample, target } from './sample-audits.ts';

const report = async () => reportOf(await runSample());

describe('a report', () => {
  it('the text lists the failures with the expectation, the actual value, what breaks and a link, then counts', async () => {
    expect(formatText(await report())).toMatchInlineSnapshot(`
      "✗ A-2 MUST statement <A-2>
          Expected: the name is "x" & y
          Came:     <nothing>
          Breaks:   Users do not learn why a password was refused, or weak passwords are accepted.
          Source:   https://github.com/supabase/auth/blob/bc32168/internal/api/password.go

      ~ A-3 MUST statement <A-3>
          Known:    a reason
          Expected: statement <A-3>
          Came:     Error: cannot yet
          Breaks:   Users do not learn why a password was refused, or weak passwords are accepted.
          Source:   https://github.com/supabase/auth/blob/bc32168/internal/api/password.go

      ✗ A-6 SHOULD statement <A-6>
          Expected: statement <A-6>
          Came:     Error: would be nice
          Breaks:   Users do not learn why a password was refused, or weak passwords are accepted.
          Source:   https://github.com/supabase/auth/blob/bc32168/internal/api/password.go

      ! A-4 passes, but is listed as failing: a reason that is gone
      - 1 not run: no mailbox
      - 1 not run: the target lacks: service-key

      area and level             audits   passed   failed    known  not run
      auth MUST                       6        2        1        1        2
      auth SHOULD                     1        0        1        0        0"
    `);
  });

  it('the JUnit report escapes its text and has the evidence', async () => {
    const xml = formatJUnit(await report());
    expect(xml).toContain('tests="7" failures="3" skipped="2"');
    expect(xml).toContain('message="expected: the name is &quot;x&quot; &amp; y; came: &lt;nothing&gt;"');
    expect(xml).toContain('name="A-1 statement &lt;A-1&gt;"');
    expect(xml).toContain('    Breaks:   ');
  });

  it('the JSON report has the version of the suite, the counts and the evidence', async () => {
    expect(JSON.parse(formatJson(await report()))).toMatchObject({
      suite: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      counts: { passed: 2, failed: 2, known: 1, notRun: 2 },
      audits: [
        { id: 'A-1', since: '0.1.0', evidence: null },
        { id: 'A-2', evidence: { expectation: 'the name is "x" & y', came: '<nothing>', request: null } },
        { id: 'A-3', status: 'known', reason: 'a reason' },
        {},
        { status: 'not-run', reason: 'no mailbox' },
        {},
        {},
      ],
    });
  });

  it('the page contains every audit, loads nothing and escapes its text', async () => {
    const page = formatHtml(await report());
    expect(page.match(/<details /g)).toHaveLength(7);
    expect(page).toContain('the name is &quot;x&quot; &amp; y');
    expect(page).not.toMatch(/<(?:link|img|script) [^>]*(?:src|href)=/);
    expect(page).toContain('<code>A-2</code>');
  });
});

describe('the evidence of a failure', () => {
  const failing = audit('A-1', async ({ auth }) => {
    await auth.send('POST', '/token', {
      token: 'eyJhbGciOi.eyJzdWIiOi.c2ln',
      query: { grant_type: 'password' },
      body: { email: "o'neil@example.com", password: 'hunter2', code: '123456' },
    });
    throw new UnmetExpectationError('the response is a session', 'eyJhbGciOi.eyJzdWIiOi.c2ln');
  });
  const evidenceFrom = async (respond: () => Promise<Response>) => {
    const keyed = { ...target, anonKey: 'the-anon-key', fetch: respond };
    const [audited] = reportOf(await runAudits([failing], keyed)).audits;
    return audited?.evidence;
  };

  it('the request is a command for a shell, without keys, tokens, passwords and codes', async () => {
    const evidence = await evidenceFrom(() =>
      Promise.resolve(Response.json({ refresh_token: 'abc', code: 'bad_json' }, { status: 400 })),
    );
    expect(evidence?.request).toMatchInlineSnapshot(`
      "curl -i -X POST 'http://127.0.0.1:1/token?grant_type=password' \\
        -H "apikey: $ANON_KEY" \\
        -H "authorization: Bearer $TOKEN" \\
        -H 'content-type: application/json;charset=UTF-8' \\
        -H 'x-supabase-api-version: 2024-01-01' \\
        --data-raw '{"email":"o'\\''neil@example.com","password":"<secret>","code":"<secret>"}'"
    `);
    expect(evidence?.response).toBe('400 {"refresh_token":"<secret>","code":"bad_json"}');
    expect(evidence?.came).toBe('<jwt>');
  });

  const token = `eyJhbGciOiJIUzI1NiJ9.${'eyJzdWIiOiJ4In0'.repeat(100)}.c2lnbmF0dXJl`;
  const secretsOf = { access_token: token, refresh_token: 'k3yw0rd4refresh', email_otp: '481516' };
  const shows = (text: string) => /eyJ|k3yw0rd|481516/.test(text);
  const auditedBy = async (run: Parameters<typeof audit>[1], body: string) => {
    const fetch = () => Promise.resolve(new Response(body, { status: 200 }));
    const report = reportOf(await runAudits([audit('A-1', run)], { ...target, fetch }));
    return [formatText(report), formatJson(report), formatHtml(report), formatJUnit(report)];
  };
  const ask = ({ auth }: AuditContext) => auth.send('POST', '/token');

  it.each([0, 1, 250, 290, 295, 299])(
    'a long response shows no part of a token after %i characters',
    async (length) => {
      const body = JSON.stringify({ filler: 'x'.repeat(length), ...secretsOf });
      const refuse = async (context: AuditContext) => assertStatus(await ask(context), 403);
      const reports = await auditedBy(refuse, body);
      expect(reports.filter(shows)).toEqual([]);
      expect(reports[0]).toContain('<secret>');
    },
  );

  it('a body that the server truncated within a token shows no part of it', async () => {
    const body = JSON.stringify(secretsOf);
    const refuse = async (context: AuditContext) => assertStatus(await ask(context), 403);
    for (const cut of [20, 30, 60, body.indexOf('k3yw0rd') + 5])
      expect((await auditedBy(refuse, body.slice(0, cut))).filter(shows)).toEqual([]);
  });

  it('values that were secrets by their names are not shown', async () => {
    const compare = async (context: AuditContext) => {
      const { json } = await ask(context);
      assert.equal(at(json, 'refresh_token'), at(json, 'email_otp'), 'the refresh token');
    };
    expect((await auditedBy(compare, JSON.stringify(secretsOf))).filter(shows)).toEqual([]);
  });

  it('a failed connection is named with its cause', async () => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:1');
    const evidence = await evidenceFrom(() => Promise.reject(new TypeError('fetch failed', { cause })));
    expect(evidence).toMatchObject({
      expectation: 'statement <A-1>',
      came: 'Error: connect ECONNREFUSED 127.0.0.1:1',
      response: 'no response: Error: connect ECONNREFUSED 127.0.0.1:1',
    });
  });
});

describe('a comparison', () => {
  const passing = audit('A-1', () => Promise.resolve());
  const failing = audit('A-1', () => Promise.reject(new UnmetExpectationError('it is 1', '2')));
  const reportFor = async (...audits: Parameters<typeof runAudits>[0]) =>
    reportOf(await runAudits(audits, target));

  it('a MUST that passed and fails now is worse, and its repair is not', async () => {
    const [sound, broken] = [await reportFor(passing), await reportFor(failing)];
    expect(compareReports(sound, broken)).toMatchObject({ isWorse: true, broken: [{ id: 'A-1' }] });
    expect(compareReports(broken, sound)).toMatchObject({ isWorse: false, repaired: [{ id: 'A-1' }] });
    expect(formatComparison(compareReports(sound, broken))).toBe(
      'Broken: 1\n  A-1 MUST statement <A-1>\n      came: 2',
    );
    expect(formatComparison(compareReports(sound, sound))).toBe('Nothing changed.');
  });

  it('a SHOULD that fails now is listed but is not worse', async () => {
    const broken = await reportFor({ ...failing, level: 'SHOULD' });
    const comparison = compareReports(await reportFor({ ...passing, level: 'SHOULD' }), broken);
    expect(comparison).toMatchObject({ isWorse: false, broken: [{ id: 'A-1' }] });
  });

  it('added and removed audits are listed', async () => {
    const comparison = compareReports(await reportFor(passing), await reportFor({ ...passing, id: 'A-2' }));
    expect(comparison).toMatchObject({ added: [{ id: 'A-2' }], removed: [{ id: 'A-1' }], isWorse: false });
  });

  it('a file that is not a report is refused with its name', () => {
    expect(() => parseReport('{}', 'a.json')).toThrow('a.json is not a JSON report');
  });
});
