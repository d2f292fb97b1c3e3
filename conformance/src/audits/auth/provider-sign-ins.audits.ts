import { createHash } from 'node:crypto';
import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext } from '../../audit/audit-context.ts';
import { metadataOf } from '../../target/run.ts';
import { NotRunError } from '../../target/target.ts';
import {
  assertError,
  assertStatus,
  at,
  jwtPartOf,
  locationOf,
  textAt,
  type WireResponse,
} from '../../target/wire.ts';
import { withOrganization } from './organization.ts';

const audit = auditsOf('auth');
const ofOAuth = { source: 'protocol/auth.md#oauth', since: '1.0.0' } as const;
const ofIdentities = { source: 'protocol/auth.md#identities', since: '1.0.0' } as const;
const ofSso = {
  source: 'protocol/auth.md#single-sign-on',
  needs: ['service-key'],
  since: '1.0.0',
} as const;
/** The providers whose page a project can have on its own origin or on this machine. */
const providers = ['google', 'keycloak'];

type Params = Readonly<Record<string, string>>;

/** The person of a sign-in at the provider's page. */
interface Person {
  readonly email: string;
  readonly isVerified?: boolean;
  readonly name?: string;
  readonly sub?: string;
}

/** The context of an audit of a provider whose page answers without a person. */
interface ProviderContext extends AuditContext {
  readonly provider: string;
}

// Other pages get no request: they belong to companies, and the request contains the key of the project.
const answersByItself = ({ auth }: AuditContext, page: URL): boolean =>
  page.origin === new URL(auth.baseUrl).origin || ['127.0.0.1', 'localhost'].includes(page.hostname);

/** @throws NotRunError if every provider of the project needs a person or is out of the server's reach. */
async function findProvider(context: AuditContext): Promise<string> {
  const settings = await context.auth.send('GET', '/settings');
  const enabled = providers.filter((provider) => at(settings.json, 'external', provider) === true);
  if (enabled.length === 0) throw new NotRunError(`none of ${providers.join(' and ')} is enabled`);
  for (const provider of enabled) {
    const begun = await context.auth.send('GET', '/authorize', { query: { provider } });
    if (String(at(begun.json, 'message')).startsWith('Unsupported provider: Get "')) continue;
    assertStatus(begun, 302);
    if (answersByItself(context, locationOf(begun))) return provider;
  }
  throw new NotRunError('the providers of the project need a person, or the server cannot reach them');
}

// The context is inherited and not spread, because it throws for services that the target lacks.
const withProvider =
  (run: (context: ProviderContext) => Promise<void>): Audit['run'] =>
  async (context) =>
    run(Object.assign(Object.create(context) as AuditContext, { provider: await findProvider(context) }));

/** Opens the page of a provider for a person, and returns the callback with the provider's answer. */
async function visitPage(
  context: AuditContext,
  page: URL,
  { email, isVerified = true, name = '', sub = '' }: Person,
): Promise<string> {
  const { auth } = context;
  if (!answersByItself(context, page)) throw new NotRunError('the identity provider needs a person');
  const asked = { prompt: 'none', login_hint: email, email_verified: String(isVerified), name, sub };
  const visited = await auth.send('GET', page.href, { query: asked });
  assertStatus(visited, 303);
  return locationOf(visited).href;
}

/** Begins a sign-in, or with a token the linking of an identity, and returns the provider's page. */
async function begin(
  { auth, target, provider }: ProviderContext,
  query: Params = {},
  token?: string,
): Promise<URL> {
  const begun = await auth.send('GET', token === undefined ? '/authorize' : '/user/identities/authorize', {
    query: { provider, redirect_to: target.redirectTo, ...query },
    ...(token === undefined ? {} : { token }),
  });
  if (at(begun.json, 'code') === 'manual_linking_disabled')
    throw new NotRunError('manual linking is disabled');
  assertStatus(begun, 302);
  return locationOf(begun);
}

/** Opens a callback. @throws NotRunError if it needs a new account and the project is closed to new users. */
async function openCallback({ auth }: AuditContext, callback: string): Promise<WireResponse> {
  const opened = await auth.send('GET', callback);
  if (/[?&]error_code=signup_disabled/.test(opened.headers.get('location') ?? '')) {
    const settings = await auth.send('GET', '/settings');
    if (at(settings.json, 'disable_signup') === true)
      throw new NotRunError('the project is closed to new users');
  }
  return opened;
}

