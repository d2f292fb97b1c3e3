import { assert } from '../../target/assertion.ts';
import { createRestClient, RestError, type RestErrorCode } from 'supabase-protocol-clients/rest-client';
import { nextTokenSecond } from '../../audit/audit-context.ts';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, refusalOf, type SignedInTab } from '../../clients/client-audit.ts';
import { newCaller } from './callers.ts';
import { createPreferences, sharedInbox } from './inbox.ts';
import type { Database } from '../../schema/schema.ts';
import { restOf } from './rest-of.ts';

const audit = clientAuditsOf('rest-client');
const source = 'protocol/rest.md#names-of-refusals';

const path = '/rest/v1/notifications';

const expired = () =>
  Response.json(
    { code: 'PGRST303', message: 'JWT expired', details: null, hint: null },
    { status: 401, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } },
  );

const unavailable = () => new Response('', { status: 503 });

const refreshes = ({ wire }: SignedInTab) =>
  wire.to('/auth/v1/token').filter(({ query }) => query.get('grant_type') === 'refresh_token').length;

async function assertCode(call: Promise<unknown>, code: RestErrorCode, status: number): Promise<RestError> {
  const refusal = await refusalOf(RestError, call);
  assert.deepEqual([refusal.code, refusal.status], [code, status], 'code and status of the refusal');
  return refusal;
}

