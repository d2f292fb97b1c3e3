import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, textAt } from '../../target/wire.ts';
import { searchAuditLog } from './audit-log.ts';
import { assertRefusal } from './hook-call.ts';
import { generateLink, verifyToken } from './mail-link.ts';
import { assertOAuthError, posting, redirectOf, withApplication } from './oauth-application.ts';
import { fragmentOf, signInAtProvider, withProvider } from './provider.ts';

const audit = auditsOf('auth');
const ofMail = { source: 'protocol/auth.md#mail-links', since: '1.0.0' } as const;
const ofAdmin = {
  source: 'protocol/auth.md#administration',
  needs: ['service-key'],
  since: '1.0.0',
} as const;
const ofApplications = { ...ofAdmin, source: 'protocol/auth.md#oauth-server' } as const;
const ofProviders = { source: 'protocol/auth.md#oauth', since: '1.0.0' } as const;
const password = 'Secret-1 to be kept';
const failure = 'unexpected_failure';

/** Selects the first form of errors. */
const oldForm = { 'X-Supabase-Api-Version': '2023-01-01' };

/** Requests that few clients send, and what few projects set. */
export const oddRequestAudits: readonly Audit[] = [
  audit(
    'AUTH-1244',
    'a project may take a number of custom providers and no more',
    ofAdmin,
    async (context) => {
      const added: string[] = [];
      const add = async () => {
        const identifier = `custom:${context.run.newName()}`;
        const address = 'https://203.0.113.1/';
        const urls = { authorization_url: address, token_url: address, userinfo_url: address };
        const body = {
          provider_type: 'oauth2',
          identifier,
          name: 'Audit',
          client_id: 'a',
          client_secret: 'b',
        };
        const response = await context.admin('POST', '/custom-providers', { ...body, ...urls });
        if (response.status === 201) added.push(identifier);
        return response;
      };
      try {
        const responses = [await add(), await add()];
        const refused = responses.find(({ status }) => status !== 201);
        if (refused === undefined || refused.status === 404)
          throw new NotRunError('the project takes more custom providers, or none');
        const message = 'Maximum number of custom OAuth/OIDC providers reached';
        assertRefusal(refused, 400, 'over_custom_provider_quota', message);
        assert.equal(added.length, 1, 'the number of providers that were added');
      } finally {
        for (const identifier of added) await context.admin('DELETE', `/custom-providers/${identifier}`);
      }
    },
  ),
  audit(
    'AUTH-1245',
    'an authorization request of a project without a page for the consent is redirected with server_error',
    ofApplications,
    (context) =>
      withApplication(context, posting, async (application) => {
        const { searchParams } = await redirectOf(context, application, context.newPkce().challenge);
        if (searchParams.has('authorization_id')) throw new NotRunError('the project has such a page');
        const error_description = 'oauth authorization path not configured';
        const expected = { error: 'server_error', error_description, state: 'own state' };
        assert.deepEqual(Object.fromEntries(searchParams), expected, 'the query of the redirect');
      }),
  ),
  audit('AUTH-1246', 'a mail for an unknown method of PKCE fails', ofMail, async (context) => {
    const { email } = await context.newUser();
    const { code_challenge } = context.newPkce().challenge;
    const body = { email, code_challenge, code_challenge_method: 'md5' };
    const message = 'Unexpected failure, please check server logs for more information';
    assertRefusal(await context.auth.send('POST', '/recover', { body }), 500, failure, message);
    const failed = await context.auth.send('POST', '/recover', { body, headers: oldForm });
    assert.deepEqual(failed.json, { code: 500, error_code: failure, msg: message }, 'the first form');
  }),
  audit(
    'AUTH-1254',
    'a failure that the service expects has a number in the first form of errors',
    ofAdmin,
    async (context) => {
      const body = { email: context.newEmail(), password_hash: 'no hash' };
      const failed = await context.auth.send('POST', '/admin/users', {
        token: context.target.serviceKey ?? '',
        headers: oldForm,
        body,
      });
      const error_id = at(failed.json, 'error_id');
      assert.match(String(error_id), /^[\da-f-]{36}$/, 'error_id of the response');
      const expected = { code: 500, error_code: failure, msg: 'Error creating user', error_id };
      assert.deepEqual(failed.json, expected, 'the response');
    },
  ),
  audit(
    'AUTH-1247',
    'a sign-up whose mail cannot be sent leaves no account',
    { ...ofMail, needs: ['email-confirmation', 'service-key'] },
    async (context) => {
      const [name = '', host] = context.newEmail().split('@');
      const email = `${name}.@${host}`;
      const failed = await context.auth.send('POST', '/signup', { body: { email, password } });
      if (failed.status === 200) throw new NotRunError('the project sends mails to such addresses');
      assertRefusal(failed, 500, failure, 'Error sending confirmation email');
      const { json } = await context.admin('GET', `/users?filter=${encodeURIComponent(email)}`);
      assert.deepEqual(at(json, 'users'), [], 'the users with this address');
    },
  ),
  audit(
    'AUTH-1248',
    'a token with another signature is refused as such',
    { source: 'protocol/auth.md#access-token', since: '1.0.0' },
    async (context) => {
      const { accessToken } = await context.newUser();
      const [header, payload, signature = ''] = accessToken.split('.');
      const other = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
      const refused = await context.auth.send('GET', '/user', { token: `${header}.${payload}.${other}` });
      assertRefusal(
        refused,
        403,
        'bad_jwt',
        'invalid JWT: unable to parse or verify signature, token signature is invalid: signature is invalid',
      );
    },
  ),
  audit('AUTH-1249', 'a link of recovery confirms an account that is not', ofAdmin, async (context) => {
    const email = context.newEmail();
    assertStatus(await context.admin('POST', '/users', { email }), 200);
    const link = await generateLink(context, { type: 'recovery', email });
    const body = { type: 'recovery', token_hash: textAt(link, 'hashed_token') };
    const session = assertSession(await verifyToken(context, body));
    assert.equal(typeof at(session.json, 'user', 'email_confirmed_at'), 'string', 'email_confirmed_at');
    const entries = await searchAuditLog(context, `author:${email}`);
    const payloads = entries.map((entry) => at(entry, 'payload'));
    const signedUp = payloads.find((payload) => at(payload, 'action') === 'user_signedup');
    assert.deepEqual(at(signedUp, 'traits'), { provider: 'email' }, 'traits of user_signedup');
  }),
  audit(
    'AUTH-1250',
    'an unknown custom provider is refused by its name',
    ofProviders,
    async ({ auth, run }) => {
      const provider = `custom:${run.newName()}`;
      const begun = await auth.send('GET', '/authorize', { query: { provider } });
      const isClosed = begun.text.includes('disabled');
      const reason = isClosed
        ? 'custom OAuth providers are disabled'
        : `custom provider ${provider} not found`;
      assertRefusal(begun, 400, 'validation_failed', `Unsupported provider: ${reason}`);
      const request = { query: { grant_type: 'id_token' }, body: { provider, id_token: 'x' } };
      const granted = await auth.send('POST', '/token', request);
      const message = isClosed
        ? 'Custom OAuth providers are disabled'
        : `Custom provider "${provider}" not found`;
      assertRefusal(granted, 400, 'validation_failed', message);
    },
  ),
  audit(
    'AUTH-1251',
    'an invited user who signs up gets a mail, and no data of the invitation',
    { ...ofAdmin, needs: ['service-key', 'email-confirmation'] },
    async (context) => {
      const email = context.newEmail();
      const invited = await generateLink(context, { type: 'invite', email, data: { team: 'red' } });
      assertStatus(invited, 200);
      const signedUp = await context.auth.send('POST', '/signup', { body: { email, password } });
      assertStatus(signedUp, 200);
      assert.deepEqual(
        ['id', 'user_metadata', 'identities'].map((name) => at(signedUp.json, name)),
        [at(invited.json, 'id'), {}, []],
        'id, user_metadata and identities',
      );
    },
  ),
  audit(
    'AUTH-1252',
    'an address of two accounts signs in to none at a provider',
    { ...ofProviders, needs: ['database', 'service-key'] },
    withProvider(async (context) => {
      const email = context.newEmail();
      for (const { id } of [await context.newUser(), await context.newUser()]) {
        const data = JSON.stringify({ sub: id, email, email_verified: true });
        await context.query(
          `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
           values ($1, $2, $3::jsonb, 'gitlab', now(), now(), now())`,
          [id, id, data],
        );
      }
      const fragment = fragmentOf(await signInAtProvider(context, { email }));
      assert.deepEqual(
        ['error', 'error_code', 'error_description'].map((name) => fragment.get(name)),
        [
          'server_error',
          failure,
          // The service encodes the fragment twice.
          'Multiple accounts with the same email address in the same linking domain detected%3A default',
        ],
        'error, error_code and error_description of the page',
      );
    }),
  ),
  audit(
    'AUTH-1253',
    'an application without its secret, or without an id, has no tokens, and one in no JSON is not registered',
    ofApplications,
    (context) =>
      withApplication(context, {}, async ({ id }) => {
        const request = (credentials: string, body: object) =>
          context.auth.send('POST', '/oauth/token', {
            headers: { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
            body,
          });
        const grant = { grant_type: 'authorization_code' };
        const message = 'confidential clients must provide client_secret';
        assertRefusal(await request(`${id}:`, grant), 400, 'invalid_credentials', message);
        const anonymous = await request(':secret', grant);
        assertOAuthError(anonymous, 'invalid_client', 'Client authentication required');
        const refused = await context.admin('POST', '/oauth/clients', '{');
        assertRefusal(refused, 400, 'bad_json', 'Invalid JSON body');
      }),
  ),
];
