import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { NotRunError } from '../../target/target.ts';
import {
  assertStatus,
  at,
  textAt,
  type Wire,
  type WireRequest,
  type WireResponse,
} from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import { enrollTotp } from './totp.ts';
import { createUnwatchedWire } from './unwatched-wire.ts';

const audit = auditsOf('auth');
const options = { source: 'protocol/auth.md#rate-limits', since: '1.0.0' } as const;
const burst = 30;

/** Sends requests as a caller at this address, for the limits by address. */
const createUnwaiting = (context: AuditContext, address: string): Wire =>
  createUnwatchedWire(context, { 'X-Forwarded-For': address });

/** An address for benchmarks (RFC 2544), which the services have not met. */
const newAddress = (): string => `198.18.${[...randomBytes(2)].join('.')}`;

const isLimited = (response: WireResponse): boolean =>
  at(response.json, 'code') === 'over_request_rate_limit';

/** Asserts that the service takes the header for the caller's address. */
async function assertHeedsAddress(context: AuditContext): Promise<void> {
  const user = await context.newUser();
  const address = newAddress();
  const { email, password } = user;
  const request = { query: { grant_type: 'password' }, body: { email, password } };
  assertSession(await createUnwaiting(context, address).send('POST', '/token', request));
  const rows = await context.query(`select 1 from auth.sessions where user_id = $1 and host(ip) = $2`, [
    user.id,
    address,
  ]);
  if (at(rows, 'length') !== 1)
    throw new NotRunError('the service takes the address of callers from elsewhere');
}

interface Route {
  readonly name: string;
  readonly request: () => readonly [string, string, WireRequest];
  /** Requests that the service allows in a second, by default. */
  readonly perSecond: number;
}

const routeOf = (
  name: string,
  path: string,
  request: WireRequest = { body: {} },
  perSecond = 0.1,
): Route => ({
  name,
  request: () => ['POST', path, request],
  perSecond,
});

/** Routes that need no session; each refuses the request for another reason. */
const openRoutes: readonly Route[] = [
  routeOf('/token', '/token', { query: { grant_type: 'password' }, body: {} }, 0.5),
  routeOf('the grant web3', '/token', { query: { grant_type: 'web3' }, body: {} }),
  routeOf('/verify', '/verify'),
  routeOf('/otp', '/otp'),
  routeOf('/recover', '/recover'),
  routeOf('/resend', '/resend'),
  routeOf('/magiclink', '/magiclink'),
  routeOf('/signup', '/signup', { body: { email: 'no address', password: 'Secret-1 to be kept' } }),
];

/** Sends a burst, and then more; refusals of the burst fail. @throws NotRunError if none is refused. */
async function exhaust(wire: Wire, route: Route): Promise<WireResponse> {
  const startedMs = performance.now();
  const responses = await sendMany(wire, route, burst);
  assert.equal(responses.filter(isLimited).length, 0, `the number of refusals in a burst at ${route.name}`);
  return exceed(wire, route, startedMs);
}

/** Sends a few at a time: each challenge of the real service takes several of its database connections, and many at once wait for one another. */
async function sendMany(wire: Wire, { request }: Route, count: number): Promise<readonly WireResponse[]> {
  const responses: WireResponse[] = [];
  while (responses.length < count)
    responses.push(...(await Promise.all(Array.from({ length: 5 }, () => wire.send(...request())))));
  return responses;
}

/**
 * Sends requests from an address that has spent its burst since then, and returns a refusal.
 *
 * @throws NotRunError if none is refused, as on a server that takes longer for a request than its limit asks for.
 */
async function exceed(wire: Wire, route: Route, startedMs: number): Promise<WireResponse> {
  const { name, perSecond } = route;
  const responses = await sendMany(wire, route, 10);
  const refused = responses.find(isLimited);
  if (!refused) throw new NotRunError(`${name} has no limit for this address`);
  const count = responses.filter((response) => !isLimited(response)).length;
  const allowed = ((performance.now() - startedMs) / 1000) * perSecond + 1;
  assert.ok(count <= allowed, `${name} allows ${perSecond} requests in a second`, `${count} after the burst`);
  return refused;
}

