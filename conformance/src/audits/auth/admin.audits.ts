import { createHash } from 'node:crypto';
import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext, type AuditUser } from '../../audit/audit-context.ts';
import { assertError, assertStatus, at, textAt } from '../../target/wire.ts';
import { generateLink, verifyToken } from './mail-link.ts';
import { assertRefusal } from './hook-call.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#administration';
const options = { source, needs: ['service-key'], since: '1.0.0' } as const;

const unknownId = '7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11';
/** The bcrypt hash of `Secret-123456`. */
const PASSWORD_HASH = '$2a$04$QHQYYG5lw2PtVw/EcdQ15.A0DIx9pstjO/pf4j5KbTiUttNYMNE5W';

const userOf = ({ auth }: AuditContext, { accessToken: token }: AuditUser) =>
  auth.send('GET', '/user', { token });

export const adminAudits: readonly Audit[] = [
  audit('AUTH-801', 'without the service key the admin routes are closed', { source }, async (context) => {
    const { accessToken: token } = await context.newUser();
    const response = await context.auth.send('GET', '/admin/users', { token });
    assertError(response, 403, 'not_admin');
  }),
  audit(
    'AUTH-802',
    'a created user is confirmed on request and can sign in',
    { source, needs: ['service-key'] },
    async (context) => {
      const email = context.newEmail();
      const created = await context.admin('POST', '/users', {
        email,
        password: 'Secret-123456',
        email_confirm: true,
        user_metadata: { name: 'Grace' },
      });
      assertStatus(created, 200);
      assert.equal(
        at(created.json, 'user_metadata', 'name'),
        'Grace',
        'user_metadata.name of the created user',
      );
      assertSession(await context.signIn(email, 'Secret-123456'));
    },
  ),
  audit(
    'AUTH-803',
    'users are listed with their audience',
    { source, needs: ['service-key'] },
    async (context) => {
      await context.newUser();
      const response = await context.admin('GET', '/users');
      assertStatus(response, 200);
      assert.ok(Array.isArray(at(response.json, 'users')), 'the response lists users');
      assert.equal(at(response.json, 'aud'), 'authenticated', 'aud of the response');
    },
  ),
  audit(
    'AUTH-810',
    'a page of users has their total number in X-Total-Count',
    { source, needs: ['service-key'], since: '1.0.0' },
    async (context) => {
      await context.newUser();
      await context.newUser();
      const response = await context.admin('GET', '/users?page=1&per_page=1');
      assertStatus(response, 200);
      assert.equal((at(response.json, 'users') as readonly unknown[]).length, 1, 'the number of users');
      const total = response.headers.get('x-total-count');
      assert.ok(Number(total) >= 2, 'X-Total-Count is the number of all users', String(total));
    },
  ),
  audit('AUTH-804', 'a user is read by id', { source, needs: ['service-key'] }, async (context) => {
    const user = await context.newUser();
    const response = await context.admin('GET', `/users/${user.id}`);
    assertStatus(response, 200);
    assert.equal(at(response.json, 'email'), user.email, 'email of the response');
  }),
  audit(
    'AUTH-805',
    'a second user of one address is refused as email_exists',
    { source, needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      assertError(
        await context.admin('POST', '/users', { email: user.email, password: 'Secret-123456' }),
        422,
        'email_exists',
      );
    },
  ),
  audit('AUTH-806', 'a deleted user cannot sign in', { source, needs: ['service-key'] }, async (context) => {
    const user = await context.newUser();
    assertStatus(await context.admin('DELETE', `/users/${user.id}`), 200);
    assertError(await context.signIn(user.email, user.password), 400, 'invalid_credentials');
  }),
  audit(
    'AUTH-807',
    'a generated recovery link carries a token, its hash and the code',
    { source, needs: ['service-key'] },
    async (context) => {
      const user = await context.newUser();
      const response = await context.admin('POST', '/generate_link', { type: 'recovery', email: user.email });
      assertStatus(response, 200);
      assert.match(textAt(response, 'action_link'), /\/verify\?/, 'action_link of the response');
      assert.match(textAt(response, 'email_otp'), /^\d{6,10}$/, 'email_otp of the response');
      assert.equal(at(response.json, 'verification_type'), 'recovery', 'verification_type of the response');
      assertSession(
        await context.auth.send('POST', '/verify', {
          body: { type: 'recovery', token_hash: textAt(response, 'hashed_token') },
        }),
      );
    },
  ),
  audit(
    'AUTH-808',
    'an invited user receives a mail whose code signs in',
    { source, needs: ['service-key', 'mailbox'] },
    async (context) => {
      const email = context.newEmail();
      const { serviceKey } = context.target;
      const response = await context.auth.send('POST', '/invite', {
        body: { email },
        ...(serviceKey === null
          ? {}
          : { token: serviceKey, headers: context.target.restUrl === null ? {} : { apikey: serviceKey } }),
      });
      assertStatus(response, 200);
      const { links } = await context.mail(email);
      const [, token_hash] = /[?&#]token(?:_hash)?=([^&#]+)/.exec(links.join(' ')) ?? [];
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'invite', token_hash } }));
    },
  ),
  audit(
    'AUTH-809',
    'a missing user is refused as user_not_found',
    { source, needs: ['service-key'] },
    async ({ admin }) => {
      assertError(await admin('GET', '/users/7f9c7a52-7a4f-4d3a-9f6b-0a3c0f2f8e11'), 404, 'user_not_found');
    },
  ),
  audit(
    'AUTH-811',
    'a password that an administrator sets signs in, and ends the sessions of its user',
    options,
    async (context) => {
      const user = await context.newUser();
      const changed = await context.admin('PUT', `/users/${user.id}`, { password: 'Another-123456' });
      assertStatus(changed, 200);
      assertError(await userOf(context, user), 403, 'session_not_found');
      assertSession(await context.signIn(user.email, 'Another-123456'));
      assertError(await context.signIn(user.email, user.password), 400, 'invalid_credentials');
    },
  ),
  audit(
    'AUTH-812',
    "an administrator's metadata are merged into the user's, and a null removes a key",
    options,
    async (context) => {
      const { id } = await context.newUser();
      for (const member of ['user_metadata', 'app_metadata']) {
        await context.admin('PUT', `/users/${id}`, { [member]: { kept: 1, gone: 1 } });
        await context.admin('PUT', `/users/${id}`, { [member]: { gone: null, added: 2 } });
        const { json } = await context.admin('GET', `/users/${id}`);
        assert.deepEqual(
          ['kept', 'gone', 'added'].map((key) => at(json, member, key)),
          [1, undefined, 2],
          `kept, gone and added of ${member}`,
        );
      }
      const { json } = await context.admin('GET', `/users/${id}`);
      assert.equal(at(json, 'app_metadata', 'provider'), 'email', 'app_metadata.provider of the user');
    },
  ),
  audit(
    'AUTH-813',
    'an address that an administrator sets is in force at once, also in the identity',
    options,
    async (context) => {
      const user = await context.newUser();
      const email = context.newEmail();
      assertStatus(await context.admin('PUT', `/users/${user.id}`, { email, email_confirm: true }), 200);
      const { json } = await context.admin('GET', `/users/${user.id}`);
      assert.deepEqual(
        [at(json, 'email'), at(json, 'new_email'), at(json, 'identities', 0, 'email')],
        [email, undefined, email],
        'email, new_email and the email of the identity',
      );
      assertSession(await context.signIn(email, user.password));
    },
  ),
  audit(
    'AUTH-814',
    'a banned user is refused with each token and code until ban_duration none',
    options,
    async (context) => {
      const user = await context.newUser();
      const token_hash = textAt(
        await generateLink(context, { type: 'magiclink', email: user.email }),
        'hashed_token',
      );
      const banned = await context.admin('PUT', `/users/${user.id}`, { ban_duration: '1h30m' });
      const aheadMs = Date.parse(textAt(banned, 'banned_until')) - Date.now();
      assert.ok(aheadMs > 4_800_000 && aheadMs < 6_000_000, 'the ban ends in 90 minutes', `${aheadMs} ms`);
      assertError(await userOf(context, user), 403, 'user_banned');
      const refreshed = await context.auth.send('POST', '/token', {
        query: { grant_type: 'refresh_token' },
        body: { refresh_token: user.refreshToken },
      });
      assertError(refreshed, 400, 'user_banned');
      assertError(await verifyToken(context, { type: 'magiclink', token_hash }), 403, 'user_banned');
      const lifted = await context.admin('PUT', `/users/${user.id}`, { ban_duration: 'none' });
      assert.equal(at(lifted.json, 'banned_until'), undefined, 'banned_until of the response');
      assertStatus(await userOf(context, user), 200);
    },
  ),
  audit(
    'AUTH-815',
    'a duration of a ban without a unit, or with an unknown one, is refused as validation_failed',
    options,
    async (context) => {
      const { id } = await context.newUser();
      for (const [ban_duration, reason] of [
        ['24', 'missing unit in duration "24"'],
        ['1h30', 'missing unit in duration "1h30"'],
        ['1d', 'unknown unit "d" in duration "1d"'],
        ['1d.', 'unknown unit "d" in duration "1d."'],
        ['tomorrow', 'invalid duration "tomorrow"'],
        ['-', 'invalid duration "-"'],
        ['9999999h', 'invalid duration "9999999h"'],
        ['9223372036854775808ns', 'invalid duration "9223372036854775808ns"'],
      ] as const)
        assertRefusal(
          await context.admin('PUT', `/users/${id}`, { ban_duration }),
          400,
          'validation_failed',
          `invalid format for ban duration: time: ${reason}`,
        );
    },
  ),
  audit(
    'AUTH-816',
    'a created user has the id, the role, the number and the metadata of the request',
    options,
    async (context) => {
      const [email, phone, id] = [context.newEmail(), context.newPhone(), crypto.randomUUID()];
      const body = { id, email, phone, role: 'editor', app_metadata: { plan: 'pro' } };
      const { json } = await context.admin('POST', '/users', { ...body, phone_confirm: true });
      assert.deepEqual(
        ['id', 'role', 'email', 'phone', 'app_metadata', 'email_confirmed_at'].map((member) =>
          at(json, member),
        ),
        [
          id,
          'editor',
          email,
          phone,
          { provider: 'email', providers: ['email', 'phone'], plan: 'pro' },
          undefined,
        ],
        'the members of the user',
      );
      assert.equal(typeof at(json, 'phone_confirmed_at'), 'string', 'the type of phone_confirmed_at');
      const identities = at(json, 'identities') as readonly unknown[];
      assert.deepEqual(
        identities.map((identity) => at(identity, 'provider')),
        ['email', 'phone'],
        'the providers of the identities',
      );
    },
  ),
  audit(
    'AUTH-817',
    'a user without an address, with two passwords or with an invalid id is not created',
    options,
    async (context) => {
      const email = context.newEmail();
      const bodies = [
        { password: 'Secret-123456' },
        { email, password: 'Secret-123456', password_hash: PASSWORD_HASH },
        { email, id: 'no-uuid' },
        { email, id: '00000000-0000-0000-0000-000000000000' },
        { email: 'nonsense' },
        { phone: 'nonsense' },
      ];
      for (const body of bodies)
        assertError(await context.admin('POST', '/users', body), 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-818',
    'a user who is created with the hash of a password signs in with the password',
    options,
    async (context) => {
      const email = context.newEmail();
      const body = { email, email_confirm: true, password_hash: PASSWORD_HASH };
      assertStatus(await context.admin('POST', '/users', body), 200);
      assertSession(await context.signIn(email, 'Secret-123456'));
    },
  ),
  audit(
    'AUTH-819',
    'pages of users are filtered, in the order of sort, and link to the next and the last page',
    options,
    async (context) => {
      const base = context.newEmail().replace(/@.*/, '');
      const emails = ['a', 'b', 'c'].map((letter) => `${base}${letter}@example.com`);
      for (const email of emails) assertStatus(await context.admin('POST', '/users', { email }), 200);
      const read = async (query: string) => {
        const { json, headers } = await context.admin('GET', `/users?filter=${base}&${query}`);
        const users = at(json, 'users') as readonly unknown[];
        return { emails: users.map((user) => at(user, 'email')), headers };
      };
      assert.deepEqual((await read('')).emails, emails.toReversed(), 'the users without a sort');
      assert.deepEqual((await read('sort=created_at%20asc')).emails, emails, 'the users in ascending order');
      const first = await read('page=1&per_page=2');
      assert.deepEqual(first.emails, emails.toReversed().slice(0, 2), 'the users of the first page');
      assert.equal(first.headers.get('x-total-count'), '3', 'the header x-total-count');
      assert.match(
        first.headers.get('link') ?? '',
        /[?&]page=2[&>].*rel="next", <.*[?&]page=2[&>].*rel="last"/,
        'the header link of the first page',
      );
      const last = await read('page=2&per_page=2');
      assert.deepEqual(last.emails, emails.slice(0, 1), 'the users of the last page');
      assert.ok(!last.headers.get('link')?.includes('next'), 'the last page has no link to a next one');
    },
  ),
  audit(
    'AUTH-820',
    'users are ordered by created_at alone, in a direction of any case',
    options,
    async ({ admin }) => {
      for (const sort of ['created_at', 'created_at ASC', 'created_at Desc'])
        assertStatus(await admin('GET', `/users?per_page=1&sort=${encodeURIComponent(sort)}`), 200);
      for (const sort of ['email', 'created_at up'])
        assertError(
          await admin('GET', `/users?per_page=1&sort=${encodeURIComponent(sort)}`),
          400,
          'validation_failed',
        );
    },
  ),
  audit(
    'AUTH-821',
    'a softly deleted user stays with deleted_at, without sessions, data and its address',
    options,
    async (context) => {
      const user = await context.newUser();
      await context.admin('PUT', `/users/${user.id}`, { user_metadata: { name: 'Ada' } });
      assertStatus(await context.admin('DELETE', `/users/${user.id}`, { should_soft_delete: true }), 200);
      const { json } = await context.admin('GET', `/users/${user.id}`);
      const ended = await userOf(context, user);
      const signedIn = await context.signIn(user.email, user.password);
      const again = await context.admin('POST', '/users', { email: user.email });
      assertStatus(await context.admin('DELETE', `/users/${user.id}`), 200);
      assert.equal(typeof at(json, 'deleted_at'), 'string', 'the type of deleted_at');
      const hash = (text: string) =>
        createHash('sha256')
          .update(user.id + text)
          .digest('base64url');
      assert.equal(at(json, 'email'), hash(user.email), 'email of the deleted user');
      assert.equal(at(json, 'phone'), hash('').slice(0, 15), 'phone of the deleted user');
      assert.deepEqual(
        [at(json, 'identities', 0, 'id'), at(json, 'identities', 0, 'identity_data')],
        [hash(`email:${user.id}`), undefined],
        'id and identity_data of the identity',
      );
      assert.deepEqual(at(json, 'app_metadata'), {}, 'app_metadata of the deleted user');
      assert.deepEqual(at(json, 'user_metadata'), {}, 'user_metadata of the deleted user');
      assertError(ended, 403, 'session_not_found');
      assertError(signedIn, 400, 'invalid_credentials');
      assertStatus(again, 200);
    },
  ),
  audit(
    'AUTH-822',
    'an administrator lists, renames and removes the factors of a user',
    options,
    async (context) => {
      const user = await context.newUser();
      const enrolled = await context.auth.send('POST', '/factors', {
        token: user.accessToken,
        body: { factor_type: 'totp', friendly_name: 'old' },
      });
      const path = `/users/${user.id}/factors`;
      const id = textAt(enrolled, 'id');
      const renamed = await context.admin('PUT', `${path}/${id}`, { friendly_name: 'new' });
      assert.equal(at(renamed.json, 'friendly_name'), 'new', 'friendly_name of the response');
      const listed = await context.admin('GET', path);
      assert.deepEqual(
        [at(listed.json, 0, 'id'), at(listed.json, 0, 'friendly_name'), at(listed.json, 0, 'secret')],
        [id, 'new', undefined],
        'id, friendly_name and secret of the listed factor',
      );
      assertStatus(await context.admin('DELETE', `${path}/${id}`), 200);
      assertError(await context.admin('DELETE', `${path}/${id}`), 404, 'mfa_factor_not_found');
    },
  ),
  audit(
    'AUTH-823',
    'the links to sign up and to an invitation create the account that they sign in',
    options,
    async (context) => {
      const kinds = [
        ['signup', 'signup'],
        ['invite', 'invite'],
        ['magiclink', 'signup'],
      ] as const;
      for (const [type, resolved] of kinds) {
        const email = context.newEmail();
        const body = { type, email, password: 'Secret-123456', data: { name: 'Ada' } };
        const link = await generateLink(context, body);
        assertStatus(link, 200);
        assert.deepEqual(
          [at(link.json, 'email'), at(link.json, 'verification_type'), at(link.json, 'email_confirmed_at')],
          [email, resolved, undefined],
          `email, verification_type and email_confirmed_at of ${type}`,
        );
        assert.equal(
          typeof at(link.json, 'invited_at') === 'string',
          type === 'invite',
          'the user is invited',
        );
        const session = assertSession(
          await verifyToken(context, { type: resolved, token_hash: textAt(link, 'hashed_token') }),
        );
        assert.equal(
          at(session.json, 'user', 'user_metadata', 'name'),
          'Ada',
          `user_metadata.name of ${type}`,
        );
      }
    },
  ),
  audit(
    'AUTH-824',
    'no link is generated for an account that the type does not fit',
    options,
    async (context) => {
      const [{ email }, unknown] = [await context.newUser(), context.newEmail()];
      const password = 'Secret-123456';
      for (const type of ['recovery', 'email_change_new'])
        assertError(await generateLink(context, { type, email: unknown }), 404, 'user_not_found');
      for (const type of ['signup', 'invite'])
        assertError(await generateLink(context, { type, email, password }), 422, 'email_exists');
      for (const type of ['signup', 'pigeon', ''])
        assertError(await generateLink(context, { type, email: unknown }), 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-825',
    'a generated link leads to redirect_to of the body if that is allowed',
    options,
    async (context) => {
      const { email } = await context.newUser();
      const { redirectTo } = context.target;
      const link = await generateLink(context, { type: 'magiclink', email, redirect_to: redirectTo });
      assert.equal(at(link.json, 'redirect_to'), redirectTo, 'redirect_to of the response');
      const query = new URL(textAt(link, 'action_link')).searchParams;
      assert.deepEqual(
        ['redirect_to', 'type', 'token'].map((name) => query.get(name)),
        [redirectTo, 'magiclink', textAt(link, 'hashed_token')],
        'redirect_to, type and token of the link',
      );
      const evil = 'https://evil.example.net/steal';
      const refused = await generateLink(context, { type: 'magiclink', email, redirect_to: evil });
      assert.notEqual(at(refused.json, 'redirect_to'), evil, 'redirect_to that is not allowed');
    },
  ),
  audit(
    'AUTH-826',
    'an id that is no UUID is refused with 404 as validation_failed',
    options,
    async (context) => {
      const { id } = await context.newUser();
      for (const path of ['/users/no-uuid', `/users/${id}/factors/no-uuid`])
        assertError(
          await context.admin(path.includes('factors') ? 'DELETE' : 'GET', path),
          404,
          'validation_failed',
        );
      assertError(await context.admin('DELETE', `/users/${unknownId}`), 404, 'user_not_found');
    },
  ),
  audit(
    'AUTH-845',
    'an administrator creates a user by number or address, banned and with a role, and none with a taken one',
    options,
    async (context) => {
      const [email, phone, password] = [context.newEmail(), context.newPhone(), 'Secret-1 of a new user'];
      const fields = { email, phone, password, role: 'audit_role', email_confirm: true, ban_duration: '1h' };
      const created = await context.admin('POST', '/users', fields);
      assertStatus(created, 200);
      const { json } = await context.admin('GET', `/users/${textAt(created, 'id')}`);
      for (const user of [created.json, json])
        assert.deepEqual(
          ['email', 'phone', 'role', 'aud', 'phone_confirmed_at'].map((member) => at(user, member)),
          [email, phone, 'audit_role', 'authenticated', undefined],
          'email, phone, role, aud and phone_confirmed_at of the user',
        );
      assert.deepEqual(
        [at(json, 'app_metadata', 'provider'), at(json, 'app_metadata', 'providers')],
        ['email', ['email', 'phone']],
        'provider and providers of the user',
      );
      const identities = at(json, 'identities') as readonly unknown[];
      assert.deepEqual(
        identities.map((one) => String(at(one, 'provider'))).toSorted(),
        ['email', 'phone'],
        'the identities of the user',
      );
      assert.ok(at(json, 'email_confirmed_at'), 'the address is confirmed');
      const bannedS = (Date.parse(String(at(json, 'banned_until'))) - Date.now()) / 1000;
      assert.ok(Math.abs(bannedS - 3600) < 300, 'the ban ends in an hour', `${bannedS} s`);
      assertError(await context.signIn(email, password), 400, 'user_banned');
      assertError(await context.admin('POST', '/users', { email }), 422, 'email_exists');
      assertError(await context.admin('POST', '/users', { phone }), 422, 'phone_exists');
      const other = { email: context.newEmail(), password_hash: 'no hash' };
      assertError(await context.admin('POST', '/users', other), 500, 'unexpected_failure');
      const path = `/users/${textAt(created, 'id')}`;
      const changed = await context.admin('PUT', path, { role: 'authenticated', ban_duration: '-1h' });
      assert.equal(at(changed.json, 'role'), 'authenticated', 'the changed role');
      assertSession(await context.signIn(email, password));
      const { email: taken } = await context.newUser();
      const refused = await context.admin('PUT', path, { email: taken });
      assertError(refused, 500, 'unexpected_failure');
    },
  ),
  audit(
    'AUTH-847',
    'an invitation has the data of its request, is repeated until it is accepted, and is refused afterwards',
    { ...options, needs: ['service-key', 'mailbox'] },
    async (context) => {
      const email = context.newEmail();
      const { serviceKey: token } = context.target;
      const invite = () =>
        context.auth.send('POST', '/invite', {
          body: { email, data: { team: 'audit' } },
          ...(token === null
            ? {}
            : { token, headers: context.target.restUrl === null ? {} : { apikey: token } }),
        });
      const invited = await invite();
      assertStatus(invited, 200);
      assert.deepEqual(
        [
          at(invited.json, 'email'),
          at(invited.json, 'user_metadata', 'team'),
          at(invited.json, 'app_metadata', 'provider'),
          at(invited.json, 'email_confirmed_at'),
        ],
        [email, 'audit', 'email', undefined],
        'email, user_metadata, provider and email_confirmed_at of the response',
      );
      for (const member of ['invited_at', 'confirmation_sent_at'])
        assert.ok(Date.parse(textAt(invited, member)) > 1.6e12, `${member} of the response is a time`);
      await context.mail(email);
      const again = await invite();
      assert.equal(at(again.json, 'id'), at(invited.json, 'id'), 'id of the second invitation');
      const { links } = await context.mail(email);
      const [, token_hash] = /[?&#]token(?:_hash)?=([^&#]+)/.exec(links.join(' ')) ?? [];
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'invite', token_hash } }));
      assertError(await invite(), 422, 'email_exists');
    },
  ),
];
