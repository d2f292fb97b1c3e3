import { strict as assert } from 'node:assert';
import { auditsOf, type Audit } from '../audit.ts';
import { assertError, assertStatus, at } from '../wire.ts';

const audit = auditsOf('auth');
const source = 'auth.md §1';

/** What a careless client may send. */
export const authEdgeAudits: readonly Audit[] = [
  audit(
    'AUTH-921',
    'a password grant that names nobody is refused as validation_failed',
    { source },
    async ({ auth }) => {
      const reply = await auth.send('POST', '/token', {
        query: { grant_type: 'password' },
        body: { password: 'secret12' },
      });
      assertError(reply, 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-922',
    'another method on a route is refused with 405',
    { source: 'RFC 9110 §15.5.6' },
    async ({ auth }) => {
      assertStatus(await auth.send('GET', '/signup'), 405);
    },
  ),
  audit(
    'AUTH-923',
    'a route that there is not is answered with 404',
    { source: 'RFC 9110 §15.5.5' },
    async ({ auth }) => {
      assertStatus(await auth.send('GET', '/no-such-route'), 404);
    },
  ),
  audit(
    'AUTH-924',
    'PUT /user without a token is refused as no_authorization',
    { source },
    async ({ auth }) => {
      assertError(await auth.send('PUT', '/user', { body: { data: {} } }), 401, 'no_authorization');
    },
  ),
  audit(
    'AUTH-925',
    'POST /logout without a token is refused as no_authorization',
    { source },
    async ({ auth }) => {
      assertError(await auth.send('POST', '/logout'), 401, 'no_authorization');
    },
  ),
  audit(
    'AUTH-926',
    'GET /reauthenticate without a token is refused as no_authorization',
    { source },
    async ({ auth }) => {
      assertError(await auth.send('GET', '/reauthenticate'), 401, 'no_authorization');
    },
  ),
  audit(
    'AUTH-927',
    'a null in user data removes the key',
    { source: 'auth.md §1 (user)' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      await context.auth.send('PUT', '/user', { token, body: { data: { kept: 1, gone: 1 } } });
      const reply = await context.auth.send('PUT', '/user', { token, body: { data: { gone: null } } });
      assertStatus(reply, 200);
      const metadata = at(reply.json, 'user_metadata');
      assert.equal(at(metadata, 'kept'), 1);
      assert.ok(!Object.keys(metadata as object).includes('gone'), 'the key is gone');
    },
  ),
  audit(
    'AUTH-928',
    'the identity of an account by e-mail carries the address',
    { source },
    async (context) => {
      const { accessToken: token, email } = await context.newUser();
      const reply = await context.auth.send('GET', '/user', { token });
      assert.equal(at(reply.json, 'identities', 0, 'identity_data', 'email'), email);
      assert.equal(at(reply.json, 'identities', 0, 'provider'), 'email');
    },
  ),
  audit('AUTH-929', 'a refresh token is no access token', { source }, async (context) => {
    const { refreshToken: token } = await context.newUser();
    assertError(await context.auth.send('GET', '/user', { token }), 403, 'bad_jwt');
  }),
];
