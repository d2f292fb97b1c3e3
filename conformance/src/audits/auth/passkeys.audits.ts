import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, textAt } from '../../target/wire.ts';
import { assertNoAuthorization } from './no-authorization.ts';
import { NotRunError } from '../../target/target.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#passkeys';
const unknownId = '7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11';

/** The passkey routes that need a session, with a body that passes the first checks. */
const guardedRoutes: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/passkeys/registration/options', {}],
  ['POST', '/passkeys/registration/verify', { challenge_id: unknownId, credential: {} }],
  ['GET', '/passkeys'],
  ['PATCH', `/passkeys/${unknownId}`, { friendly_name: 'Laptop' }],
  ['DELETE', `/passkeys/${unknownId}`],
];

const registrationOptions = ({ auth }: AuditContext, token: string) =>
  auth.send('POST', '/passkeys/registration/options', { token, body: {} });
const authenticationOptions = ({ auth }: AuditContext) =>
  auth.send('POST', '/passkeys/authentication/options', { body: {} });

function assertChallenge(response: Awaited<ReturnType<typeof authenticationOptions>>): void {
  assert.match(
    textAt(response, 'challenge_id'),
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
    'challenge_id of the response',
  );
  assert.match(textAt(response, 'options', 'challenge'), /^[\w-]{43}$/, 'options.challenge of the response');
  const aheadS = Number(at(response.json, 'expires_at')) - Date.now() / 1000;
  assert.ok(aheadS > 0, 'the challenge expires in the future', `${aheadS} s`);
}

async function arePasskeysEnabled({ auth }: AuditContext): Promise<boolean> {
  return at((await auth.send('GET', '/settings')).json, 'passkeys_enabled') === true;
}

