import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, newAnonymousUser, type AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { NotRunError } from '../../target/target.ts';
import { at, jwtPartOf, textAt, type WireResponse } from '../../target/wire.ts';
import { generateLink } from './mail-link.ts';
import {
  approve,
  begin,
  posting,
  read,
  requestTokens,
  signIn,
  withApplication,
} from './oauth-application.ts';
import { ssoProviders, withOrganization } from './organization.ts';
import { enrollTotp } from './totp.ts';

const audit = auditsOf('auth');
const ofUser = { source: 'protocol/auth.md#user', since: '1.0.0' } as const;
const ofSession = { source: 'protocol/auth.md#session', since: '1.0.0' } as const;
const ofFactors = { source: 'protocol/auth.md#factors', since: '1.0.0' } as const;
const ofAdmin = {
  source: 'protocol/auth.md#administration',
  needs: ['service-key'],
  since: '1.0.0',
} as const;
const ofSso = { ...ofAdmin, source: 'protocol/auth.md#single-sign-on' } as const;
const ofOAuth = { ...ofAdmin, source: 'protocol/auth.md#oauth-server' } as const;

/** Asserts that an object has these members, separated by blanks, and no other. */
function assertMembers(value: unknown, members: string, subject: string): void {
  const found = Object.keys(value as object).toSorted();
  assert.deepEqual(found, members.split(' ').toSorted(), `the members of ${subject}`);
}

const userMembers =
  'id aud role email phone app_metadata user_metadata identities created_at updated_at is_anonymous';
const confirmed = `${userMembers} email_confirmed_at confirmed_at last_sign_in_at`;
const identityMembers = 'identity_id id user_id identity_data provider last_sign_in_at created_at updated_at';
const sessionMembers = 'access_token token_type expires_in expires_at refresh_token user';
const claims =
  'iss sub aud exp iat email phone app_metadata user_metadata role aal amr session_id is_anonymous';
const factorMembers = 'id created_at updated_at status friendly_name factor_type phone last_challenged_at';

const readOwn = ({ auth }: AuditContext, token: string): Promise<WireResponse> =>
  auth.send('GET', '/user', { token });

