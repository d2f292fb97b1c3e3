import { describe, expect, it } from 'vitest';
import { createSso } from '../../src/auth-client/features/sso.ts';
import type { AuthClient } from '../../src/auth-client/index.ts';
import { page, refusal, sessionReply, userOf } from '../support/wire/replies.ts';
import { STORAGE_KEY, createHarness } from './support/harness.ts';

const HOUR = 3600_000;
const CODE = '3f1c9a52-8a0e-4c8e-9d1b-0a4a3c1f2b7d';
const email = 'ada@example.com';

/** A client with a store that lists its verifiers. */
async function openRecorded() {
  const values = new Map<string, string>();
  const harness = createHarness({
    get: (key) => values.get(key) ?? null,
    set: (key, value) => void values.set(key, value),
    remove: (key) => void values.delete(key),
  });
  const opened = harness.open();
  await opened.client.start();
  const verifiers = () => [...values.keys()].filter((key) => key.endsWith('-code-verifier'));
  const pendingFlows = () => verifiers().filter((key) => key.includes('-flow-')).length;
  return { ...harness, ...opened, values, verifiers, pendingFlows };
}

const mailRequests: readonly (readonly [string, (client: AuthClient) => Promise<unknown>])[] = [
  ['signUp', (client) => client.signUp({ email, password: 'x' })],
  ['signInWithOtp', (client) => client.signInWithOtp({ email })],
  ['resend', (client) => client.resend({ email, type: 'signup' })],
  ['resetPasswordForEmail', (client) => client.resetPasswordForEmail({ email })],
  ['signInWithSso', (client) => createSso(client).signInWithSso({ domain: 'example.com' })],
];

describe('a pending flow', () => {
  it('ends with a sign-up that needs no confirmation', async () => {
    const { client, server, verifiers } = await openRecorded();
    server.next(Response.json(sessionReply('ada', 1)));
    await client.signUp({ email, password: 'x' });
    expect(verifiers()).toEqual([]);
  });

  it('stays for the link of a sign-up that needs one, and ends with the code of its email', async () => {
    const { client, server, verifiers, pendingFlows } = await openRecorded();
    server.next(Response.json(userOf('ada')));
    await client.signUp({ email, password: 'x' });
    expect(pendingFlows()).toBe(1);
    server.next(Response.json(sessionReply('ada', 1)));
    await client.verifyOtp({ type: 'email', email, token: '123456' });
    expect(verifiers()).toEqual([]);
  });

  it('of a provider stays when the code of an email is used', async () => {
    const { client, server, verifiers, pendingFlows } = await openRecorded();
    server.next(Response.json({}));
    await client.signInWithOtp({ email });
    const { flowId } = await client.signInWithOAuth({ provider: 'github' });
    server.next(Response.json(sessionReply('ada', 1)));
    await client.verifyOtp({ type: 'email', email, token: '123456' });
    expect(pendingFlows()).toBe(1);
    expect(verifiers()).toContain(`${STORAGE_KEY}-flow-${flowId}-code-verifier`);
  });

  it.each(mailRequests)('of %s ends where the server refuses the request', async (_name, request) => {
    const { client, server, verifiers } = await openRecorded();
    server.next(refusal(422, 'otp_disabled'));
    await expect(request(client)).rejects.toMatchObject({ code: 'otp_disabled' });
    expect(verifiers()).toEqual([]);
  });

  it.each(mailRequests)(
    'of %s stays after a failure that may have sent its message',
    async (_name, request) => {
      const { client, server, pendingFlows } = await openRecorded();
      server.next(page(504));
      await expect(request(client)).rejects.toMatchObject({ status: 504 });
      server.next(new TypeError('Failed to fetch'));
      await expect(request(client)).rejects.toMatchObject({ code: 'network' });
      expect(pendingFlows()).toBe(2);
    },
  );

  it.each([
    [23 * HOUR, 'signed-in'],
    [25 * HOUR, 'signed-out'],
  ])('is finished by a code after %i ms as %s: no link lives longer than a day', async (ageMs, status) => {
    const { client, server, world, open, verifiers } = await openRecorded();
    server.next(Response.json({}));
    await client.signInWithOtp({ email });
    client.close();
    world.clock.sleep(ageMs);
    server.on('POST /token', () => Response.json(sessionReply('ada', 1)));
    const later = open({ href: `http://app.test/any?code=${CODE}` });
    expect(await later.client.start()).toMatchObject({ status });
    expect(verifiers()).toEqual([]);
    expect(later.href()).toBe(
      status === 'signed-in' ? 'http://app.test/any' : `http://app.test/any?code=${CODE}`,
    );
  });

  it('of another program, whose age is unknown, stays', async () => {
    const { values, world, server, open } = await openRecorded();
    const id = '0123456789abcdef0123456789abcdef';
    values.set(`${STORAGE_KEY}-flow-${id}-code-verifier`, '"v"');
    values.set(`${STORAGE_KEY}-flows-code-verifier`, JSON.stringify([id]));
    values.set(`${STORAGE_KEY}-code-verifier`, '"v"');
    world.clock.sleep(1000 * HOUR);
    server.on('POST /token', () => Response.json(sessionReply('ada', 1)));
    const { client } = open({ href: `http://app.test/any?code=${CODE}` });
    expect(await client.start()).toMatchObject({ status: 'signed-in' });
  });
});

describe('an error in the address while a flow is pending', () => {
  const openWith = async (search: string) => {
    const { client, server, open } = await openRecorded();
    server.next(Response.json({}));
    await client.signInWithOtp({ email });
    client.close();
    const href = `http://app.test/any${search}`;
    const opened = open({ href });
    const { callbackError } = await opened.client.start();
    return { callbackError, isTaken: opened.href() !== href };
  };

  it.each([
    '?error=access_denied',
    '?error=access_denied&error_description=The+user+said+no&state=x',
    '?error=invalid_request&error_code=4711',
    '?error_code=E_PAYMENT',
    '#error=login_required',
  ])('of another service stays unchanged: %s', async (search) => {
    expect(await openWith(search)).toEqual({ callbackError: null, isTaken: false });
  });

  it.each([
    [
      '?error=invalid_request&error_code=bad_oauth_state&error_description=x',
      'bad_oauth_state',
      'bad_oauth_state',
    ],
    ['?error=access_denied#error=access_denied&error_description=x&sb=', 'oauth-error', 'access_denied'],
    ['?error_code=otp_expired#error_code=otp_expired&sb=', 'otp_expired', 'otp_expired'],
    ['?error_code=of_a_newer_server#error_code=of_a_newer_server&sb=', 'unknown', 'of_a_newer_server'],
    ['?error_code=__proto__#error_code=__proto__&sb=', 'unknown', '__proto__'],
  ])('of the auth server is consumed: %s', async (search, code, serverCode) => {
    const { callbackError, isTaken } = await openWith(search);
    expect(callbackError).toMatchObject({ code, serverCode });
    expect(isTaken).toBe(true);
  });
});

describe('a code that the auth server sends', () => {
  it.each(['of_a_newer_server', 'constructor', ''])(
    'is unknown where the union lacks it: %j',
    async (sent) => {
      const { client, server } = await openRecorded();
      server.next(refusal(418, sent));
      const refused = client.signInWithPassword({ email, password: 'x' });
      await expect(refused).rejects.toMatchObject({ code: 'unknown', serverCode: sent, status: 418 });
    },
  );
});
