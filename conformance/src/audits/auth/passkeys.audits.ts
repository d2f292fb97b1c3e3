import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext, type AuditUser } from '../../audit/audit-context.ts';
import {
  assertError,
  assertStatus,
  assertStatusIn,
  at,
  jwtPartOf,
  textAt,
  type WireResponse,
} from '../../target/wire.ts';
import { searchAuditLog } from './audit-log.ts';
import { type Authenticator, createAuthenticator, keyOriginOf, refusedDeviations } from './authenticator.ts';
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

const verifyPasskey = (
  { auth }: AuditContext,
  ceremony: 'registration' | 'authentication',
  options: WireResponse,
  credential: unknown,
  token?: string,
) =>
  auth.send('POST', `/passkeys/${ceremony}/verify`, {
    ...(token === undefined ? {} : { token }),
    body: { challenge_id: textAt(options, 'challenge_id'), credential },
  });

/** Creates the key of a new authenticator for `user`. @throws NotRunError without passkeys for the project's site. */
async function registerPasskey(
  context: AuditContext,
  { accessToken: token }: AuditUser,
  deviation: Parameters<Authenticator['create']>[1] = {},
): Promise<{ readonly authenticator: Authenticator; readonly registered: WireResponse }> {
  if (!(await arePasskeysEnabled(context))) throw new NotRunError('passkeys are disabled');
  const options = await registrationOptions(context, token);
  assertStatus(options, 200);
  const publicKey = at(options.json, 'options');
  const origin = await keyOriginOf(context, at(publicKey, 'rp', 'id'));
  const authenticator = createAuthenticator(origin, deviation);
  const credential = authenticator.create(publicKey, deviation);
  return {
    authenticator,
    registered: await verifyPasskey(context, 'registration', options, credential, token),
  };
}

async function signInByPasskey(
  context: AuditContext,
  authenticator: Authenticator,
  deviation: Parameters<Authenticator['get']>[1] = {},
): Promise<WireResponse> {
  const options = await authenticationOptions(context);
  const credential = authenticator.get(at(options.json, 'options'), deviation);
  return verifyPasskey(context, 'authentication', options, credential);
}

const ofKeys = { source, since: '1.0.0' } as const;