const frequencyMessage = /^For security purposes, you can only request this after (\d+) seconds\.$/;

/** Asserts the refusal of a second message, and returns the seconds that it names. */
function assertTooFrequent(response: WireResponse, code: string): number {
  assertStatus(response, 429);
  assert.equal(at(response.json, 'code'), code, 'the code of the refusal');
  const message = textAt(response, 'message');
  assert.match(message, frequencyMessage, 'the message of the refusal');
  return Number(frequencyMessage.exec(message)?.[1]);
}

/**
 * Asserts that a request that sends a message is refused until the time has passed that its refusal names.
 *
 * @param setSent sets how many seconds ago the last message was sent.
 * @throws NotRunError if messages may follow one another at once.
 */
async function assertFrequency(
  send: () => Promise<WireResponse>,
  setSent: (secondsAgo: number) => Promise<unknown>,
  code: string,
): Promise<void> {
  assertStatus(await send(), 200);
  const startedMs = performance.now();
  await setSent(0);
  const refused = await send();
  if (refused.status === 200) throw new NotRunError('messages to a user may follow one another at once');
  const seconds = assertTooFrequent(refused, code);
  const limit = seconds + 1 + (performance.now() - startedMs) / 1000;
  const half = Math.floor(seconds / 2);
  await setSent(half);
  const left = assertTooFrequent(await send(), code);
  assert.ok(left <= limit - half, 'the seconds to wait become less', `${left} of ${seconds} after ${half}`);
  await setSent(limit + 1);
  assertStatus(await send(), 200);
}

