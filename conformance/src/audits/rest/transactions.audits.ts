import { assert } from '../../target/assertion.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, type WireRequest } from '../../target/wire.ts';
import { asService } from './callers.ts';
import { openLibrary, serviceHeadersOf, type Library } from './library.ts';
import { withSetting, type RestSetting } from './setting-window.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#transactions';
const since = '1.0.0';

const anonymous = { role: 'anon', schema: 'public' };

/** Calls of the functions that read the state of their transaction, and members of that state. */
const states: readonly (readonly [method: string, path: string, state: object])[] = [
  ['GET', '/rpc/state', { ...anonymous, readOnly: 'on' }],
  ['POST', '/rpc/state', { ...anonymous, readOnly: 'on' }],
  ['GET', '/rpc/state_to_write', { ...anonymous, readOnly: 'on' }],
  ['POST', '/rpc/state_to_write', { ...anonymous, readOnly: 'off' }],
  ['GET', '/rpc/state_isolated', { ...anonymous, isolation: 'serializable', readOnly: 'on' }],
];

async function assertState(
  send: Library,
  [method, path, expected]: (typeof states)[number],
  request: WireRequest = {},
): Promise<void> {
  const response = await send(method, path, { ...(method === 'POST' && { body: {} }), ...request });
  assertStatus(response, 200);
  const members = Object.keys(expected).map((name) => [name, at(response.json, name)]);
  assert.deepEqual(Object.fromEntries(members), expected, `the state of ${method} ${path}`);
}

/** The time limit that a role has, or the login role for it, as PostgreSQL prints it. */
async function timeoutOf({ query }: AuditContext, role: string): Promise<unknown> {
  const ofRole = (name: string) =>
    `(select split_part(entry, '=', 2) from pg_roles, unnest(rolconfig) entry where rolname = '${name}' and entry like 'statement_timeout=%')`;
  const rows = await query(
    `select set_config('statement_timeout', coalesce(${ofRole(role)}, ${ofRole('authenticator')}), true) as timeout`,
  );
  return at(rows, 0, 'timeout');
}

const planType = 'application/vnd.pgrst.plan';

const plans: RestSetting = {
  name: 'db_plan_enabled',
  value: 'true',
  isApplied: async (send) => (await send('GET', '/books', { headers: { Accept: planType } })).status === 200,
};

/** Values of Accept, and the media type of the plan. */
const planned: readonly (readonly [accept: string, type: string])[] = [
  [planType, '+text; for="application/json"'],
  [`${planType}+text`, '+text; for="application/json"'],
  [`${planType}+text; for="text/csv"; options=verbose`, '+text; for="text/csv"; options=verbose'],
  [`${planType}+json`, '+json; for="application/json"'],
  [
    `${planType}+json; options=wal|other|buffers|settings|verbose|analyze`,
    '+json; for="application/json"; options=analyze|verbose|settings|buffers|wal',
  ],
  ...['object+json', 'object+json;nulls=stripped', 'array+json;nulls=stripped'].map(
    (of) =>
      [
        `${planType}+json; for="application/vnd.pgrst.${of}"`,
        `+json; for="application/vnd.pgrst.${of}"`,
      ] as const,
  ),
];

/** Options of a plan in JSON, and members that it then has: of the whole, or of its first node. */
const options: readonly (readonly [option: string, member: string, isOfNode: boolean])[] = [
  ['analyze', 'Execution Time', false],
  ['verbose', 'Output', true],
  ['analyze|buffers', 'Shared Hit Blocks', true],
  ['analyze|wal', 'WAL Records', true],
];

const transactionEnd: RestSetting = {
  name: 'db_tx_end',
  value: 'commit-allow-override',
  isApplied: async (send) => {
    const response = await send('GET', '/books', { headers: { Prefer: 'tx=commit' } });
    return response.headers.get('preference-applied') === 'tx=commit';
  },
};

const timing: RestSetting = {
  name: 'server_timing_enabled',
  value: 'true',
  isApplied: async (send) => (await send('GET', '/books')).headers.get('server-timing') !== null,
};

const ofCalls: readonly Audit[] = [
  audit(
    'REST-551',
    'a call runs as the role of its caller, only reads unless its function writes, and is isolated as that demands',
    { source, needs: ['database', 'service-key'], since },
    async (context) => {
      const send = await openLibrary(context);
      for (const state of states) await assertState(send, state);
      const { accessToken: token } = await context.newUser();
      await assertState(send, ['GET', '/rpc/state', { role: 'authenticated', schema: 'public' }], { token });
      const byService = await asService(context)('GET', '/rpc/conformance_state');
      assert.equal(at(byService.json, 'role'), 'service_role', 'the role of the service key');
      const headers = { Prefer: 'timezone=Asia/Tokyo' };
      await assertState(send, ['GET', '/rpc/state', { timeZone: 'Asia/Tokyo' }], { headers });
      const unknown = { Prefer: 'timezone=Asia/Nowhere, handling=strict' };
      assertStatus(await send('GET', '/rpc/state', { headers: unknown }), 400);
    },
  ),
  audit(
    'REST-552',
    'a call is read committed, and ends after the time that its role has',
    { source, level: 'SHOULD', needs: ['database'], since },
    async (context) => {
      const send = await openLibrary(context);
      const { accessToken: token } = await context.newUser();
      const [timeout, ofUser] = [await timeoutOf(context, 'anon'), await timeoutOf(context, 'authenticated')];
      if (typeof timeout !== 'string' || typeof ofUser !== 'string')
        throw new NotRunError('the roles of the project have no statement_timeout');
      await assertState(send, ['GET', '/rpc/state', { isolation: 'read committed', timeout }]);
      await assertState(send, ['GET', '/rpc/state', { isolation: 'read committed', timeout: ofUser }], {
        token,
      });
    },
  ),
];

