import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import {
  assertError,
  assertRefusedKey,
  assertStatus,
  assertStatusIn,
  at,
  createWire,
} from '../../target/wire.ts';
import { asService } from './callers.ts';
import { sharedInbox } from './inbox.ts';
import type { Library } from './library.ts';
import { awaitDelivery, notifyOnce, rowsOf } from './notifications.ts';
import { withSetting, type RestSetting } from './setting-window.ts';

const audit = auditsOf('rest');

const exposedHeaders = [
  'content-encoding',
  'content-location',
  'content-range',
  'content-type',
  'date',
  'location',
  'server',
  'transfer-encoding',
  'range-unit',
];

const access: readonly Audit[] = [
  audit(
    'REST-133',
    'an invalid API key is refused with 401',
    { source: 'protocol/rest.md#gateway' },
    async ({ target, rest }) => {
      assertRefusedKey(
        await createWire(rest.baseUrl, 'no-such-key', target.fetch).send('GET', '/notifications'),
      );
    },
  ),
  audit(
    'REST-134',
    'a token with an invalid signature is refused as PGRST301',
    { source: 'protocol/rest.md#tokens' },
    async (context) => {
      const { ada, grace } = await sharedInbox(context);
      const [head, body] = ada.accessToken.split('.');
      const token = `${head}.${body}.${grace.accessToken.split('.')[2]}`;
      assertError(await context.rest.send('GET', '/notifications', { token }), 401, 'PGRST301');
    },
  ),
  audit(
    'REST-370',
    'an expired token is refused as PGRST303 for any request',
    { source: 'protocol/rest.md#tokens' },
    async (context) => {
      const user = await context.newUser();
      const nowSeconds = Math.floor(Date.now() / 1000);
      const times = { iat: nowSeconds - 7200, exp: nowSeconds - 3600 };
      const token = context.signAgain(user.accessToken, times);
      assertError(await context.rest.send('GET', '/notifications', { token }), 401, 'PGRST303');
    },
  ),
  audit(
    'REST-135',
    'the API key may be in the query',
    { source: 'protocol/rest.md#gateway', level: 'SHOULD' },
    async (context) => {
      const { ada } = await sharedInbox(context);
      const wire = createWire(context.rest.baseUrl, '', context.target.fetch);
      const query = { apikey: context.target.anonKey, select: 'id' };
      assertStatus(await wire.send('GET', '/notifications', { token: ada.accessToken, query }), 200);
    },
  ),
  audit(
    'REST-136',
    'a preflight allows the methods and headers of the protocol',
    { source: 'protocol/rest.md#cors' },
    async ({ target, rest }) => {
      const response = await createWire(rest.baseUrl, '', target.fetch).send('OPTIONS', '/notifications', {
        headers: {
          Origin: 'http://localhost:5173',
          'Access-Control-Request-Method': 'PATCH',
          'Access-Control-Request-Headers': 'apikey,authorization,prefer,content-type,accept-profile',
        },
      });
      assertStatusIn(response, [200, 204]);
      const methods = response.headers.get('access-control-allow-methods') ?? '';
      for (const method of ['PATCH', 'DELETE'])
        assert.match(methods, new RegExp(String.raw`${method}|\*`), 'the methods');
      const headers = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase();
      for (const name of ['apikey', 'authorization', 'prefer'])
        assert.ok(headers.includes(name), `the header ${name} is allowed`);
    },
  ),
  audit(
    'REST-565',
    'a page of any origin may read each response, also the refusal of a key, of a token and of a name',
    { source: 'protocol/storage.md#cors', level: 'SHOULD', since: '1.0.0' },
    async ({ target, rest }) => {
      const origin = 'http://localhost:5173';
      const [withoutKey, withWrongKey] = ['', 'no-such-key'].map((key) =>
        createWire(rest.baseUrl, key, target.fetch),
      );
      const headers = { Origin: origin };
      const responses = [
        await withoutKey?.send('GET', '/notifications', { headers }),
        await withWrongKey?.send('GET', '/notifications', { headers }),
        await rest.send('GET', '/notifications', { headers, token: 'not-a-jwt' }),
        await rest.send('GET', '/no_such_table', { headers }),
        await rest.send('POST', '/no_such_table', { headers, body: {} }),
        await rest.send('HEAD', '/no_such_table', { headers }),
      ];
      for (const response of responses) {
        const allowed = response?.headers.get('access-control-allow-origin');
        assert.ok(
          allowed === '*' || allowed === origin,
          `the origin may read the response ${response?.status}`,
          String(allowed),
        );
      }
      const exposed = (responses[3]?.headers.get('access-control-expose-headers') ?? '').toLowerCase();
      const names = exposed.split(/, */);
      for (const name of exposed === '*' ? [] : exposedHeaders)
        assert.ok(names.includes(name), `the header ${name} is exposed`, exposed);
    },
  ),
  audit(
    'REST-137',
    'the service key reads the rows of every user',
    { source: 'protocol/product.md#notifications', needs: ['service-key'] },
    async (context) => {
      const { ada } = await sharedInbox(context);
      const query = { recipient_id: `eq.${ada.id}`, select: 'id' };
      assert.equal(
        rowsOf(await asService(context)('GET', '/notifications', { query })).length,
        5,
        'the number of rows',
      );
    },
  ),
  audit(
    'REST-138',
    'an access token is valid until it expires, even after sign-out',
    { source: 'protocol/rest.md#tokens', level: 'SHOULD' },
    async (context) => {
      const user = await context.newUser();
      assertStatus(await context.auth.send('POST', '/logout', { token: user.accessToken }), 204);
      assertStatus(await context.rest.send('GET', '/notifications', { token: user.accessToken }), 200);
    },
  ),
  audit(
    'REST-139',
    'a user cannot send in the name of another',
    { source: 'protocol/product.md#notifications' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const forged = JSON.stringify({ type: 'mention', metadata: { actor_id: ada.id, actor_name: 'Ada' } });
      const sent = await context.rest.send('POST', '/notifications', {
        token: grace.accessToken,
        body: { recipient_id: ada.id, content: forged },
        headers: { Prefer: 'return=minimal' },
      });
      await notifyOnce(context, grace, ada);
      for (const row of await awaitDelivery(context, ada, sent.status === 201 ? 2 : 1, 'content')) {
        const content = JSON.parse(String(at(row, 'content'))) as unknown;
        assert.equal(at(content, 'metadata', 'actor_id'), grace.id, 'metadata.actor_id of the content');
      }
    },
  ),
];

