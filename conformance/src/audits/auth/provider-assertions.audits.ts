import { createHash } from 'node:crypto';
import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext } from '../../audit/audit-context.ts';
import {
  assertError,
  assertStatus,
  at,
  jwtPartOf,
  locationOf,
  textAt,
  type WireResponse,
} from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';
import { assertRefusal } from './hook-call.ts';
import { assertOAuthError } from './oauth-application.ts';
import { withOrganization } from './organization.ts';
import {
  type Person,
  type ProviderContext,
  withProvider,
  visitPage,
  beginAtProvider,
  openCallback,
  fragmentOf,
  readUser,
  identitiesOf,
  providersOf,
  membersOf,
  assertTokens,
  methodsOf,
} from './provider.ts';

const audit = auditsOf('auth');
const ofOAuth = { source: 'protocol/auth.md#oauth', since: '1.0.0' } as const;
const ofIdentities = { source: 'protocol/auth.md#identities', since: '1.0.0' } as const;
const ofSso = { source: 'protocol/auth.md#single-sign-on', needs: ['service-key'], since: '1.0.0' } as const;

/** Signs an ID token of the provider for a person. */
async function issueIdToken(
  context: ProviderContext,
  { email, isVerified = true, name }: Person,
  claims: object = {},
): Promise<string> {
  const page = await beginAtProvider(context);
  const issued = await context.auth.send('POST', new URL('id_token', page).href, {
    body: { email, email_verified: isVerified, ...(name === undefined ? {} : { name }), claims },
  });
  return textAt(issued, 'id_token');
}

const grantIdToken = (
  { auth, provider }: ProviderContext,
  body: object,
  token?: string,
): Promise<WireResponse> =>
  auth.send('POST', '/token', {
    query: { grant_type: 'id_token' },
    body: { provider, ...body },
    ...(token === undefined ? {} : { token }),
  });

const readUserOf = ({ auth }: AuditContext, session: WireResponse): Promise<WireResponse> =>
  auth.send('GET', '/user', { token: textAt(session, 'access_token') });

/** Signs in at the identity provider of an organization and returns the page that its assertion leads to. */
async function signInAtOrganization(
  context: AuditContext,
  domain: string,
  email: string,
  fields: object = {},
): Promise<URL> {
  const begun = await context.auth.send('POST', '/sso', {
    body: { domain, skip_http_redirect: true, redirect_to: context.target.redirectTo, ...fields },
  });
  const callback = await visitPage(context, new URL(textAt(begun, 'url')), { email });
  const consumed = await openCallback(context, callback);
  assertStatus(consumed, 302);
  return locationOf(consumed);
}