const ofSettings: readonly Audit[] = [
  audit(
    'REST-553',
    'a plan is returned where it is switched on, in its form and with its options, and nothing is written',
    { source, level: 'SHOULD', needs: ['database', 'service-key'], since },
    (context) =>
      withSetting(context, plans, async (send) => {
        for (const [accept, type] of planned) {
          const response = await send('GET', '/books', { headers: { Accept: accept } });
          assertStatus(response, 200);
          const names = serviceHeadersOf(response);
          assert.equal(names['content-type'], `${planType}${type}; charset=utf-8`, 'the header content-type');
          assert.equal(names['content-range'], undefined, 'the header content-range');
          if (type.startsWith('+json'))
            assert.equal(at(response.json, 0, 'Plan', 'Node Type'), 'Aggregate', 'the first node');
          else assert.match(response.text, /^Aggregate .*\n(?: +.*\n)+/, 'the text of the plan');
        }
        for (const [option, member, isOfNode] of options)
          for (const chosen of [true, false]) {
            const headers = { Accept: `${planType}+json; options=${chosen ? option : 'settings'}` };
            const plan = at((await send('GET', '/books', { headers })).json, 0);
            const names = Object.keys((isOfNode ? at(plan, 'Plan') : plan) as object);
            assert.equal(names.includes(member), chosen, `whether the plan with ${option} has ${member}`);
          }
        const headers = { Accept: `${planType}+json`, Prefer: 'return=minimal' };
        const id = crypto.randomUUID();
        const write = await send('POST', '/drafts', { body: { id }, headers });
        assertStatus(write, 200);
        assert.equal(at(write.json, 0, 'Plan', 'Node Type'), 'Aggregate', 'the first node of the insert');
        assert.deepEqual((await send('GET', `/drafts?id=eq.${id}`)).json, [], 'the inserted rows');
        const call = await send('POST', '/rpc/add', { body: { a: 1 }, headers });
        assert.equal(at(call.json, 0, 'Plan', 'Node Type'), 'Aggregate', 'the first node of the call');
        const nothing = { Accept: `${planType}; for="application/x-nothing"` };
        assertError(await send('GET', '/books', { headers: nothing }), 406, 'PGRST107');
      }),
  ),
  audit(
    'REST-554',
    'tx=rollback undoes a write and responds as for a commit, where the server allows it',
    { source, level: 'SHOULD', needs: ['database', 'service-key'], since },
    (context) =>
      withSetting(context, transactionEnd, async (send) => {
        const id = crypto.randomUUID();
        for (const end of ['rollback', 'commit'] as const) {
          const headers = { Prefer: `tx=${end}, return=representation` };
          const query = { select: 'title' };
          const response = await send('POST', '/drafts', { body: { id }, query, headers });
          assertStatus(response, 201);
          assert.deepEqual(response.json, [{ title: 'untitled' }], 'the response');
          assert.equal(
            response.headers.get('preference-applied'),
            `return=representation, tx=${end}`,
            'the header preference-applied',
          );
          const stored = await send('GET', `/drafts?id=eq.${id}&select=title`);
          assert.deepEqual(stored.json, end === 'commit' ? response.json : [], `the rows after ${end}`);
        }
        const headers = { Prefer: 'tx=rollback' };
        assertStatus(await send('DELETE', `/drafts?id=eq.${id}`, { headers }), 204);
        assertStatus(await send('DELETE', `/drafts?id=eq.${id}`), 204);
      }),
  ),
  audit(
    'REST-555',
    'Server-Timing has the milliseconds of each phase where it is switched on',
    { source, level: 'SHOULD', needs: ['database', 'service-key'], since },
    (context) =>
      withSetting(context, timing, async (send) => {
        const phases = ['jwt', 'parse', 'plan', 'transaction', 'response'];
        for (const path of ['/books', '/rpc/extremes']) {
          const header = (await send('GET', path)).headers.get('server-timing') ?? '';
          const parts = header.split(', ').map((part) => /^(\w+);dur=(\d+\.\d)$/.exec(part));
          assert.deepEqual(
            parts.map((part) => part?.[1]),
            phases,
            'the phases of the header server-timing',
          );
          const total = parts.reduce((sum, part) => sum + Number(part?.[2]), 0);
          assert.ok(total > 0, 'the sum of the phases is above 0');
        }
      }),
  ),
];

/** The transaction of a request: its role, its limits, its plan and its end. */
export const restTransactionAudits: readonly Audit[] = [...ofCalls, ...ofSettings];