/** Signs in at the provider and returns the page that the callback leads to. */
async function signInAtProvider(
  context: ProviderContext,
  person: Person,
  query: Params = {},
  token?: string,
): Promise<URL> {
  const callback = await visitPage(context, await begin(context, query, token), person);
  const returned = await openCallback(context, callback);
  assertStatus(returned, 302);
  return locationOf(returned);
}

const fragmentOf = ({ hash }: URL): URLSearchParams => new URLSearchParams(hash.slice(1));

const readUser = ({ auth }: AuditContext, page: URL): Promise<WireResponse> =>
  auth.send('GET', '/user', { token: fragmentOf(page).get('access_token') ?? '' });

/** Asserts that query and fragment of the page have the same error. */
function assertPageError(page: URL, error: string, code: string | null): void {
  assert.equal(fragmentOf(page).get('sb'), '', 'sb of the fragment');
  for (const part of [page.searchParams, fragmentOf(page)]) {
    assert.deepEqual(
      [part.get('error'), part.get('error_code'), part.get('access_token'), part.get('code')],
      [error, code, null, null],
      'error, error_code, access_token and code of query and fragment',
    );
    assert.ok(part.get('error_description'), 'query and fragment have an error_description');
  }
}

const identitiesOf = ({ json }: WireResponse): readonly unknown[] =>
  at(json, 'identities') as readonly unknown[];
const identityOf = (user: WireResponse, provider: string): unknown =>
  identitiesOf(user).find((identity) => at(identity, 'provider') === provider);
const providersOf = ({ json }: WireResponse): readonly unknown[] => [
  at(json, 'app_metadata', 'provider'),
  at(json, 'app_metadata', 'providers'),
];
const membersOf = (value: unknown, members: readonly string[]): readonly unknown[] =>
  members.map((member) => at(value, member));

/** Signs an ID token of the provider for a person. */
async function issueIdToken(
  context: ProviderContext,
  { email, isVerified = true, name }: Person,
  claims: object = {},
): Promise<string> {
  const page = await begin(context);
  const issued = await context.auth.send('POST', new URL('id_token', page).href, {
    body: { email, email_verified: isVerified, ...(name === undefined ? {} : { name }), claims },
  });
  return textAt(issued, 'id_token');
}

