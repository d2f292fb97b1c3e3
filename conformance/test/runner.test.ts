import { describe, expect, it } from 'vitest';
import type { Audit } from '../src/audit/audit.ts';
import { chooseAudits } from '../src/audits/audits.ts';
import { isUnexpected, runAudits } from '../src/runner/runner.ts';
import { NotRunError } from '../src/target/target.ts';
import { assertStatus } from '../src/target/wire.ts';
import { audit, runSample as run, target } from './sample-audits.ts';

describe('a run of audits', () => {
  it('an unknown failure of a MUST and a known failure that passed fail the run', async () => {
    expect((await run()).filter(isUnexpected).map((result) => result.audit.id)).toEqual(['A-2', 'A-4']);
  });

  it('an audit that the target does not support is reported as not run', async () => {
    const notRun = (await run()).filter(({ outcome }) => outcome.status === 'not-run');
    expect(notRun.map((result) => result.audit.id)).toEqual(['A-5', 'A-7']);
  });

  it('an audit of a service that the target lacks is not begun', async () => {
    const begun: string[] = [];
    const of = (area: Audit['area']): Audit => ({
      ...audit('A-1', () => Promise.resolve(void begun.push(area))),
      area,
    });
    const results = await runAudits([of('auth'), of('realtime'), of('storage-client')], target);
    expect(results.map(({ outcome }) => outcome)).toEqual([
      { status: 'passed' },
      { status: 'not-run', reason: 'the target has no realtime service' },
      { status: 'not-run', reason: 'the target has no storage service' },
    ]);
    expect(begun).toEqual(['auth']);
  });

  it('an audit does not wait for a code if the settings confirm without one: it is reported as not run', async () => {
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

  it('a refusal by a setting is reported as not run, in the format without the version header too', async () => {
    const refusals = [
      { code: 'email_provider_disabled', message: 'Email logins are disabled' },
      { code: 422, error_code: 'email_provider_disabled', msg: 'Email logins are disabled' },
    ];
    const signIn = audit('A-1', async ({ auth }) => assertStatus(await auth.send('POST', '/token'), 400));
    for (const refusal of refusals) {
      const fetch = (url: string) =>
        Promise.resolve(
          url.endsWith('/settings')
            ? Response.json({ external: { email: false } })
            : Response.json(refusal, { status: 422 }),
        );
      const [result] = await runAudits([signIn], { ...target, fetch });
      expect(result?.outcome).toEqual({
        status: 'not-run',
        reason: "the target's settings forbid it: external.email (email_provider_disabled)",
      });
    }
  });

  it('each result is reported when its audit ends', async () => {
    const reported: string[] = [];
    const quick = audit('A-2', () => Promise.resolve());
    const slow = audit('A-1', () => new Promise((resolve) => setTimeout(resolve, 20)));
    await runAudits([slow, quick], target, { onResult: ({ audit: { id } }) => reported.push(id) });
    expect(reported).toEqual(['A-2', 'A-1']);
  });

  it('requests without a token are not audited if the gateway replaces the key with a token', async () => {
    const refusal = { error_code: 'bad_jwt', msg: 'invalid claim: missing sub claim' };
    const audits = chooseAudits({ only: 'AUTH-502,AUTH-924,AUTH-925,AUTH-926,AUTH-1003' });
    const results = await runAudits(audits, {
      ...target,
      fetch: () => Promise.resolve(Response.json(refusal, { status: 403 })),
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(
      audits.map(() => ({ status: 'not-run', reason: 'the gateway passes the API key as the token' })),
    );
  });

  it('the audits of a run share its id, which no other run has', async () => {
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
    expect(result?.outcome).toMatchObject({
      status: 'failed',
      expectation: 'statement <A-1>',
      came: expect.stringMatching(/^the audit did not end within \d+ ms$/),
    });
  });

  it('a request on a closed connection is retried, and a Retry-After is honored', async () => {
    const reset = () =>
      Promise.reject(
        new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }),
      );
    const limited = () =>
      Promise.resolve(Response.json({}, { status: 429, headers: { 'Retry-After': '0' } }));
    const responses = [reset, limited, () => Promise.resolve(Response.json({}))];
    const asking = audit('A-1', async ({ auth }) => {
      const { status } = await auth.send('GET', '/user');
      if (status !== 200) throw new Error(`got ${status}`);
    });
    const fetch = (url: string) =>
      url.endsWith('/user') ? (responses.shift() ?? reset)() : Promise.resolve(Response.json({}));
    const outcomes = async () =>
      (await runAudits([asking], { ...target, fetch })).map(({ outcome }) => outcome.status);
    expect(await outcomes()).toEqual(['passed']);
    expect(await outcomes()).toEqual(['failed']);
  });

  const limitedTwice = (came: number) => {
    const statuses = [429, 429, came];
    const respond = (status: number) =>
      Response.json(
        {},
        { status, headers: status === 429 ? { 'x-sb-error-code': 'over_request_rate_limit' } : {} },
      );
    return {
      ...target,
      fetch: (url: string) =>
        Promise.resolve(url.endsWith('/user') ? respond(statuses.shift() ?? 500) : Response.json({})),
    };
  };
  const userIsThere = audit('A-1', async ({ auth }) => {
    const { status } = await auth.send('GET', '/user');
    if (status !== 200) throw new Error(`got ${status}`);
  });

  it('a request is retried after a rate limit of the auth service that names no time', async () => {
    const [result] = await runAudits([userIsThere], limitedTwice(200), { limitPauseMs: 0 });
    expect(result?.outcome).toEqual({ status: 'passed' });
  });

  it('a request is retried after the seconds that the auth service names in a message', async () => {
    const headers = { 'x-sb-error-code': 'over_email_send_rate_limit' };
    const msg = 'For security purposes, you can only request this after 0 seconds.';
    const responses = [Response.json({ msg }, { status: 429, headers }), Response.json({})];
    const fetch = (url: string) =>
      Promise.resolve(url.endsWith('/user') ? (responses.shift() ?? Response.error()) : Response.json({}));
    const [result] = await runAudits([userIsThere], { ...target, fetch }, { limitPauseMs: 0 });
    expect(result?.outcome).toEqual({ status: 'passed' });
  });

  it('a request that timed out in a busy auth service is retried, and fails if it never succeeds', async () => {
    const responses = [504, 504, 504, 200];
    const busy = {
      ...target,
      fetch: (url: string) => {
        if (!url.endsWith('/user')) return Promise.resolve(Response.json({}));
        const headers = { 'x-sb-error-code': 'request_timeout' };
        return Promise.resolve(Response.json({}, { status: responses.shift() ?? 504, headers }));
      },
    };
    const [served] = await runAudits([userIsThere], busy, { limitPauseMs: 0 });
    const [stuck] = await runAudits([userIsThere], busy, { limitPauseMs: 0 });
    expect([served?.outcome.status, stuck?.outcome.status]).toEqual(['passed', 'failed']);
  });

  it('an audit that fails after a wait for a rate limit is reported as not run, because it may be too late', async () => {
    const [result] = await runAudits([userIsThere], limitedTwice(401), { limitPauseMs: 0 });
    expect(result?.outcome).toMatchObject({
      status: 'not-run',
      reason: expect.stringContaining('over_request_rate_limit'),
    });
  });

  it('an audit with a reason for not running keeps it after a wait for a rate limit', async () => {
    const withoutPublicKey = audit('A-1', async ({ auth }) => {
      await auth.send('GET', '/user');
      throw new NotRunError('needs tokens with a public key');
    });
    const [result] = await runAudits([withoutPublicKey], limitedTwice(200), { limitPauseMs: 0 });
    expect(result?.outcome).toEqual({ status: 'not-run', reason: 'needs tokens with a public key' });
  });
});
