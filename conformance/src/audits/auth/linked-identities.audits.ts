import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext, AuditUser } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertError, assertStatus, at, locationOf, type WireResponse } from '../../target/wire.ts';
import { providersOf } from './provider.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#identities';
const options = { source, needs: ['database'], since: '1.0.0' } as const;

interface Linked {
  readonly provider: string;
  readonly email: string;
  readonly isVerified?: boolean;
}

/** Stores identities as sign-ins at the providers do, in this order after the identity of the sign-up. */
async function link(context: AuditContext, { id }: AuditUser, identities: readonly Linked[]): Promise<void> {
  for (const [index, { provider, email, isVerified = true }] of identities.entries()) {
    const sub = crypto.randomUUID();
    const data = JSON.stringify({ sub, email, email_verified: isVerified });
    await context.query(
      `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
       values ($1, $2, $3::jsonb, $4, now(), now() + make_interval(secs => $5), now())`,
      [sub, id, data, provider, index + 1],
    );
  }
}

const readUser = ({ auth }: AuditContext, { accessToken: token }: AuditUser) =>
  auth.send('GET', '/user', { token });

/** @throws NotRunError if manual linking is disabled. */
async function unlink(context: AuditContext, user: AuditUser, provider: string): Promise<WireResponse> {
  const { json } = await readUser(context, user);
  const identities = at(json, 'identities') as readonly unknown[];
  const identity = identities.find((one) => at(one, 'provider') === provider);
  return unlinkById(context, user, String(at(identity, 'identity_id')));
}

async function unlinkById(
  { auth }: AuditContext,
  { accessToken: token }: AuditUser,
  id: string,
): Promise<WireResponse> {
  const response = await auth.send('DELETE', `/user/identities/${id}`, { token });
  if (at(response.json, 'code') === 'manual_linking_disabled')
    throw new NotRunError('manual linking is disabled');
  return response;
}