function assertOAuthError(response: WireResponse, error: string): void {
  assertStatus(response, 400);
  assert.equal(at(response.json, 'error'), error, 'error of the response');
  assert.ok(textAt(response, 'error_description'), 'the response has an error_description');
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

async function newAnonymousUser({ auth, run }: AuditContext): Promise<WireResponse> {
  const session = await auth.send('POST', '/signup', { body: { data: metadataOf(run) } });
  if (session.status === 422) throw new NotRunError('anonymous sign-ins are disabled');
  return assertSession(session);
}

/** Asserts the members of the fragment, and those that the access token determines. */
function assertTokens(page: URL, members: readonly string[]): void {
  const fragment = fragmentOf(page);
  assert.deepEqual([...fragment.keys()].toSorted(), members, 'the members of the fragment');
  const claims = jwtPartOf(fragment.get('access_token'));
  const [iat, exp] = [Number(at(claims, 'iat')), Number(at(claims, 'exp'))];
  assert.deepEqual(
    [fragment.get('token_type'), fragment.get('expires_in'), fragment.get('expires_at')],
    ['bearer', String(exp - iat), String(exp)],
    'token_type, expires_in and expires_at',
  );
  for (const member of members.filter((name) => name.endsWith('_token')))
    assert.ok(fragment.get(member), `the fragment has a ${member}`);
}

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

const methodsOf = (page: URL): unknown => {
  const amr = at(jwtPartOf(fragmentOf(page).get('access_token')), 'amr') as readonly unknown[];
  return amr.map((entry) => membersOf(entry, ['method', 'provider']));
};

/** Sign-ins at providers whose page answers without a person. */
export const providerSignInAudits: readonly Audit[] = [
  audit(
    'AUTH-764',
    'a sign-in at a provider leads to the page with the tokens of the user and of the provider',
    ofOAuth,
    withProvider(async (context) => {
      const { provider } = context;
      const email = context.newEmail();
      const sub = context.run.newName();
      const page = await signInAtProvider(context, { email, name: 'Ada', sub });
      assert.equal(page.href.split('#')[0], context.target.redirectTo, 'the page');
      assertTokens(page, [
        'access_token',
        'expires_at',
        'expires_in',
        'provider_refresh_token',
        'provider_token',
        'refresh_token',
        'sb',
        'token_type',
      ]);
      assert.deepEqual(methodsOf(page), [['oauth', undefined]], 'amr of the session');
      const user = await readUser(context, page);
      const identity = identityOf(user, provider);
      const data = at(identity, 'identity_data');
      const expected = {
        email,
        email_verified: true,
        phone_verified: false,
        name: 'Ada',
        full_name: 'Ada',
        ...(provider === 'keycloak' && { custom_claims: {} }),
      };
      assert.deepEqual(
        data,
        { ...expected, sub, provider_id: sub, iss: at(data, 'iss') },
        'identity_data of the identity',
      );
      assert.equal(typeof at(data, 'iss'), 'string', 'the type of iss');
      assert.deepEqual(at(user.json, 'user_metadata'), data, 'user_metadata of the user');
      assert.deepEqual(
        membersOf(identity, ['id', 'user_id', 'provider', 'email']),
        [sub, at(user.json, 'id'), provider, email],
        'id, user_id, provider and email of the identity',
      );
      assert.deepEqual(providersOf(user), [provider, [provider]], 'provider and providers of the user');
      assert.deepEqual(
        membersOf(user.json, ['email', 'phone', 'role', 'aud', 'is_anonymous', 'confirmation_sent_at']),
        [email, '', 'authenticated', 'authenticated', false, undefined],
        'the user',
      );
      assert.ok(at(user.json, 'email_confirmed_at'), 'the address is confirmed');
      const refreshed = await context.auth.send('POST', '/token', {
        query: { grant_type: 'refresh_token' },
        body: { refresh_token: fragmentOf(page).get('refresh_token') },
      });
      assertSession(refreshed);
    }),
  ),
  audit(
    'AUTH-765',
    'a sign-in that began with a challenge has a code, once, for the tokens of user and provider',
    ofOAuth,
    withProvider(async (context) => {
      const { challenge, verifier } = context.newPkce();
      const email = context.newEmail();
      const callback = await visitPage(context, await begin(context, challenge), { email });
      const returned = await openCallback(context, callback);
      assertStatus(returned, 302);
      const page = locationOf(returned);
      assert.deepEqual(
        [...page.searchParams.keys(), page.hash],
        ['code', ''],
        'query and fragment of the page',
      );
      const exchange = () =>
        context.auth.send('POST', '/token', {
          query: { grant_type: 'pkce' },
          body: { auth_code: page.searchParams.get('code'), code_verifier: verifier },
        });
      const session = assertSession(await exchange());
      assert.equal(at(session.json, 'user', 'email'), email, 'user.email of the session');
      textAt(session, 'provider_token');
      textAt(session, 'provider_refresh_token');
      assertError(await exchange(), 404, 'flow_state_not_found');
    }),
  ),
  audit(
    'AUTH-766',
    'the callback of a flow with a challenge is used once, and the code of the provider as well',
    ofOAuth,
    withProvider(async (context) => {
      const first = await visitPage(context, await begin(context, context.newPkce().challenge), {
        email: context.newEmail(),
      });
      assertStatus(await openCallback(context, first), 302);
      const again = await context.auth.send('GET', first);
      assertStatus(again, 303);
      assert.equal(
        locationOf(again).searchParams.get('error_code'),
        'flow_state_already_used',
        'error_code of the second callback',
      );
      const next = new URL(first);
      next.searchParams.set('state', (await begin(context)).searchParams.get('state') ?? '');
      const spent = await context.auth.send('GET', next.href);
      assertStatus(spent, 302);
      assertPageError(locationOf(spent), 'server_error', 'unexpected_failure');
      const implicit = await visitPage(context, await begin(context), { email: context.newEmail() });
      assertStatus(await context.auth.send('GET', implicit), 302);
      const ended = await context.auth.send('GET', implicit);
      assertStatus(ended, 303);
      assert.equal(
        locationOf(ended).searchParams.get('error_code'),
        'bad_oauth_state',
        'error_code of an ended flow',
      );
    }),
  ),
  audit(
    'AUTH-767',
    'the same person of a provider signs in to the same account, with the newest profile',
    ofOAuth,
    withProvider(async (context) => {
      const sub = context.run.newName();
      const first = await readUser(
        context,
        await signInAtProvider(context, { email: context.newEmail(), name: 'Ada', sub }),
      );
      const email = context.newEmail();
      const page = await signInAtProvider(context, { email, name: 'Grace', sub });
      const second = await readUser(context, page);
      assert.equal(at(second.json, 'id'), at(first.json, 'id'), 'the id of the user');
      assert.equal(at(second.json, 'email'), at(first.json, 'email'), 'the address of the account');
      assert.equal(identitiesOf(second).length, 1, 'the number of identities');
      for (const data of [at(second.json, 'user_metadata'), at(identitiesOf(second)[0], 'identity_data')])
        assert.deepEqual(
          membersOf(data, ['name', 'full_name', 'email', 'email_verified']),
          ['Grace', 'Grace', email, true],
          'the profile of the user and of the identity',
        );
      const unverified = await signInAtProvider(context, { email, sub, isVerified: false });
      assert.equal(at((await readUser(context, unverified)).json, 'id'), at(first.json, 'id'), 'the id');
    }),
  ),
  audit(
    'AUTH-768',
    'a verified address of a provider signs in to the account that has it',
    ofOAuth,
    withProvider(async (context) => {
      const { provider } = context;
      const { id, email, accessToken: token } = await context.newUser();
      await context.auth.send('PUT', '/user', { token, body: { data: { kept: 1 } } });
      const sub = context.run.newName();
      const user = await readUser(context, await signInAtProvider(context, { email, name: 'Ada', sub }));
      assert.equal(at(user.json, 'id'), id, 'the id of the user');
      assert.deepEqual(providersOf(user), ['email', ['email', provider]], 'provider and providers');
      assert.deepEqual(
        identitiesOf(user)
          .map((identity) => String(at(identity, 'provider')))
          .toSorted(),
        ['email', provider],
        'the identities',
      );
      assert.deepEqual(
        membersOf(at(user.json, 'user_metadata'), ['kept', 'name', 'sub']),
        [1, 'Ada', sub],
        'user_metadata of the user',
      );
      const other = await signInAtProvider(context, { email, sub: context.run.newName() });
      assert.equal(at((await readUser(context, other)).json, 'id'), id, 'the id after another identity');
    }),
  ),
  audit(
    'AUTH-769',
    'an address that the provider has not verified has to be confirmed by a mail first',
    { ...ofOAuth, needs: ['mailbox', 'email-confirmation'] },
    withProvider(async (context) => {
      const person = { email: context.newEmail(), sub: context.run.newName(), isVerified: false };
      assertPageError(
        await signInAtProvider(context, person),
        'access_denied',
        'provider_email_needs_verification',
      );
      const token = await context.mailedCode(person.email);
      const session = assertSession(
        await context.auth.send('POST', '/verify', { body: { type: 'signup', email: person.email, token } }),
      );
      const user = await readUser(context, await signInAtProvider(context, person));
      assert.equal(at(user.json, 'id'), at(session.json, 'user', 'id'), 'the id of the confirmed user');
    }),
  ),
  audit(
    'AUTH-770',
    'an unverified address of another account is not taken, and cannot sign in',
    { ...ofOAuth, needs: ['database', 'email-confirmation'] },
    withProvider(async (context) => {
      const { email, id } = await context.newUser();
      const sub = context.run.newName();
      const page = await signInAtProvider(context, { email, sub, isVerified: false });
      assertPageError(page, 'access_denied', 'provider_email_needs_verification');
      const rows = await context.query(
        'select u.email, u.id from auth.identities i join auth.users u on u.id = i.user_id where i.provider_id = $1',
        [sub],
      );
      // The account has no address that tells the cleanup whose it is.
      context.run.userIds.add(String(at(rows, 0, 'id')));
      assert.equal(at(rows, 0, 'email') ?? '', '', 'the address of the new account');
      assert.notEqual(at(rows, 0, 'id'), id, 'the id of the new account');
    }),
  ),
  audit(
    'AUTH-771',
    'a provider that verified the address of an unconfirmed account removes its password and its data',
    { ...ofOAuth, needs: ['email-confirmation'] },
    withProvider(async (context) => {
      const { provider } = context;
      const email = context.newEmail();
      const password = 'Secret-1 of somebody else';
      const signedUp = await context.auth.send('POST', '/signup', {
        body: { email, password, data: { planted: true } },
      });
      assertStatus(signedUp, 200);
      const user = await readUser(context, await signInAtProvider(context, { email, name: 'Ada' }));
      assert.equal(at(user.json, 'id'), at(signedUp.json, 'id'), 'the id of the user');
      assert.deepEqual(providersOf(user), [provider, [provider]], 'provider and providers');
      assert.deepEqual(
        identitiesOf(user).map((identity) => at(identity, 'provider')),
        [provider],
        'the identities',
      );
      assert.deepEqual(
        membersOf(at(user.json, 'user_metadata'), ['planted', 'name', 'email_verified']),
        [undefined, 'Ada', true],
        'user_metadata of the user',
      );
      assertError(await context.signIn(email, password), 400, 'invalid_credentials');
    }),
  ),
  audit(
    'AUTH-772',
    'a banned user is refused at the callback',
    { ...ofOAuth, needs: ['service-key'] },
    withProvider(async (context) => {
      const { id, email } = await context.newUser();
      await context.admin('PUT', `/users/${id}`, { ban_duration: '1h' });
      assertPageError(await signInAtProvider(context, { email }), 'access_denied', 'user_banned');
    }),
  ),
  audit(
    'AUTH-773',
    'an identity is linked to the signed-in user, whose address and password stay',
    ofIdentities,
    withProvider(async (context) => {
      const { provider } = context;
      const user = await context.newUser();
      const [email, sub] = [context.newEmail(), context.run.newName()];
      const page = await signInAtProvider(context, { email, name: 'Ada', sub }, {}, user.accessToken);
      const linked = await readUser(context, page);
      assert.deepEqual(
        membersOf(linked.json, ['id', 'email']),
        [user.id, user.email],
        'id and email of the user',
      );
      assert.deepEqual(providersOf(linked), ['email', ['email', provider]], 'provider and providers');
      const identity = identityOf(linked, provider);
      assert.deepEqual(
        membersOf(identity, ['id', 'user_id', 'provider', 'email']),
        [sub, user.id, provider, email],
        'the linked identity',
      );
      assert.equal(at(linked.json, 'user_metadata', 'name'), undefined, 'user_metadata.name of the user');
      assertSession(await context.signIn(user.email, user.password));
      const again = await signInAtProvider(context, { email, sub }, {}, user.accessToken);
      assertPageError(again, 'server_error', 'identity_already_exists');
      const other = await context.newUser();
      const taken = await signInAtProvider(context, { email, sub }, {}, other.accessToken);
      assertPageError(taken, 'server_error', 'identity_already_exists');
      const messages = [again, taken].map((one) => one.searchParams.get('error_description'));
      assert.notEqual(messages[0], messages[1], 'the message for the identity of another user');
    }),
  ),
  audit(
    'AUTH-774',
    'an anonymous user who links an identity takes its verified address and is not anonymous any more',
    ofIdentities,
    withProvider(async (context) => {
      const { provider } = context;
      const anonymous = await newAnonymousUser(context);
      const [email, token] = [context.newEmail(), textAt(anonymous, 'access_token')];
      const page = await signInAtProvider(context, { email }, {}, token);
      const user = await readUser(context, page);
      assert.deepEqual(
        membersOf(user.json, ['id', 'email', 'is_anonymous']),
        [at(anonymous.json, 'user', 'id'), email, false],
        'id, email and is_anonymous of the user',
      );
      assert.ok(at(user.json, 'email_confirmed_at'), 'the address is confirmed');
      assert.deepEqual(providersOf(user), [provider, [provider]], 'provider and providers');
      const claims = jwtPartOf(fragmentOf(page).get('access_token'));
      assert.equal(at(claims, 'is_anonymous'), false, 'is_anonymous of the access token');
      const { email: taken } = await context.newUser();
      const second = textAt(await newAnonymousUser(context), 'access_token');
      const refused = await signInAtProvider(context, { email: taken }, {}, second);
      assertPageError(refused, 'invalid_request', 'email_exists');
    }),
  ),
  audit(
    'AUTH-775',
    'an anonymous user who links an unverified address has to confirm it',
    { ...ofIdentities, needs: ['mailbox', 'email-confirmation'] },
    withProvider(async (context) => {
      const anonymous = await newAnonymousUser(context);
      const [email, token] = [context.newEmail(), textAt(anonymous, 'access_token')];
      const page = await signInAtProvider(context, { email, isVerified: false }, {}, token);
      assertPageError(page, 'server_error', 'email_not_confirmed');
      const verified = await context.auth.send('POST', '/verify', {
        body: { type: 'signup', email, token: await context.mailedCode(email) },
      });
      const { json } = assertSession(verified);
      assert.deepEqual(
        membersOf(at(json, 'user'), ['id', 'email']),
        [at(anonymous.json, 'user', 'id'), email],
        'id and email of the confirmed user',
      );
    }),
  ),
  audit(
    'AUTH-776',
    'an invitation is accepted at a provider by the invited address alone',
    { ...ofOAuth, needs: ['service-key'] },
    withProvider(async (context) => {
      const { provider } = context;
      const email = context.newEmail();
      const generated = await context.admin('POST', '/generate_link', { type: 'invite', email });
      assertStatus(generated, 200);
      const query = { invite_token: textAt(generated, 'hashed_token') };
      const stranger = await signInAtProvider(context, { email: context.newEmail() }, query);
      assertPageError(stranger, 'invalid_request', 'validation_failed');
      const callback = await visitPage(context, await begin(context, query), { email });
      const user = await readUser(context, await signInAtProvider(context, { email, name: 'Ada' }, query));
      assert.deepEqual(
        membersOf(user.json, ['id', 'email']),
        [at(generated.json, 'id'), email],
        'id and email of the invited user',
      );
      assert.ok(at(user.json, 'email_confirmed_at'), 'the address is confirmed');
      assert.deepEqual(providersOf(user), [provider, [provider]], 'provider and providers');
      assert.equal(at(user.json, 'user_metadata', 'name'), 'Ada', 'user_metadata.name of the user');
      const spent = await context.auth.send('GET', callback);
      assertPageError(locationOf(spent), 'server_error', 'invite_not_found');
    }),
  ),
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
      for (const [changed, error] of [
        [{ id_token, nonce: 'another' }, 'invalid nonce'],
        [{ id_token }, 'invalid request'],
        [{ id_token: plain, nonce }, 'invalid request'],
        [{ id_token, nonce, access_token: 'another' }, 'invalid request'],
        [{ id_token: `${id_token.slice(0, -8)}AAAAAAAA`, nonce }, 'invalid request'],
      ] as const)
        assertOAuthError(await grantIdToken(context, changed), error);
    }),
  ),
  audit(
    'AUTH-778',
    'an ID token of another audience or issuer, without a subject, or after its time is refused',
    ofOAuth,
    withProvider(async (context) => {
      const person = { email: context.newEmail() };
      for (const claims of [
        { aud: 'another-application' },
        { aud: [] },
        { iss: 'https://issuer.example.com' },
        { exp: 1 },
        { sub: '' },
      ]) {
        const refused = await grantIdToken(context, {
          id_token: await issueIdToken(context, person, claims),
        });
        assertOAuthError(refused, 'invalid request');
      }
      assertOAuthError(await grantIdToken(context, {}), 'invalid request');
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
      assertOAuthError(await linking(), 'invalid request');
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
  audit('AUTH-780', 'a person of an organization signs in to an account of its own', ofSso, (context) =>
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