/** Limits of requests by address and route, and of messages to one user. */
export const rateLimitAudits: readonly Audit[] = [
  audit(
    'AUTH-1173',
    'each route allows an address a burst of 30 requests, and then as many as its limit',
    { ...options, level: 'SHOULD', needs: ['database', 'service-key'] },
    async (context) => {
      await assertHeedsAddress(context);
      const wire = createUnwaiting(context, newAddress());
      for (const route of openRoutes)
        assertRefusal(
          await exhaust(wire, route),
          429,
          'over_request_rate_limit',
          'Request rate limit reached',
        );
      const other = createUnwaiting(context, newAddress());
      for (const { name, request } of openRoutes)
        assert.ok(!isLimited(await other.send(...request())), `another address is not limited at ${name}`);
      const third = createUnwaiting(context, newAddress());
      const startedMs = performance.now();
      await exhaust(third, routeOf('/verify', '/verify'));
      const link = { query: { type: 'signup', token: 'unknown' } };
      await exceed(third, { ...routeOf('links', ''), request: () => ['GET', '/verify', link] }, startedMs);
    },
  ),
  audit(
    'AUTH-1174',
    'single sign-on, passkeys and registrations of applications have separate limits by address',
    { ...options, level: 'SHOULD', needs: ['database', 'service-key'] },
    async (context) => {
      await assertHeedsAddress(context);
      const wire = createUnwaiting(context, newAddress());
      const routes: readonly Route[] = [
        routeOf('/sso', '/sso'),
        routeOf('/passkeys/authentication/options', '/passkeys/authentication/options'),
        routeOf('/oauth/clients/register', '/oauth/clients/register', { body: {} }, 10 / 300),
      ];
      for (const route of routes) {
        const { status } = await wire.send(...route.request());
        if (status !== 404) await exhaust(createUnwaiting(context, newAddress()), route);
      }
    },
  ),
  audit(
    'AUTH-1175',
    'a user and second factors have separate limits by address',
    { ...options, level: 'SHOULD', needs: ['database', 'service-key'] },
    async (context) => {
      await assertHeedsAddress(context);
      const { accessToken: token } = await context.newUser();
      const { id } = await enrollTotp(context, token);
      const wire = createUnwaiting(context, newAddress());
      const body = { token, body: {} };
      const routes: readonly Route[] = [
        { ...routeOf('PUT /user', ''), request: () => ['PUT', '/user', body] },
        routeOf('challenges', `/factors/${id}/challenge`, body, 0.25),
        routeOf('verifications', `/factors/${id}/verify`, body, 0.25),
      ];
      for (const route of routes) await exhaust(wire, route);
      const other = createUnwaiting(context, newAddress());
      for (const { name, request } of routes)
        assert.ok(!isLimited(await other.send(...request())), `another address is not limited at ${name}`);
    },
  ),
  audit(
    'AUTH-1176',
    'an address that has spent its requests at /token may send one after two seconds',
    { ...options, level: 'SHOULD', needs: ['database', 'service-key'] },
    async (context) => {
      await assertHeedsAddress(context);
      const wire = createUnwaiting(context, newAddress());
      const [route] = openRoutes;
      if (!route) return;
      const startedMs = performance.now();
      await exhaust(wire, route);
      await delay(2200);
      assert.ok(!isLimited(await wire.send(...route.request())), 'a request is allowed after two seconds');
      let count = 1;
      while (count < 10 && !isLimited(await wire.send(...route.request()))) count += 1;
      const allowed = ((performance.now() - startedMs) / 1000) * route.perSecond + 1;
      assert.ok(count <= allowed, 'requests come back one by one', `${count} were allowed`);
    },
  ),
  audit(
    'AUTH-1177',
    'anonymous sign-ups of an address have a limit',
    { ...options, level: 'SHOULD', needs: ['database', 'service-key'] },
    async (context) => {
      await assertHeedsAddress(context);
      const wire = createUnwaiting(context, newAddress());
      const data = { audit: context.run.newName() };
      const route = routeOf('anonymous sign-ups', '/signup', { body: { data } }, 30 / 3600);
      const first = await wire.send(...route.request());
      if (at(first.json, 'code') === 'anonymous_provider_disabled')
        throw new NotRunError('anonymous sign-ins are disabled');
      await exhaust(createUnwaiting(context, newAddress()), route);
    },
  ),
  audit(
    'AUTH-1178',
    'a second mail of one kind to a user is refused with the seconds to wait, and accepted after them',
    { ...options, needs: ['database', 'service-key'] },
    async (context) => {
      const user = await context.newUser();
      const wire = createUnwaiting(context, newAddress());
      const token = user.accessToken;
      const send = (method: string, path: string, body?: object) =>
        [method, path, { token, ...(body && { body }) }] as const;
      const recover = send('POST', '/recover', { email: user.email });
      const kinds = [
        ['recovery_sent_at', recover],
        ['recovery_sent_at', send('POST', '/otp', { email: user.email })],
        ['reauthentication_sent_at', send('GET', '/reauthenticate')],
        ['email_change_sent_at', send('PUT', '/user', { email: context.newEmail() })],
      ] as const;
      for (const [column, request] of kinds) {
        await context.query(`update auth.users set ${column} = null where id = $1`, [user.id]);
        const setSent = (seconds: number) =>
          context.query(`update auth.users set ${column} = now() - $2 * interval '1 second' where id = $1`, [
            user.id,
            seconds,
          ]);
        await assertFrequency(() => wire.send(...request), setSent, 'over_email_send_rate_limit');
      }
    },
  ),
  audit(
    'AUTH-1179',
    'a second SMS to a number is refused with the seconds to wait, and accepted after them',
    { ...options, needs: ['database', 'service-key', 'sms'] },
    async (context) => {
      const phone = context.newPhone();
      const wire = createUnwaiting(context, newAddress());
      const request = ['POST', '/otp', { body: { phone } }] as const;
      const setSent = (seconds: number) =>
        context.query(
          `update auth.users set confirmation_sent_at = now() - $2 * interval '1 second' where phone = $1`,
          [phone, seconds],
        );
      await assertFrequency(() => wire.send(...request), setSent, 'over_sms_send_rate_limit');
    },
  ),
];
