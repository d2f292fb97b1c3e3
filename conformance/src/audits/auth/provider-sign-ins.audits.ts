import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, newAnonymousUser } from '../../audit/audit-context.ts';
import { searchAuditLog } from './audit-log.ts';
import { assertError, assertStatus, at, jwtPartOf, locationOf, textAt } from '../../target/wire.ts';
import {
  withProvider,
  visitPage,
  beginAtProvider,
  openCallback,
  signInAtProvider,
  fragmentOf,
  readUser,
  identitiesOf,
  identityOf,
  providersOf,
  membersOf,
  assertTokens,
  methodsOf,
} from './provider.ts';

const audit = auditsOf('auth');
const ofOAuth = { source: 'protocol/auth.md#oauth', since: '1.0.0' } as const;
const ofIdentities = { source: 'protocol/auth.md#identities', since: '1.0.0' } as const;

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
      const begun = await beginAtProvider(context);
      assert.ok(begun.searchParams.get('scope'), 'the page of the provider has a scope');
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
      const callback = await visitPage(context, await beginAtProvider(context, challenge), { email });
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
    'AUTH-1239',
    'the audit log has a first sign-in at a provider as a sign-up, and a later one as a sign-in alone',
    { ...ofOAuth, needs: ['service-key'] },
    withProvider(async (context) => {
      const { provider } = context;
      const email = context.newEmail();
      for (let count = 0; count < 2; count += 1) await signInAtProvider(context, { email });
      const entries = await searchAuditLog(context, `author:${email}`);
      const payloads = entries.map((entry) => at(entry, 'payload'));
      assert.deepEqual(
        payloads.map((payload) => [at(payload, 'action'), at(payload, 'traits')]),
        ['login', 'user_signedup'].map((action) => [action, { provider }]),
        'action and traits of the entries',
      );
    }),
  ),
  audit(
    'AUTH-1241',
    'the audit log has identities that are linked by their address, linked by their user, and unlinked',
    { ...ofIdentities, needs: ['service-key'] },
    withProvider(async (context) => {
      const { provider } = context;
      const user = await context.newUser();
      await signInAtProvider(context, { email: user.email });
      await signInAtProvider(context, { email: context.newEmail() }, {}, user.accessToken);
      const token = user.accessToken;
      const { json } = await context.auth.send('GET', '/user', { token });
      const linked = (at(json, 'identities') as readonly unknown[]).filter(
        (identity) => at(identity, 'provider') === provider,
      );
      const traitsOf = (identity: unknown) => ({
        identity_id: at(identity, 'identity_id'),
        provider,
        provider_id: at(identity, 'id'),
      });
      const first = String(at(linked[0], 'identity_id'));
      assertStatus(await context.auth.send('DELETE', `/user/identities/${first}`, { token }), 200);
      const entries = await searchAuditLog(context, `author:${user.email}`);
      const ofAction = (action: string) =>
        entries.filter((entry) => at(entry, 'payload', 'action') === action);
      const inOrder = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).toSorted();
      const traits = (action: string) =>
        ofAction(action).map((entry) => {
          const found = at(entry, 'payload', 'traits') as Readonly<Record<string, unknown>>;
          return {
            identity_id: found['identity_id'],
            provider: found['provider'],
            provider_id: found['provider_id'],
          };
        });
      assert.deepEqual(
        inOrder(traits('identity_linked')),
        inOrder(linked.map(traitsOf)),
        'the linked identities',
      );
      assert.deepEqual(traits('identity_unlinked'), [traitsOf(linked[0])], 'the unlinked identity');
      for (const entry of [...ofAction('identity_linked'), ...ofAction('identity_unlinked')])
        assert.match(String(at(entry, 'ip_address')), /[\d:]{3}/, 'ip_address of the entry');
    }),
  ),
  audit(
    'AUTH-766',
    'the callback of a flow with a challenge is used once, and the code of the provider as well',
    ofOAuth,
    withProvider(async (context) => {
      const first = await visitPage(context, await beginAtProvider(context, context.newPkce().challenge), {
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
      next.searchParams.set('state', (await beginAtProvider(context)).searchParams.get('state') ?? '');
      const spent = await context.auth.send('GET', next.href);
      assertStatus(spent, 302);
      assertPageError(locationOf(spent), 'server_error', 'unexpected_failure');
      const implicit = await visitPage(context, await beginAtProvider(context), {
        email: context.newEmail(),
      });
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
      const callback = await visitPage(context, await beginAtProvider(context, query), { email });
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
];