/** Sign-ins by what a provider has signed: ID tokens, and assertions of organizations. */
export const providerAssertionAudits: readonly Audit[] = [
  audit(
    'AUTH-777',
    'an ID token signs in to an account with its profile',
    ofOAuth,
    withProvider(async (context) => {
      const { provider } = context;
      const email = context.newEmail();
      const picture = 'https://example.com/ada.png';
      const id_token = await issueIdToken(context, { email, name: 'Ada' }, { picture });
      const session = assertSession(await grantIdToken(context, { id_token }));
      const user = at(session.json, 'user');
      assert.deepEqual(
        membersOf(at(user, 'user_metadata'), [
          'email',
          'email_verified',
          'phone_verified',
          'name',
          'full_name',
          'picture',
          'avatar_url',
        ]),
        provider === 'google'
          ? [email, true, false, 'Ada', 'Ada', picture, picture]
          : [email, true, false, 'Ada', undefined, picture, undefined],
        'user_metadata of the user',
      );
      assert.deepEqual(
        membersOf(at(user, 'app_metadata'), ['provider', 'providers']),
        [provider, [provider]],
        'provider and providers',
      );
      const amr = at(jwtPartOf(textAt(session, 'access_token')), 'amr', 0, 'method');
      assert.equal(amr, 'oauth', 'the method of the session');
      assert.equal(at(session.json, 'provider_token'), undefined, 'provider_token of the session');
    }),
  ),
  audit(
    'AUTH-1237',
    'the claims of an ID token of Keycloak are stored under their own names, with its times and its audience',
    ofOAuth,
    withProvider(
      async (context) => {
        const email = context.newEmail();
        const picture = 'https://example.com/ada.png';
        for (const [name, more] of [
          ['Ada', { picture }],
          ['Ada', {}],
        ] as const) {
          const id_token = await issueIdToken(context, { email, name }, more);
          const session = assertSession(await grantIdToken(context, { id_token }));
          const { iss, sub, aud, iat, exp } = jwtPartOf(id_token) as Readonly<Record<string, unknown>>;
          const times = { iat, exp, aud: [aud].flat() };
          const claims = { iss, sub, email, email_verified: true, phone_verified: false, name };
          const identity = identitiesOf(await readUserOf(context, session))[0];
          assert.deepEqual(at(identity, 'identity_data'), { ...claims, ...times, ...more }, 'identity_data');
          const byIssuer = { provider: '', issuer: iss, client_id: 'any', id_token };
          assertSession(await grantIdToken(context, byIssuer));
        }
      },
      ['keycloak'],
    ),
  ),
  audit(
    'AUTH-782',
    'the nonce of an ID token and the hash of its access token are verified',
    ofOAuth,
    withProvider(async (context) => {
      const nonce = context.run.newName();
      const hash = (text: string) => createHash('sha256').update(text).digest();
      const at_hash = hash('an access token').subarray(0, 16).toString('base64url');
      const person = { email: context.newEmail() };
      const id_token = await issueIdToken(context, person, { nonce: hash(nonce).toString('hex'), at_hash });
      const plain = await issueIdToken(context, person);
      for (const accepted of [
        { id_token, nonce, access_token: 'an access token' },
        { id_token, nonce },
        { id_token: plain },
        { id_token: plain, access_token: 'unused' },
      ])
        assertSession(await grantIdToken(context, accepted));
      const either = 'Passed nonce and nonce in id_token should either both exist or not.';
      for (const [changed, error, description] of [
        [{ id_token, nonce: 'another' }, 'invalid nonce', 'Nonces mismatch'],
        [{ id_token }, 'invalid request', either],
        [{ id_token: plain, nonce }, 'invalid request', either],
        [{ id_token, nonce, access_token: 'another' }, 'invalid request', 'Bad ID token'],
        [{ id_token: `${id_token.slice(0, -8)}AAAAAAAA`, nonce }, 'invalid request', 'Bad ID token'],
      ] as const)
        assertOAuthError(await grantIdToken(context, changed), error, description);
    }),
  ),
  audit(
    'AUTH-778',
    'an ID token of another audience or issuer, without a subject, or after its time is refused',
    ofOAuth,
    withProvider(async (context) => {
      const person = { email: context.newEmail() };
      for (const [claims, description] of [
        [{ aud: 'another' }, 'Unacceptable audience in id_token: [another]'],
        [{ aud: ['one', 'another'] }, 'Unacceptable audience in id_token: [one another]'],
        [{ aud: [] }, 'Unacceptable audience in id_token: []'],
        [{ iss: 'https://issuer.example.com' }, 'Bad ID token'],
        [{ exp: 1 }, 'Bad ID token'],
        [{ sub: '' }, 'Missing sub claim in id_token'],
      ] as const) {
        const id_token = await issueIdToken(context, person, claims);
        assertOAuthError(await grantIdToken(context, { id_token }), 'invalid request', description);
      }
      assertOAuthError(await grantIdToken(context, {}), 'invalid request', 'id_token required');
    }),
  ),
  audit(
    'AUTH-1255',
    'an ID token without an address, or with claims of another type, signs in to no account',
    { ...ofOAuth, needs: ['service-key'] },
    withProvider(async (context) => {
      const { provider } = context;
      const person = { email: context.newEmail() };
      for (const claims of [{ name: 5 }, { picture: [] }, { email: 5 }]) {
        const id_token = await issueIdToken(context, person, claims);
        assertOAuthError(await grantIdToken(context, { id_token }), 'invalid request', 'Bad ID token');
      }
      const sub = context.run.newName();
      const id_token = await issueIdToken(context, person, { sub, email: '' });
      const refused = await grantIdToken(context, { id_token });
      if (refused.status === 200) throw new NotRunError('the provider needs no address');
      // The account exists nevertheless, and is found by a later token of the person.
      const found = assertSession(
        await grantIdToken(context, { id_token: await issueIdToken(context, person, { sub }) }),
      );
      await context.admin('DELETE', `/users/${textAt(found, 'user', 'id')}`);
      const message = `Unverified email with ${provider}. Verify the email with ${provider} in order to sign in`;
      assertRefusal(refused, 422, 'provider_email_needs_verification', message);
    }),
  ),
  audit(
    'AUTH-783',
    'an ID token with an unverified address signs in once the address is confirmed',
    { ...ofOAuth, needs: ['mailbox', 'email-confirmation'] },
    withProvider(async (context) => {
      const email = context.newEmail();
      const id_token = await issueIdToken(context, { email, isVerified: false });
      assertError(await grantIdToken(context, { id_token }), 422, 'provider_email_needs_verification');
      const body = { type: 'signup', email, token: await context.mailedCode(email) };
      assertSession(await context.auth.send('POST', '/verify', { body }));
      const session = assertSession(await grantIdToken(context, { id_token }));
      assert.equal(at(session.json, 'user', 'email'), email, 'user.email of the session');
    }),
  ),
  audit(
    'AUTH-779',
    'an ID token with link_identity is linked to the signed-in user',
    ofIdentities,
    withProvider(async (context) => {
      const { provider } = context;
      const user = await context.newUser();
      const id_token = await issueIdToken(context, { email: context.newEmail(), name: 'Ada' });
      const linking = (token?: string) => grantIdToken(context, { id_token, link_identity: true }, token);
      assertOAuthError(
        await linking(),
        'invalid request',
        'Linking requires a valid user access token in Authorization',
      );
      const linked = assertSession(await linking(user.accessToken));
      assert.deepEqual(
        membersOf(at(linked.json, 'user'), ['id', 'email']),
        [user.id, user.email],
        'id and email of the user',
      );
      assert.deepEqual(
        at(linked.json, 'user', 'app_metadata', 'providers'),
        ['email', provider],
        'app_metadata.providers of the user',
      );
      assertError(await linking(user.accessToken), 422, 'identity_already_exists');
      assertSession(await grantIdToken(context, { id_token }));
    }),
  ),
  audit(
    'AUTH-780',
    'a person of an organization signs in to another account than that of the address',
    ofSso,
    (context) =>
      withOrganization(context, async ({ id, entityId, domain }) => {
        const email = context.newEmail();
        // An account of the address that is no account of the organization.
        await context.admin('POST', '/users', { email, email_confirm: true });
        const page = await signInAtOrganization(context, domain, email);
        assert.equal(page.href.split('#')[0], context.target.redirectTo, 'the page');
        assertTokens(page, ['access_token', 'expires_at', 'expires_in', 'refresh_token', 'sb', 'token_type']);
        assert.deepEqual(methodsOf(page), [['sso/saml', id]], 'amr of the session');
        const user = await readUser(context, page);
        assert.deepEqual(
          [at(user.json, 'email'), ...providersOf(user)],
          [email, `sso:${id}`, [`sso:${id}`]],
          'email, provider and providers of the user',
        );
        const data = at(identitiesOf(user)[0], 'identity_data');
        assert.deepEqual(
          data,
          {
            iss: entityId,
            sub: at(identitiesOf(user)[0], 'id'),
            email,
            email_verified: true,
            phone_verified: false,
            custom_claims: {},
          },
          'identity_data of the identity',
        );
        assert.deepEqual(at(user.json, 'user_metadata'), data, 'user_metadata of the user');
        const again = await readUser(context, await signInAtOrganization(context, domain, email));
        assert.equal(at(again.json, 'id'), at(user.json, 'id'), 'the id of the user');
        const token = fragmentOf(page).get('access_token') ?? '';
        for (const body of [{ email: context.newEmail() }, { password: 'Secret-2 of Ada' }])
          assertError(await context.auth.send('PUT', '/user', { token, body }), 422, 'user_sso_managed');
      }),
  ),
  audit(
    'AUTH-781',
    'a sign-in of an organization has a code if it began with a challenge, and leads to allowed pages alone',
    ofSso,
    (context) =>
      withOrganization(context, async ({ domain }) => {
        const email = context.newEmail();
        const foreign = await signInAtOrganization(context, domain, email, {
          redirect_to: 'https://audit.example.com/',
        });
        assert.notEqual(foreign.origin, 'https://audit.example.com', 'the page of a foreign redirect_to');
        const { challenge, verifier } = context.newPkce();
        const page = await signInAtOrganization(context, domain, email, challenge);
        assert.deepEqual(
          [...page.searchParams.keys(), page.hash],
          ['code', ''],
          'query and fragment of the page',
        );
        const session = assertSession(
          await context.auth.send('POST', '/token', {
            query: { grant_type: 'pkce' },
            body: { auth_code: page.searchParams.get('code'), code_verifier: verifier },
          }),
        );
        assert.equal(at(session.json, 'user', 'email'), email, 'user.email of the session');
      }),
  ),
];