/** The passkeys of a user and their ceremonies (WebAuthn). */
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
  audit(
    'AUTH-1015',
    'a passkey is registered, listed, renamed, excluded from the next registration, and signs in',
    ofKeys,
    async (context) => {
      const { auth } = context;
      const user = await context.newUser();
      const token = user.accessToken;
      const { authenticator, registered } = await registerPasskey(context, user);
      assertStatus(registered, 200);
      const [id, created_at] = [textAt(registered, 'id'), textAt(registered, 'created_at')];
      assert.deepEqual(registered.json, { id, friendly_name: 'Passkey', created_at }, 'the response');
      assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 120_000, 'created_at is the current time');
      assert.deepEqual(
        (await auth.send('GET', '/passkeys', { token })).json,
        [{ id, friendly_name: 'Passkey', created_at }],
        'the passkeys of the user',
      );
      for (const friendly_name of ['x'.repeat(120), 'Laptop']) {
        const renamed = await auth.send('PATCH', `/passkeys/${id}`, { token, body: { friendly_name } });
        assertStatus(renamed, 200);
        assert.deepEqual(renamed.json, { id, friendly_name, created_at }, 'the renamed passkey');
      }
      const { json } = await registrationOptions(context, token);
      assert.deepEqual(
        at(json, 'options', 'excludeCredentials'),
        [{ type: 'public-key', id: authenticator.id }],
        'excludeCredentials of the next registration',
      );
      const session = assertSession(await signInByPasskey(context, authenticator));
      assert.equal(at(session.json, 'user', 'id'), user.id, 'user.id of the session');
      // A hook of the project may add further methods.
      const methods = at(jwtPartOf(textAt(session, 'access_token')), 'amr') as readonly unknown[];
      assert.ok(
        methods.some((entry) => at(entry, 'method') === 'passkey'),
        'amr of the session names passkey',
        JSON.stringify(methods),
      );
      const [used] = (await auth.send('GET', '/passkeys', { token })).json as readonly unknown[];
      const last_used_at = at(used, 'last_used_at');
      assert.deepEqual(
        used,
        { id, friendly_name: 'Laptop', created_at, last_used_at },
        'the passkey after a sign-in',
      );
      assert.ok(
        Math.abs(Date.parse(String(last_used_at)) - Date.now()) < 120_000,
        'last_used_at is the current time',
      );
    },
  ),
  audit(
    'AUTH-1016',
    'a passkey is removed by its user, or by an administrator, and signs in no longer',
    { ...ofKeys, needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      const other = await context.newUser();
      const own = await registerPasskey(context, user);
      const second = await registerPasskey(context, user);
      const [ownId, secondId] = [textAt(own.registered, 'id'), textAt(second.registered, 'id')];
      const listed = await context.admin('GET', `/users/${user.id}/passkeys`);
      assert.deepEqual(
        (listed.json as readonly unknown[]).map((passkey) => at(passkey, 'id')),
        [ownId, secondId],
        'the ids of the passkeys, oldest first',
      );
      const remove = (token: string) => context.auth.send('DELETE', `/passkeys/${ownId}`, { token });
      assertError(await remove(other.accessToken), 404, 'validation_failed');
      const renamed = await context.auth.send('PATCH', `/passkeys/${ownId}`, {
        token: other.accessToken,
        body: { friendly_name: 'Mine' },
      });
      assertError(renamed, 404, 'validation_failed');
      assertSession(await signInByPasskey(context, own.authenticator));
      for (const removed of [
        await remove(user.accessToken),
        await context.admin('DELETE', `/users/${user.id}/passkeys/${secondId}`),
      ]) {
        assertStatus(removed, 204);
        assert.equal(removed.text, '', 'the body of the response');
      }
      for (const { authenticator } of [own, second])
        assertError(await signInByPasskey(context, authenticator), 400, 'webauthn_verification_failed');
      assert.deepEqual(
        (await context.admin('GET', `/users/${user.id}/passkeys`)).json,
        [],
        'the passkeys afterwards',
      );
    },
  ),
  audit(
    'AUTH-1017',
    'a registration with another origin, domain, ceremony or challenge, or without the user, is refused',
    ofKeys,
    async (context) => {
      const user = await context.newUser();
      for (const deviation of refusedDeviations) {
        const { registered } = await registerPasskey(context, user, deviation);
        assertError(registered, 400, 'webauthn_verification_failed');
      }
      const passkeys = await context.auth.send('GET', '/passkeys', { token: user.accessToken });
      assert.deepEqual(passkeys.json, [], 'the passkeys of the user');
    },
  ),
  audit(
    'AUTH-1018',
    'a sign-in with another origin, domain, ceremony, challenge, user or signature is refused',
    ofKeys,
    async (context) => {
      const [user, other] = [await context.newUser(), await context.newUser()];
      const { authenticator } = await registerPasskey(context, user);
      const { authenticator: unknown } = await registerPasskey(context, other, refusedDeviations[0]);
      const handleOf = (text: string) => Buffer.from(text).toString('base64url');
      for (const deviation of [
        ...refusedDeviations,
        { userHandle: handleOf(other.id) },
        { userHandle: handleOf(unknownId) },
        { userHandle: handleOf('x') },
        { userHandle: '' },
        { isBackupEligible: true },
      ])
        assertError(
          await signInByPasskey(context, authenticator, deviation),
          400,
          'webauthn_verification_failed',
        );
      assertError(await signInByPasskey(context, unknown), 400, 'webauthn_verification_failed');
      const options = await authenticationOptions(context);
      const { response, ...rest } = authenticator.get(at(options.json, 'options'));
      const forged = {
        ...rest,
        response: { ...response, signature: String(response['signature']).slice(0, -8) },
      };
      assertError(
        await verifyPasskey(context, 'authentication', options, forged),
        400,
        'webauthn_verification_failed',
      );
    },
  ),
  audit(
    'AUTH-1019',
    'a credential that lacks a member, or has one of another type, is refused',
    ofKeys,
    async (context) => {
      const user = await context.newUser();
      const { authenticator } = await registerPasskey(context, user);
      type Credential = ReturnType<Authenticator['get']>;
      const changed = ({ response, ...credential }: Credential): readonly unknown[] => [
        'credential',
        { ...credential, id: '', response },
        { ...credential, type: 'password', response },
        { ...credential, response: {} },
        { ...credential, response: { ...response, clientDataJSON: 'e' } },
        { ...credential, response: { ...response, clientDataJSON: 1 } },
        { ...credential, response: { ...response, clientDataJSON: Buffer.from('{').toString('base64url') } },
      ];
      const count = changed(authenticator.get({})).length;
      for (let index = 0; index < count; index += 1) {
        const options = await authenticationOptions(context);
        const credential = changed(authenticator.get(at(options.json, 'options')))[index];
        const refused = await verifyPasskey(context, 'authentication', options, credential);
        assertError(refused, 400, 'webauthn_verification_failed');
        const creation = await registrationOptions(context, user.accessToken);
        const key = createAuthenticator('').create(at(creation.json, 'options'));
        const unregistered = await verifyPasskey(
          context,
          'registration',
          creation,
          changed(key)[index],
          user.accessToken,
        );
        assertError(unregistered, 400, 'webauthn_verification_failed');
      }
    },
  ),
  audit(
    'AUTH-1020',
    'a sign-in accepts a counter that did not increase, and a key that was copied since',
    ofKeys,
    async (context) => {
      const user = await context.newUser();
      const copyable = { isBackupEligible: true, idBytes: 64, transports: ['usb', 'cable'] };
      const { authenticator, registered } = await registerPasskey(context, user, {
        ...copyable,
        aaguid: 'ea9b8d664d011d213ce4b6b48cb575d4',
      });
      assertStatus(registered, 200);
      assert.equal(at(registered.json, 'friendly_name'), 'Google Password Manager', 'friendly_name');
      for (const change of [{}, { isBackedUp: true }, { signCount: 0 }])
        assertSession(await signInByPasskey(context, authenticator, { ...copyable, ...change }));
    },
  ),
  audit(
    'AUTH-1021',
    'a banned user and one without a confirmed address do not sign in by a passkey',
    { ...ofKeys, needs: ['service-key', 'database'] },
    async (context) => {
      const user = await context.newUser();
      const { authenticator } = await registerPasskey(context, user);
      await context.admin('PUT', `/users/${user.id}`, { ban_duration: '1h' });
      assertError(await signInByPasskey(context, authenticator), 403, 'user_banned');
      await context.admin('PUT', `/users/${user.id}`, { ban_duration: 'none' });
      await context.query('update auth.users set email_confirmed_at = null where id = $1', [user.id]);
      assertError(await signInByPasskey(context, authenticator), 403, 'email_not_confirmed');
      await context.query(
        'update auth.users set email_confirmed_at = now(), phone = $2, phone_confirmed_at = null where id = $1',
        [user.id, context.newPhone()],
      );
      assertError(await signInByPasskey(context, authenticator), 403, 'phone_not_confirmed');
    },
  ),
  audit(
    'AUTH-1022',
    'a credential that is registered, also by another user, is not registered again',
    ofKeys,
    async (context) => {
      const [user, other] = [await context.newUser(), await context.newUser()];
      const { authenticator, registered } = await registerPasskey(context, user);
      assertStatus(registered, 200);
      for (const { accessToken: token } of [user, other]) {
        const options = await registrationOptions(context, token);
        const credential = authenticator.create(at(options.json, 'options'));
        const refused = await verifyPasskey(context, 'registration', options, credential, token);
        assertStatusIn(refused, [422, 500]);
        const code = refused.status === 422 ? 'webauthn_credential_exists' : 'unexpected_failure';
        assertError(refused, refused.status, code);
      }
    },
  ),
  audit(
    'AUTH-1023',
    'with a second factor, passkeys are registered and removed at aal2 alone',
    { ...ofKeys, needs: ['database'] },
    async (context) => {
      const user = await context.newUser();
      const token = user.accessToken;
      const { registered } = await registerPasskey(context, user);
      const pending = await registrationOptions(context, token);
      await context.query(
        `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
         values (gen_random_uuid(), $1, '', 'totp', 'verified', now(), now(), 'GEZDGNBVGY3TQOJQ')`,
        [user.id],
      );
      for (const refused of [
        await registrationOptions(context, token),
        await verifyPasskey(context, 'registration', pending, {}, token),
        await context.auth.send('DELETE', `/passkeys/${textAt(registered, 'id')}`, { token }),
      ])
        assertError(refused, 403, 'insufficient_aal');
      const renamed = await context.auth.send('PATCH', `/passkeys/${textAt(registered, 'id')}`, {
        token,
        body: { friendly_name: 'Laptop' },
      });
      assertStatus(renamed, 200);
    },
  ),
  audit(
    'AUTH-1024',
    'a user of single sign-on registers no passkey',
    { ...ofKeys, needs: ['database'] },
    async (context) => {
      if (!(await arePasskeysEnabled(context))) throw new NotRunError('passkeys are disabled');
      const { id, accessToken: token } = await context.newUser();
      const pending = await registrationOptions(context, token);
      await context.query('update auth.users set is_sso_user = true where id = $1', [id]);
      assertError(await registrationOptions(context, token), 422, 'validation_failed');
      const refused = await verifyPasskey(context, 'registration', pending, {}, token);
      assertError(refused, 422, 'validation_failed');
    },
  ),
  audit(
    'AUTH-1025',
    'a user with the maximum number of passkeys registers no further one',
    { ...ofKeys, needs: ['database'] },
    async (context) => {
      const user = await context.newUser();
      const token = user.accessToken;
      await registerPasskey(context, user);
      const pending = await registrationOptions(context, token);
      // Copies with other ids, because each registration needs two requests.
      await context.query(
        `insert into auth.webauthn_credentials
           select (jsonb_populate_record(credential, jsonb_build_object(
             'id', gen_random_uuid(), 'credential_id', '\\x' || md5(gen_random_uuid()::text)))).*
           from auth.webauthn_credentials credential, generate_series(1, 8) where user_id = $1`,
        [user.id],
      );
      const tenth = await registerPasskey(context, user);
      assertStatusIn(tenth.registered, [200, 422]);
      const next = await registrationOptions(context, token);
      if (next.status === 200) throw new NotRunError('the project allows more than ten passkeys');
      assertError(next, 422, 'too_many_passkeys');
      const credential = createAuthenticator(
        await keyOriginOf(context, at(pending.json, 'options', 'rp', 'id')),
      ).create(at(pending.json, 'options'));
      const refused = await verifyPasskey(context, 'registration', pending, credential, token);
      assertError(refused, 422, 'too_many_passkeys');
    },
  ),
  audit(
    'AUTH-1026',
    'the options of a registration show the name of the profile',
    ofKeys,
    async (context) => {
      const { accessToken: token, email } = await context.newUser();
      const userOf = async () => at((await registrationOptions(context, token)).json, 'options', 'user');
      if (!(await arePasskeysEnabled(context))) throw new NotRunError('passkeys are disabled');
      for (const [name, displayName] of [
        ['Ada', 'Ada'],
        ['', email],
        [1, email],
      ] as const) {
        await context.auth.send('PUT', '/user', { token, body: { data: { name } } });
        const { name: account, displayName: shown } = (await userOf()) as Record<string, unknown>;
        assert.deepEqual([account, shown], [email, displayName], 'name and displayName of the options');
      }
    },
  ),
  audit(
    'AUTH-1027',
    'the audit log names the passkey of each action, and its user where an administrator acts',
    { ...ofKeys, needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      const token = user.accessToken;
      const own = await registerPasskey(context, user);
      const second = await registerPasskey(context, user);
      const [ownId, secondId] = [textAt(own.registered, 'id'), textAt(second.registered, 'id')];
      const path = `/passkeys/${ownId}`;
      await context.auth.send('PATCH', path, { token, body: { friendly_name: 'Laptop' } });
      await signInByPasskey(context, own.authenticator);
      await context.auth.send('DELETE', path, { token });
      await context.admin('DELETE', `/users/${user.id}/passkeys/${secondId}`);
      const search = async (query: string) =>
        (await searchAuditLog(context, query)).map((entry) => at(entry, 'payload'));
      const entries = await search(`author:${user.email}`);
      assert.deepEqual(
        entries
          .filter((payload) => at(payload, 'traits', 'passkey_id') !== undefined)
          .map((payload) => ['action', 'log_type', 'traits'].map((member) => at(payload, member))),
        [
          ['passkey_deleted', 'user', { passkey_id: ownId }],
          ['login', 'account', { passkey_id: ownId }],
          ['passkey_updated', 'user', { passkey_id: ownId }],
          ['passkey_created', 'user', { passkey_id: secondId }],
          ['passkey_created', 'user', { passkey_id: ownId }],
        ],
        'action, type and traits of the entries of the user, newest first',
      );
      const removals = (await search('action:passkey_deleted')).map((payload) => at(payload, 'traits'));
      assert.deepEqual(
        removals.find((traits) => at(traits, 'passkey_id') === secondId),
        { user_id: user.id, passkey_id: secondId },
        'the traits of the removal by an administrator',
      );
    },
  ),
];