/** The passkey audits that need no authenticator. */
export const passkeyAudits: readonly Audit[] = [
  audit('AUTH-1001', 'the settings tell whether passkeys are enabled', { source }, async ({ auth }) => {
    const { json } = await auth.send('GET', '/settings');
    assert.equal(typeof at(json, 'passkeys_enabled'), 'boolean', 'type of passkeys_enabled of the response');
  }),
  audit(
    'AUTH-1002',
    'a server without passkeys responds to all their routes with passkey_disabled',
    { source },
    async (context) => {
      if (await arePasskeysEnabled(context)) throw new NotRunError('passkeys are enabled');
      for (const [method, path, body] of guardedRoutes)
        assertError(
          await context.auth.send(method, path, body === undefined ? {} : { body }),
          404,
          'passkey_disabled',
        );
      assertError(await authenticationOptions(context), 404, 'passkey_disabled');
    },
  ),
  audit(
    'AUTH-1003',
    'registering and managing passkeys is refused without a session',
    { source },
    async ({ auth }) => {
      for (const [method, path, body] of guardedRoutes)
        assertNoAuthorization(await auth.send(method, path, body === undefined ? {} : { body }));
    },
  ),
  audit('AUTH-1004', 'the options of a sign-in name no user', { source }, async (context) => {
    const response = await authenticationOptions(context);
    assertStatus(response, 200);
    assertChallenge(response);
    assert.notEqual(textAt(response, 'options', 'rpId'), '', 'options.rpId of the response');
    assert.equal(
      at(response.json, 'options', 'allowCredentials'),
      undefined,
      'options.allowCredentials of the response',
    );
    assert.equal(
      at(response.json, 'options', 'userVerification'),
      'preferred',
      'options.userVerification of the response',
    );
    assert.equal(at(response.json, 'options', 'timeout'), 300_000, 'options.timeout of the response');
  }),
  audit(
    'AUTH-1005',
    'the options of a registration name the user and require a discoverable credential',
    { source },
    async (context) => {
      const user = await context.newUser();
      const response = await registrationOptions(context, user.accessToken);
      assertStatus(response, 200);
      assertChallenge(response);
      assert.equal(
        at(response.json, 'options', 'user', 'name'),
        user.email,
        'options.user.name of the response',
      );
      assert.equal(
        Buffer.from(textAt(response, 'options', 'user', 'id'), 'base64url').toString(),
        user.id,
        'the text',
      );
      assert.deepEqual(
        at(response.json, 'options', 'authenticatorSelection'),
        {
          residentKey: 'required',
          userVerification: 'preferred',
        },
        'options.authenticatorSelection of the response',
      );
      assert.equal(
        at(response.json, 'options', 'attestation'),
        'none',
        'options.attestation of the response',
      );
      assert.deepEqual(
        at(response.json, 'options', 'pubKeyCredParams', 0),
        { type: 'public-key', alg: -7 },
        'options.pubKeyCredParams.0 of the response',
      );
    },
  ),
  audit('AUTH-1006', 'a new user has no passkeys', { source }, async (context) => {
    const { accessToken: token } = await context.newUser();
    const response = await context.auth.send('GET', '/passkeys', { token });
    assertStatus(response, 200);
    assert.deepEqual(response.json, [], 'the response');
  }),
  audit('AUTH-1007', 'an unknown passkey is refused as validation_failed', { source }, async (context) => {
    const { accessToken: token } = await context.newUser();
    for (const id of [unknownId, 'x']) {
      const body = { friendly_name: 'Laptop' };
      const renamed = await context.auth.send('PATCH', `/passkeys/${id}`, { token, body });
      assertError(renamed, 404, 'validation_failed');
      const removed = await context.auth.send('DELETE', `/passkeys/${id}`, { token });
      assertError(removed, 404, 'validation_failed');
    }
  }),
  audit(
    'AUTH-1008',
    'a name of no byte and of 121 bytes is refused as validation_failed',
    { source },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      for (const name of ['', 'x'.repeat(121)]) {
        const body = { friendly_name: name };
        const response = await context.auth.send('PATCH', `/passkeys/${unknownId}`, { token, body });
        assertError(response, 400, 'validation_failed');
      }
    },
  ),
  audit(
    'AUTH-1009',
    'an unknown challenge is refused as webauthn_challenge_not_found',
    { source },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const body = { challenge_id: unknownId, credential: {} };
      for (const ceremony of ['registration', 'authentication']) {
        const response = await context.auth.send('POST', `/passkeys/${ceremony}/verify`, { token, body });
        assertError(response, 400, 'webauthn_challenge_not_found');
      }
    },
  ),
  audit(
    'AUTH-1010',
    'a challenge serves once, and only its own ceremony and user',
    { source },
    async (context) => {
      const [user, other] = [await context.newUser(), await context.newUser()];
      const verify = (ceremony: string, challengeId: string, token: string) =>
        context.auth.send('POST', `/passkeys/${ceremony}/verify`, {
          token,
          body: { challenge_id: challengeId, credential: {} },
        });
      const forSignIn = textAt(await authenticationOptions(context), 'challenge_id');
      const forUser = textAt(await registrationOptions(context, user.accessToken), 'challenge_id');
      const notFound = 'webauthn_challenge_not_found';
      assertError(await verify('registration', forSignIn, user.accessToken), 400, notFound);
      assertError(await verify('authentication', forUser, user.accessToken), 400, notFound);
      assertError(await verify('registration', forUser, other.accessToken), 400, notFound);
      for (const [ceremony, challengeId] of [
        ['authentication', forSignIn],
        ['registration', forUser],
      ] as const) {
        const refused = await verify(ceremony, challengeId, user.accessToken);
        assertError(refused, 400, 'webauthn_verification_failed');
        assertError(await verify(ceremony, challengeId, user.accessToken), 400, notFound);
      }
    },
  ),
  audit(
    'AUTH-1011',
    'a verification without challenge_id or credential is refused as validation_failed',
    { source },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      for (const ceremony of ['registration', 'authentication'])
        for (const body of [
          { credential: {} },
          { challenge_id: unknownId },
          { challenge_id: 'x', credential: {} },
        ]) {
          const response = await context.auth.send('POST', `/passkeys/${ceremony}/verify`, { token, body });
          assertError(response, 400, 'validation_failed');
        }
    },
  ),
  audit(
    'AUTH-1012',
    'an administrator lists the passkeys of a user, enabled or not',
    { source, needs: ['service-key'] },
    async (context) => {
      const { id } = await context.newUser();
      const listed = await context.admin('GET', `/users/${id}/passkeys`);
      assertStatus(listed, 200);
      assert.deepEqual(listed.json, [], 'the listed objects');
      const removed = await context.admin('DELETE', `/users/${id}/passkeys/${unknownId}`);
      assertError(removed, 404, 'validation_failed');
    },
  ),
  audit(
    'AUTH-1013',
    'the options of a registration name the party, the keys and their time as those of a sign-in do',
    { source, since: '1.0.0' },
    async (context) => {
      const user = await context.newUser();
      const signIn = await authenticationOptions(context);
      const { json } = await registrationOptions(context, user.accessToken);
      assert.deepEqual(
        [
          at(json, 'options', 'rp', 'id'),
          typeof at(json, 'options', 'rp', 'name'),
          at(json, 'options', 'timeout'),
        ],
        [at(signIn.json, 'options', 'rpId'), 'string', 300_000],
        'rp.id, the type of rp.name, and timeout of the options',
      );
      const parameters = at(json, 'options', 'pubKeyCredParams') as readonly unknown[];
      const algorithms = parameters.map((parameter) => at(parameter, 'alg'));
      for (const algorithm of [-7, -257, -8])
        assert.ok(algorithms.includes(algorithm), `the algorithm ${algorithm} is offered`, algorithms.join());
      assert.equal(at(json, 'options', 'user', 'displayName'), user.email, 'user.displayName of the options');
      assert.equal(
        at(json, 'options', 'excludeCredentials', 0),
        undefined,
        'excludeCredentials.0 of the options',
      );
      for (const response of [json, signIn.json]) {
        const seconds = Number(at(response, 'expires_at')) - Date.now() / 1000;
        assert.ok(seconds > 30 && seconds < 1000, 'expires_at is some minutes ahead', `${seconds} seconds`);
      }
    },
  ),
  audit(
    'AUTH-1014',
    'an old challenge is refused as webauthn_challenge_expired, and then unknown',
    { source, needs: ['database'], since: '1.0.0' },
    async (context) => {
      const challenge_id = textAt(await authenticationOptions(context), 'challenge_id');
      await context.query(
        "update auth.webauthn_challenges set created_at = created_at - interval '1 day', expires_at = expires_at - interval '1 day' where id = $1",
        [challenge_id],
      );
      const verify = () =>
        context.auth.send('POST', '/passkeys/authentication/verify', {
          body: { challenge_id, credential: {} },
        });
      assertError(await verify(), 400, 'webauthn_challenge_expired');
      assertError(await verify(), 400, 'webauthn_challenge_not_found');
    },
  ),
];