/** The members of responses. */
export const memberAudits: readonly Audit[] = [
  audit(
    'AUTH-1217',
    'a user has the members of its state, and an identity has its data',
    { ...ofUser, needs: ['service-key', 'email-confirmation'] },
    async (context) => {
      const { auth } = context;
      const user = await context.newUser();
      const { json } = await readOwn(context, user.accessToken);
      assertMembers(json, confirmed, 'a user');
      const identity = at(json, 'identities', 0);
      assertMembers(identity, `${identityMembers} email`, 'an identity');
      assert.deepEqual(
        at(identity, 'identity_data'),
        { email: user.email, email_verified: false, phone_verified: false, sub: user.id },
        'identity_data of an identity',
      );
      const signUp = (email: string) =>
        auth.send('POST', '/signup', { body: { email, password: 'Secret-1 to be kept' } });
      const email = context.newEmail();
      for (const address of [email, user.email])
        assertMembers((await signUp(address)).json, `${userMembers} confirmation_sent_at`, 'a new user');
      const changed = await auth.send('PUT', '/user', {
        token: user.accessToken,
        body: { email: context.newEmail() },
      });
      assertMembers(changed.json, `${confirmed} new_email email_change_sent_at`, 'a user with a new address');
      const created = await context.admin('POST', '/users', {
        email: context.newEmail(),
        phone: context.newPhone(),
        ban_duration: '1h',
      });
      assertMembers(created.json, `${userMembers} banned_until`, 'a user of an administrator');
      assertMembers(
        at(created.json, 'identities', 1),
        identityMembers,
        'an identity that belongs to a number',
      );
    },
  ),
  audit(
    'AUTH-1242',
    'the settings tell of each provider whether it is enabled',
    { source: 'protocol/auth.md#service-routes', level: 'SHOULD', since: '1.0.0' },
    async ({ auth }) => {
      const { json } = await auth.send('GET', '/settings');
      const external = at(json, 'external') as Readonly<Record<string, unknown>>;
      const names =
        'anonymous_users apple azure bitbucket discord facebook snapchat figma fly github gitlab google keycloak kakao linkedin linkedin_oidc notion spotify slack slack_oidc workos twitch twitter email phone zoom';
      for (const name of names.split(' '))
        assert.equal(typeof external[name], 'boolean', `the type of external.${name}`);
      assert.ok(!('' in external), 'no provider is without a name');
      const others =
        'disable_signup mailer_autoconfirm phone_autoconfirm saml_enabled passkeys_enabled saml_private_key_next_configured';
      for (const name of others.split(' '))
        assert.equal(typeof at(json, name), 'boolean', `the type of ${name}`);
      assert.equal(typeof at(json, 'sms_provider'), 'string', 'the type of sms_provider');
    },
  ),
  audit(
    'AUTH-1218',
    'an anonymous user has no identities and no times of proofs',
    ofUser,
    async (context) => {
      const session = await newAnonymousUser(context);
      const user = at(session.json, 'user');
      assertMembers(user, `${userMembers} last_sign_in_at`, 'an anonymous user');
      const values = ['email', 'phone', 'identities', 'app_metadata', 'is_anonymous'];
      assert.deepEqual(
        values.map((name) => at(user, name)),
        ['', '', [], {}, true],
        values.join(),
      );
    },
  ),
  audit('AUTH-1219', 'a session and its access token have their members', ofSession, async (context) => {
    const { email, password } = await context.newUser();
    const session = assertSession(await context.signIn(email, password));
    const refreshed = await context.auth.send('POST', '/token', {
      query: { grant_type: 'refresh_token' },
      body: { refresh_token: textAt(session, 'refresh_token') },
    });
    for (const [{ json }, members] of [
      [session, `${sessionMembers} weak_password`],
      [refreshed, sessionMembers],
    ] as const) {
      assertMembers(json, members, 'a session');
      assertMembers(jwtPartOf(at(json, 'access_token')), claims, 'an access token');
      assertMembers(at(json, 'user'), confirmed, 'the user of a session');
    }
    const method = at(jwtPartOf(textAt(session, 'access_token')), 'amr', 0);
    assertMembers(method, 'method timestamp', 'an entry of amr');
  }),
  audit(
    'AUTH-1220',
    'a factor, its challenge and its session have their members',
    ofFactors,
    async (context) => {
      const { auth } = context;
      const { id: userId, accessToken } = await context.newUser();
      const body = { factor_type: 'totp', friendly_name: 'other' };
      const enrolled = await auth.send('POST', '/factors', { token: accessToken, body });
      assertMembers(enrolled.json, 'id type friendly_name totp', 'an enrollment');
      assertMembers(at(enrolled.json, 'totp'), 'qr_code secret uri', 'totp');
      const id = textAt(enrolled, 'id');
      const challenged = await auth.send('POST', `/factors/${id}/challenge`, {
        token: accessToken,
        body: {},
      });
      assertMembers(challenged.json, 'id type expires_at', 'a challenge');
      const factor = await enrollTotp(context, accessToken);
      const raised = await factor.verify();
      assertMembers(raised.json, sessionMembers, 'the session of a factor');
      const token = textAt(raised, 'access_token');
      assertMembers(jwtPartOf(token), claims, 'the access token of a factor');
      assertMembers(at(raised.json, 'user'), `${confirmed} factors`, 'the user of a factor');
      const { json } = await readOwn(context, token);
      assertMembers(at(json, 'factors', 0), factorMembers, 'a factor of a user');
      assert.equal(at(json, 'factors', 0, 'phone'), '', 'the phone of a factor without a number');
      const removed = await auth.send('DELETE', `/factors/${factor.id}`, { token });
      assert.deepEqual(removed.json, { id: factor.id }, 'the response to a removal');
      assertMembers((await readOwn(context, token)).json, confirmed, `a user ${userId} without factors`);
    },
  ),
  audit(
    'AUTH-1221',
    'users and factors of an administrator have the members of their lists',
    ofAdmin,
    async (context) => {
      const { id, email, accessToken } = await context.newUser();
      const { json } = await context.admin('GET', `/users?filter=${encodeURIComponent(email)}`);
      assertMembers(json, 'aud users', 'a list of users');
      const listed = at(json, 'users', 0);
      assertMembers(listed, confirmed, 'a user of a list');
      assert.equal(at(listed, 'identities'), null, 'identities of a user of a list');
      const unconfirmed = await context.admin('POST', '/users', { email: context.newEmail() });
      const body = { email_confirm: true };
      const proved = await context.admin('PUT', `/users/${textAt(unconfirmed, 'id')}`, body);
      assertMembers(proved.json, `${userMembers} email_confirmed_at`, 'a user who is just confirmed');
      const own = (await context.admin('GET', `/users/${id}`)).json;
      assertMembers(own, confirmed, 'a user');
      assertMembers(at(own, 'identities', 0), `${identityMembers} email`, 'an identity of a user');
      const factor = await enrollTotp(context, accessToken);
      await factor.verify();
      const factors = (await context.admin('GET', `/users/${id}/factors`)).json;
      assertMembers(at(factors, 0), factorMembers, 'a factor of a list');
      const changed = await context.admin('PUT', `/users/${id}/factors/${factor.id}`, {
        friendly_name: 'renamed',
      });
      assertMembers(changed.json, factorMembers, 'a changed factor');
      const removed = await context.admin('DELETE', `/users/${id}/factors/${factor.id}`);
      assertMembers(removed.json, factorMembers, 'a removed factor');
      assert.deepEqual((await context.admin('GET', `/users/${id}/factors`)).json, [], 'the list of factors');
    },
  ),
  audit('AUTH-1222', 'a generated link has its members and those of its user', ofAdmin, async (context) => {
    const { email } = await context.newUser();
    const password = 'Secret-1 to be kept';
    const link = 'action_link email_otp hashed_token verification_type redirect_to';
    const links: readonly (readonly [object, string])[] = [
      [{ type: 'recovery', email }, `${confirmed} recovery_sent_at`],
      [{ type: 'magiclink', email }, `${confirmed} recovery_sent_at`],
      [{ type: 'signup', email: context.newEmail(), password }, `${userMembers} confirmation_sent_at`],
      [{ type: 'invite', email: context.newEmail() }, `${userMembers} confirmation_sent_at invited_at`],
    ];
    for (const [body, members] of links)
      assertMembers((await generateLink(context, body)).json, `${members} ${link}`, JSON.stringify(body));
  }),
  audit('AUTH-1223', 'an identity provider has its members', ofSso, (context) =>
    withOrganization(context, async ({ id, created }) => {
      const path = `${ssoProviders}/${id}`;
      const members = 'id saml domains disabled created_at updated_at';
      const saml = 'entity_id metadata_xml attribute_mapping';
      const named = await context.admin('PUT', path, { resource_id: context.run.newName(), disabled: false });
      for (const [{ json }, own] of [
        [created, members],
        [named, `${members} resource_id`],
        [await context.admin('GET', path), `${members} resource_id`],
      ] as const) {
        assertMembers(json, own, 'a provider');
        assertMembers(at(json, 'saml'), saml, 'saml of a provider');
        assertMembers(at(json, 'domains', 0), 'domain', 'a domain');
      }
      const items = at((await context.admin('GET', ssoProviders)).json, 'items') as readonly unknown[];
      const listed = items.find((item) => at(item, 'id') === id);
      assertMembers(listed, `${members} resource_id`, 'a provider of a list');
      assertMembers(at(listed, 'saml'), 'entity_id attribute_mapping', 'saml of a provider of a list');
    }),
  ),
  audit('AUTH-1224', 'a registered application has its members', ofOAuth, async (context) => {
    const members =
      'client_id client_type redirect_uris token_endpoint_auth_method grant_types response_types client_name registration_type created_at updated_at';
    const pages = { client_uri: 'https://app.example.com/', logo_uri: 'https://app.example.com/logo.png' };
    await withApplication(context, { ...posting, ...pages }, async ({ id, registered }) => {
      assertMembers(registered.json, `${members} client_secret client_uri logo_uri`, 'a registration');
      const { json } = await context.admin('GET', `/oauth/clients/${id}`);
      assertMembers(json, `${members} client_uri logo_uri`, 'an application');
      const changed = await context.admin('PUT', `/oauth/clients/${id}`, { client_uri: '' });
      assertMembers(changed.json, `${members} logo_uri`, 'a changed application');
      const renewed = await context.admin('POST', `/oauth/clients/${id}/regenerate_secret`);
      assertMembers(renewed.json, `${members} client_secret logo_uri`, 'an application with a new secret');
    });
    await withApplication(context, { token_endpoint_auth_method: 'none' }, async ({ registered }) => {
      assertMembers(registered.json, members, 'a public application');
    });
  }),
  audit(
    'AUTH-1225',
    'the tokens, the consent and the grant of an application have their members',
    ofOAuth,
    (context) =>
      withApplication(context, posting, async (application) => {
        const user = await context.newUser();
        const pkce = context.newPkce();
        const id = await begin(context, application, pkce, 'email');
        const asked = await read(context, user, id);
        assertMembers(asked.json, 'authorization_id redirect_uri client user scope', 'a request');
        assertMembers(at(asked.json, 'client'), 'id name', 'client of a request');
        assertMembers(at(asked.json, 'user'), 'id email', 'user of a request');
        const code = await approve(context, user, application, pkce, 'email');
        const grant = { grant_type: 'authorization_code', code, code_verifier: pkce.verifier };
        const tokens = await requestTokens(context, application, grant);
        const members = 'access_token token_type expires_in refresh_token';
        assertMembers(tokens.json, members, 'the tokens');
        assertMembers(
          jwtPartOf(textAt(tokens, 'access_token')),
          `${claims} client_id scope`,
          'the access token',
        );
        const refreshed = await requestTokens(context, application, {
          grant_type: 'refresh_token',
          refresh_token: textAt(tokens, 'refresh_token'),
        });
        assertMembers(refreshed.json, members, 'the refreshed tokens');
        const grants = await context.auth.send('GET', '/user/oauth/grants', { token: user.accessToken });
        assertMembers(at(grants.json, 0), 'client scopes granted_at', 'a grant');
        assertMembers(at(grants.json, 0, 'client'), 'id name', 'client of a grant');
      }),
  ),
  audit(
    'AUTH-1226',
    'an ID token of an application has the claims of its scopes and no other',
    ofOAuth,
    (context) =>
      withApplication(context, posting, async (application) => {
        const user = await context.newUser();
        const base = 'iss sub aud exp iat auth_time nonce client_id email_verified phone_number_verified';
        for (const [scope, own] of [
          ['openid', base],
          ['openid email', `${base} email`],
          ['openid phone', base],
          ['openid profile', `${base} name updated_at`],
        ] as const) {
          const tokens = await signIn(context, user, application, scope).catch((problem: unknown) => {
            if (String(problem).includes('Error generating ID token'))
              throw new NotRunError('a shared secret signs no ID tokens');
            throw problem;
          });
          assertMembers(jwtPartOf(textAt(tokens, 'id_token')), own, `an ID token with ${scope}`);
        }
      }),
  ),
];