export const clientRefusalAudits: readonly Audit[] = [
  audit(
    'CLIENT-REST-401',
    'a second row of a unique key is a unique-violation that names its constraint',
    { source },
    async ({ server, open }) => {
      const { user } = await newCaller(server);
      await createPreferences(server, user);
      const insert = restOf(await open(), user)
        .from('notification_preferences')
        .insert({ user_id: user.id });
      const { constraint, serverCode } = await assertCode(insert.execute(), 'unique-violation', 409);
      assert.deepEqual(
        [serverCode, constraint],
        ['23505', 'notification_preferences_user_id_key'],
        'the server code and constraint',
      );
    },
  ),
  audit('CLIENT-REST-402', 'data that a check refuses is a check-violation', { source }, async (context) => {
    const { user } = await newCaller(context.server);
    const insert = restOf(await context.open(), user)
      .from('notification_preferences')
      .insert({ user_id: user.id, email_digest_frequency: 'sometimes' });
    await assertCode(insert.execute(), 'check-violation', 400);
  }),
  audit(
    'CLIENT-REST-403',
    'a reference to a missing row is a foreign-key-violation',
    { source, needs: ['service-key'] },
    async ({ server, open }) => {
      const { url, platform } = await open();
      const service = createRestClient<Database>({ url, platform, apiKey: server.target.serviceKey ?? '' });
      const insert = service.from('notification_preferences').insert({ user_id: crypto.randomUUID() });
      await assertCode(insert.execute(), 'foreign-key-violation', 409);
    },
  ),
  audit(
    'CLIENT-REST-404',
    'a write that the policies forbid is denied, and causes no refresh of the token',
    { source: 'protocol/rest.md#permissions' },
    async ({ server, open, signIn }) => {
      const tab = await signIn();
      const stranger = await server.newUser();
      const insert = tab.rest.from('notification_preferences').insert({ user_id: stranger.id });
      await assertCode(insert.execute(), 'denied', 403);
      assert.equal(refreshes(tab), 0, 'the refreshes');
      const anonymous = (await open()).rest.from('notifications').select();
      await assertCode(anonymous.execute(), 'denied', 401);
    },
  ),
  audit(
    'CLIENT-REST-405',
    'an unknown table, column or function is not-found; an unknown schema is an invalid-request',
    { source },
    async ({ server, open }) => {
      const { ada } = await sharedInbox(server);
      const rest = restOf(await open(), ada);
      const select = rest.from('notifications').select('id');
      const under = (name: string) => ({ ...select.plan, path: name });
      await assertCode(select.with(() => under('no_such_table')).execute(), 'not-found', 404);
      await assertCode(select.with(() => under('rpc/no_such_function')).execute(), 'not-found', 404);
      const column = select.with((plan) => ({ ...plan, select: 'no_such_column' }));
      await assertCode(column.execute(), 'not-found', 400);
      const elsewhere = select.with((plan) => ({ ...plan, schema: 'no_such_schema' }));
      const { serverCode } = await assertCode(elsewhere.execute(), 'invalid-request', 406);
      assert.equal(serverCode, 'PGRST106', 'the server code');
    },
  ),
  audit(
    'CLIENT-REST-406',
    'a refused HEAD, which has no body, also has its reason',
    { source },
    async ({ server, open }) => {
      const { ada } = await sharedInbox(server);
      const tab = await open();
      const count = restOf(tab, ada).from('notifications').count();
      const lost = count.with((plan) => ({ ...plan, path: 'no_such_table' }));
      // Browsers hide the header with the reason.
      tab.wire.scriptResponse('/rest/v1/no_such_table', () => new Response(null, { status: 404 }));
      const { serverCode } = await assertCode(lost.execute(), 'not-found', 404);
      assert.equal(serverCode, 'PGRST205', 'the server code');
    },
  ),
  audit(
    'CLIENT-REST-411',
    'an expired token is refreshed once, and every waiting request is retried once',
    { source: 'protocol/rest.md#repeated-requests' },
    async ({ signIn }) => {
      const tab = await signIn();
      const old = await tab.auth.getAccessToken();
      await nextTokenSecond();
      for (let count = 0; count < 3; count += 1) tab.wire.scriptResponse(path, expired);
      const read = (status: string) => tab.rest.from('notifications').select('id').eq('status', status);
      await Promise.all([read('unread'), read('read'), read('archived')]);
      assert.equal(refreshes(tab), 1, 'the refreshes');
      const bearers = tab.wire.to(path).map(({ headers }) => headers.get('authorization'));
      const fresh = await tab.auth.getAccessToken();
      assert.notEqual(fresh, old, 'the new rows');
      assert.deepEqual(
        bearers,
        [...Array(3).fill(`Bearer ${old}`), ...Array(3).fill(`Bearer ${fresh}`)],
        'the bearer tokens',
      );
    },
  ),
  audit(
    'CLIENT-REST-412',
    'a fresh token that is refused as expired causes no further refresh',
    { source: 'protocol/rest.md#repeated-requests' },
    async ({ signIn }) => {
      const tab = await signIn();
      await nextTokenSecond();
      for (let count = 0; count < 2; count += 1) tab.wire.scriptResponse(path, expired);
      const read = tab.rest.from('notifications').select('id');
      await assertCode(read.execute(), 'token-expired', 401);
      assert.deepEqual(
        [refreshes(tab), tab.wire.to(path).length],
        [1, 2],
        'the numbers of refreshes and of requests to the path',
      );
    },
  ),
  audit(
    'CLIENT-REST-413',
    'a read is retried when the service is unavailable, a write is not',
    { source: 'protocol/rest.md#repeated-requests' },
    async ({ server, open }) => {
      const { user } = await newCaller(server);
      const tab = await open();
      const table = restOf(tab, user, { retry: { baseDelayMs: 1 } }).from('notifications');
      tab.wire.scriptResponse(path, unavailable);
      assert.deepEqual(await table.select('id'), [], 'the result of the query');
      assert.equal(tab.wire.to(path).length, 2, 'the number of requests to the path');
      tab.wire.scriptResponse(path, unavailable);
      const insert = table.insert({ recipient_id: user.id, content: '{}' });
      await assertCode(insert.execute(), 'unavailable', 503);
      assert.equal(tab.wire.to(path).length, 3, 'the number of requests to the path');
      assert.deepEqual(await table.select('id'), [], 'the result of the query');
    },
  ),
  audit(
    'CLIENT-REST-414',
    "a proxy's page of any status is not a response of the service",
    { source: 'protocol/rest.md#repeated-requests' },
    async ({ server, open }) => {
      const { ada } = await sharedInbox(server);
      const tab = await open();
      const table = restOf(tab, ada, { retry: { limit: 0 } }).from('notifications');
      for (const status of [200, 404, 502]) {
        tab.wire.scriptResponse(path, () => new Response('<h1>Portal</h1>', { status }));
        assert.equal(
          (await refusalOf(RestError, table.select('id').execute())).code,
          'not-the-service',
          'the code of the refusal',
        );
      }
    },
  ),
  audit(
    'CLIENT-REST-415',
    'a query that is aborted rejects at once, with the reason',
    { source: 'protocol/rest.md#repeated-requests' },
    async ({ server, open }) => {
      const { ada } = await sharedInbox(server);
      const tab = await open();
      tab.wire.scriptResponse(path, () => new Promise(() => undefined));
      const leaving = new AbortController();
      const pending = restOf(tab, ada).from('notifications').select().execute({ signal: leaving.signal });
      const reason = new Error('left the page');
      leaving.abort(reason);
      const refusal = await refusalOf(RestError, pending);
      assert.deepEqual(
        [refusal.code, refusal.cause],
        ['aborted', reason],
        'the code and cause of the refusal',
      );
    },
  ),
  audit(
    'CLIENT-REST-416',
    'reads that fail at the same time are retried at different times',
    { source: 'protocol/rest.md#repeated-requests', since: '0.2.0' },
    async ({ server, open }) => {
      const { ada } = await sharedInbox(server);
      const tab = await open();
      const count = 12;
      const repeatedAtMs: number[] = [];
      for (let failures = 0; failures < count; failures += 1) tab.wire.scriptResponse(path, unavailable);
      for (let repeats = 0; repeats < count; repeats += 1)
        tab.wire.scriptResponse(path, () => {
          repeatedAtMs.push(performance.now());
          return Response.json([]);
        });
      const table = restOf(tab, ada).from('notifications');
      await Promise.all(Array.from({ length: count }, () => table.select('id').execute()));
      const spreadMs = Math.max(...repeatedAtMs) - Math.min(...repeatedAtMs);
      assert.ok(spreadMs >= 100, 'the repeated reads are spread over at least 100 ms', `${spreadMs} ms`);
    },
  ),
];