const roles: readonly Audit[] = (
  [
    ['REST-447', 'a token without a role is anonymous', {}, 401, '42501', /notifications/],
    [
      'REST-448',
      'a token with a role that does not exist is refused as 22023 with 401',
      { role: 'no_such_role' },
      401,
      '22023',
      /no_such_role/,
    ],
    [
      'REST-559',
      'a token with a role that the service may not take is refused as 42501 with 403',
      { role: 'pg_read_all_data' },
      403,
      '42501',
      /permission denied to set role "pg_read_all_data"/,
    ],
  ] as const
).map(([id, title, claims, status, code, message]) =>
  audit(id, title, { source: 'protocol/rest.md#tokens', since: '1.0.0' }, async (context) => {
    const user = await context.newUser();
    const token = context.signAgain(user.accessToken, { role: undefined, ...claims });
    const response = await context.rest.send('GET', '/notifications', { token });
    assertError(response, status, code);
    assert.match(String(at(response.json, 'message')), message, 'message of the response');
  }),
);

/** Seconds from now of a claim, and the message of the refusal. */
const wrongTimes: readonly (readonly [claim: 'exp' | 'nbf' | 'iat', seconds: number, message: string])[] = [
  ['exp', -3600, 'JWT expired'],
  ['exp', -120, 'JWT expired'],
  ['nbf', 3600, 'JWT not yet valid'],
  ['iat', 3600, 'JWT issued at future'],
];

/** Claims of a wrong type, and the message of the refusal. */
const wrongTypes: readonly (readonly [claims: Readonly<Record<string, unknown>>, message: string])[] = [
  [{ exp: 'soon' }, "The JWT 'exp' claim must be a number"],
  [{ nbf: 'soon' }, "The JWT 'nbf' claim must be a number"],
  [{ iat: true }, "The JWT 'iat' claim must be a number"],
  [{ aud: 1 }, "The JWT 'aud' claim must be a string or an array of strings"],
];