/** The identities of a user after linking and unlinking. */
export const linkedIdentityAudits: readonly Audit[] = [
  audit(
    'AUTH-724',
    'the providers of a user are those of the identities that are left, oldest first',
    options,
    async (context) => {
      const user = await context.newUser();
      const { email } = user;
      await link(context, user, [
        { provider: 'github', email },
        { provider: 'discord', email },
        { provider: 'gitlab', email },
      ]);
      const unlinked = await unlink(context, user, 'github');
      assertStatus(unlinked, 200);
      assert.deepEqual(unlinked.json, {}, 'the response');
      const left = await readUser(context, user);
      assert.deepEqual(
        providersOf(left),
        ['email', ['email', 'discord', 'gitlab']],
        'provider and providers',
      );
      const identities = at(left.json, 'identities') as readonly unknown[];
      assert.deepEqual(
        identities.map((one) => String(at(one, 'provider'))).toSorted(),
        ['discord', 'email', 'gitlab'],
        'the providers of the identities',
      );
      assertStatus(await unlink(context, user, 'email'), 200);
      assert.deepEqual(
        providersOf(await readUser(context, user)),
        ['discord', ['discord', 'gitlab']],
        'provider and providers without the first identity',
      );
    },
  ),
  audit('AUTH-725', 'an account keeps its address while an identity has it', options, async (context) => {
    const user = await context.newUser();
    await link(context, user, [
      { provider: 'github', email: context.newEmail() },
      { provider: 'gitlab', email: user.email },
    ]);
    assertStatus(await unlink(context, user, 'email'), 200);
    const { json } = await readUser(context, user);
    assert.equal(at(json, 'email'), user.email, 'email of the user');
    assert.ok(at(json, 'email_confirmed_at'), 'the address is still confirmed');
  }),
  audit(
    'AUTH-726',
    'an account whose identity went with its address takes a verified address before an older one',
    options,
    async (context) => {
      const user = await context.newUser();
      const [unverified, verified] = [context.newEmail(), context.newEmail()];
      await link(context, user, [
        { provider: 'github', email: unverified, isVerified: false },
        { provider: 'gitlab', email: verified },
      ]);
      assertStatus(await unlink(context, user, 'email'), 200);
      const { json } = await readUser(context, user);
      assert.equal(at(json, 'email'), verified, 'email of the user');
      assert.ok(at(json, 'email_confirmed_at'), 'the verified address is confirmed');
      const former = await context.signIn(user.email, user.password);
      assertError(former, 400, 'invalid_credentials');
    },
  ),
  audit(
    'AUTH-727',
    'an account that takes an unverified address of an identity has to confirm it',
    { ...options, needs: ['database', 'email-confirmation'] },
    async (context) => {
      const user = await context.newUser();
      const email = context.newEmail();
      await link(context, user, [{ provider: 'github', email, isVerified: false }]);
      assertStatus(await unlink(context, user, 'email'), 200);
      const { json } = await readUser(context, user);
      assert.deepEqual(
        [at(json, 'email'), at(json, 'email_confirmed_at'), at(json, 'user_metadata', 'email_verified')],
        [email, undefined, false],
        'email, email_confirmed_at and user_metadata.email_verified of the user',
      );
      assertError(await context.signIn(email, user.password), 400, 'email_not_confirmed');
    },
  ),
  audit(
    'AUTH-728',
    'an identity stays if the account would be left with the address of another account',
    options,
    async (context) => {
      const [user, other] = [await context.newUser(), await context.newUser()];
      await link(context, user, [{ provider: 'github', email: other.email }]);
      const refused = await unlink(context, user, 'email');
      assertError(refused, 422, 'email_conflict_identity_not_deletable');
      const left = await readUser(context, user);
      assert.deepEqual(
        [at(left.json, 'email'), (at(left.json, 'identities') as readonly unknown[]).length],
        [user.email, 2],
        'email and the number of identities',
      );
    },
  ),
  audit(
    'AUTH-729',
    'an unknown identity and one of another user are refused as identity_not_found',
    options,
    async (context) => {
      const [user, other] = [await context.newUser(), await context.newUser()];
      for (const one of [user, other]) await link(context, one, [{ provider: 'github', email: one.email }]);
      const foreign = at((await readUser(context, other)).json, 'identities', 0, 'identity_id');
      for (const id of [crypto.randomUUID(), String(foreign)])
        assertError(await unlinkById(context, user, id), 422, 'identity_not_found');
      const { json } = await readUser(context, other);
      assert.equal((at(json, 'identities') as readonly unknown[]).length, 2, 'the identities of the other');
    },
  ),
  audit(
    'AUTH-730',
    'the links and changes that are pending for an address end when the address goes with its identity',
    { ...options, needs: ['database', 'mailbox', 'email-confirmation'] },
    async (context) => {
      const user = await context.newUser();
      const { accessToken: token } = user;
      assertStatus(await context.auth.send('POST', '/recover', { body: { email: user.email } }), 200);
      const { links } = await context.mail(user.email);
      const opened = new URL(links.find((one) => one.includes('/verify?')) ?? context.auth.baseUrl);
      const change = { email: context.newEmail() };
      assertStatus(await context.auth.send('PUT', '/user', { token, body: change }), 200);
      await link(context, user, [{ provider: 'github', email: context.newEmail() }]);
      assertStatus(await unlink(context, user, 'email'), 200);
      const { json } = await readUser(context, user);
      for (const member of ['new_email', 'email_change_sent_at', 'recovery_sent_at'])
        assert.equal(at(json, member), undefined, `${member} of the user`);
      const body = { type: 'recovery', token_hash: opened.searchParams.get('token') };
      assertError(await context.auth.send('POST', '/verify', { body }), 403, 'otp_expired');
    },
  ),
  audit(
    'AUTH-736',
    'linking and unlinking need a session',
    { source, since: '1.0.0' },
    async ({ auth, newPkce }) => {
      const query = { provider: 'github', ...newPkce().challenge };
      const responses = [
        await auth.send('GET', '/user/identities/authorize', { query }),
        await auth.send('DELETE', `/user/identities/${crypto.randomUUID()}`),
      ];
      for (const response of responses) assertError(response, 401, 'no_authorization');
    },
  ),
  audit(
    'AUTH-737',
    'linking redirects to the provider unless skip_http_redirect is true, and refuses an unknown provider',
    { source, since: '1.0.0' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const settings = await context.auth.send('GET', '/settings');
      if (at(settings.json, 'external', 'github') !== true) throw new NotRunError('github is not enabled');
      const begin = (query: Readonly<Record<string, string>>) =>
        context.auth.send('GET', '/user/identities/authorize', {
          token,
          query: { provider: 'github', ...context.newPkce().challenge, ...query },
        });
      const begun = await begin({});
      if (at(begun.json, 'code') === 'manual_linking_disabled')
        throw new NotRunError('manual linking is disabled');
      for (const response of [begun, await begin({ skip_http_redirect: 'false' })]) {
        assertStatus(response, 302);
        const location = locationOf(response);
        assert.ok(location.searchParams.get('state'), 'the redirect carries a state');
      }
      assertError(await begin({ provider: 'no-such-provider' }), 400, 'validation_failed');
      assertError(await begin({ code_challenge: 'short' }), 400, 'validation_failed');
    },
  ),
];