/** Texts that are no tokens, and the message of the refusal. */
const malformed: readonly (readonly [token: string, message: string])[] = [
  ['one', 'Expected 3 parts in JWT; got 1'],
  ['one.two', 'Expected 3 parts in JWT; got 2'],
  ['one.two.three.four', 'Expected 3 parts in JWT; got 4'],
];

const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** Values of the claim `aud`, and whether a service for \`authenticated\` accepts them. */
const audiences: readonly (readonly [aud: unknown, isAccepted: boolean])[] = [
  ['authenticated', true],
  ['other', false],
  ['', false],
  [['authenticated'], true],
  [['other', 'authenticated', 'another'], true],
  [['other'], false],
  [['other', 'another'], false],
  [[], true],
  [null, true],
  [undefined, true],
];

const refusals: readonly Audit[] = [
  audit(
    'REST-568',
    'a service with an audience refuses the tokens of another one, and accepts those without any',
    { source: 'protocol/rest.md#tokens', level: 'SHOULD', needs: ['database'], since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const read = (send: Library, aud: unknown) =>
        send('GET', '/books?limit=0', { token: context.signAgain(user.accessToken, { aud }) });
      const audience: RestSetting = {
        name: 'jwt_aud',
        value: 'authenticated',
        isApplied: async (send) => (await read(send, 'other')).status === 401,
      };
      await withSetting(context, audience, async (send) => {
        for (const [aud, isAccepted] of audiences) {
          const response = await read(send, aud);
          if (isAccepted) assertStatus(response, 200);
          else {
            assertError(response, 401, 'PGRST303');
            assert.equal(at(response.json, 'message'), 'JWT not in audience', 'message of the response');
          }
        }
      });
    },
  ),
  audit(
    'REST-536',
    'a token that expired, is not valid yet or was issued later is refused, with half a minute for other clocks',
    { source: 'protocol/rest.md#tokens', since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const read = (claims: Readonly<Record<string, unknown>>) =>
        context.rest.send('GET', '/notifications', { token: context.signAgain(user.accessToken, claims) });
      for (const [claim, seconds, message] of wrongTimes) {
        const response = await read({ [claim]: secondsFromNow(seconds) });
        assertError(response, 401, 'PGRST303');
        assert.equal(at(response.json, 'message'), message, `message of the response to ${claim}`);
      }
      for (const [claim, seconds] of [
        ['exp', -10],
        ['nbf', 20],
        ['iat', 20],
      ] as const)
        assertStatus(await read({ [claim]: secondsFromNow(seconds) }), 200);
    },
  ),
  audit(
    'REST-537',
    'a token with a claim of another type is refused as PGRST303, which names the claim',
    { source: 'protocol/rest.md#tokens', level: 'SHOULD', since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      for (const [claims, message] of wrongTypes) {
        const token = context.signAgain(user.accessToken, claims);
        const response = await context.rest.send('GET', '/notifications', { token });
        assertError(response, 401, 'PGRST303');
        assert.equal(at(response.json, 'message'), message, 'message of the response');
      }
    },
  ),
  audit(
    'REST-538',
    'a text that is no token is refused as PGRST301, which counts its parts',
    { source: 'protocol/rest.md#tokens', level: 'SHOULD', since: '1.0.0' },
    async ({ rest }) => {
      for (const [token, message] of malformed) {
        const response = await rest.send('GET', '/notifications', { token });
        assertError(response, 401, 'PGRST301');
        assert.equal(at(response.json, 'message'), message, 'message of the response');
      }
    },
  ),
  audit(
    'REST-539',
    'WWW-Authenticate of a refused token names the reason, and that of a missing right does not',
    { source: 'protocol/rest.md#tokens', since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const expired = context.signAgain(user.accessToken, { exp: secondsFromNow(-3600) });
      for (const token of [expired, 'one.two.three']) {
        const response = await context.rest.send('GET', '/notifications', { token });
        assertStatus(response, 401);
        assert.equal(
          response.headers.get('www-authenticate'),
          `Bearer error="invalid_token", error_description="${String(at(response.json, 'message'))}"`,
          'the header www-authenticate',
        );
      }
      const anonymous = await context.rest.send('GET', '/notifications');
      assertError(anonymous, 401, '42501');
      assert.equal(anonymous.headers.get('www-authenticate'), 'Bearer', 'the header www-authenticate');
    },
  ),
];

export const restAccessAudits: readonly Audit[] = [...access, ...roles, ...refusals];
