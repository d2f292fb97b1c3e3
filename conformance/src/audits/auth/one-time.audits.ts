import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession } from '../../audit/audit-context.ts';
import { metadataOf } from '../../target/run.ts';
import {
  assertError,
  assertStatus,
  assertStatusIn,
  at,
  jwtPartOf,
  locationOf,
  textAt,
} from '../../target/wire.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#one-time-codes';

/** One-time codes and links: /otp, /magiclink, /recover, /resend, /verify. */
export const oneTimeAudits: readonly Audit[] = [
  audit(
    'AUTH-401',
    'POST /otp returns {} and sends a code that signs in',
    { source, needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      const requested = await context.auth.send('POST', '/otp', { body: { email } });
      assertStatus(requested, 200);
      assert.deepEqual(requested.json, {}, 'the sent request');
      const token = await context.mailedCode(email);
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'email', email, token } }));
    },
  ),
  audit('AUTH-402', 'a code signs in once', { source, needs: ['mailbox'] }, async (context) => {
    const { email } = await context.newUser();
    await context.auth.send('POST', '/otp', { body: { email } });
    const body = { type: 'email', email, token: await context.mailedCode(email) };
    assertSession(await context.auth.send('POST', '/verify', { body }));
    assertError(await context.auth.send('POST', '/verify', { body }), 403, 'otp_expired');
  }),
  audit('AUTH-403', 'a wrong code is refused as otp_expired', { source }, async (context) => {
    const { email } = await context.newUser();
    assertError(
      await context.auth.send('POST', '/verify', { body: { type: 'email', email, token: '000000' } }),
      403,
      'otp_expired',
    );
  }),
  audit(
    'AUTH-404',
    'POST /otp for an unknown address with create_user false is refused',
    { source },
    async ({ auth, newEmail }) => {
      assertError(
        await auth.send('POST', '/otp', { body: { email: newEmail(), create_user: false } }),
        422,
        'otp_disabled',
      );
    },
  ),
  audit(
    'AUTH-405',
    'POST /otp creates the account unless create_user is false',
    { source, needs: ['mailbox'] },
    async (context) => {
      const email = context.newEmail();
      assertStatus(await context.auth.send('POST', '/otp', { body: { email } }), 200);
      const token = await context.mailedCode(email);
      const session = assertSession(
        await context.auth.send('POST', '/verify', { body: { type: 'email', email, token } }),
      );
      assert.equal(at(session.json, 'user', 'email'), email, 'user.email of the session');
    },
  ),
  audit(
    'AUTH-406',
    'POST /recover returns {} for an unknown address',
    { source },
    async ({ auth, newEmail }) => {
      const response = await auth.send('POST', '/recover', { body: { email: newEmail() } });
      assertStatus(response, 200);
      assert.deepEqual(response.json, {}, 'the response');
    },
  ),
  audit(
    'AUTH-407',
    'the code of a recovery mail signs in as type recovery',
    { source, needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', { body: { email } });
      const token = await context.mailedCode(email);
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'recovery', email, token } }));
    },
  ),
  audit(
    'AUTH-408',
    'POST /verify takes exactly {type, token_hash}',
    { source, needs: ['mailbox'] },
    async (context) => {
      const { email } = await context.newUser();
      await context.auth.send('POST', '/recover', { body: { email } });
      const { links } = await context.mail(email);
      const token_hash =
        new URL(links.find((link) => link.includes('/verify?')) ?? '').searchParams.get('token') ?? '';
      assertError(
        await context.auth.send('POST', '/verify', { body: { type: 'recovery', token_hash, email } }),
        400,
        'validation_failed',
      );
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'recovery', token_hash } }));
    },
  ),
  audit('AUTH-409', 'POST /verify without a type is refused', { source }, async ({ auth }) => {
    assertError(
      await auth.send('POST', '/verify', { body: { email: 'a@example.com', token: '123456' } }),
      400,
      'validation_failed',
    );
  }),
  audit(
    'AUTH-410',
    'POST /resend of a sign-up sends a second mail whose code works',
    { source, needs: ['mailbox', 'email-confirmation'] },
    async (context) => {
      const email = context.newEmail();
      await context.auth.send('POST', '/signup', { body: { email, password: 'Secret-123456' } });
      await context.mail(email);
      const response = await context.auth.send('POST', '/resend', { body: { type: 'signup', email } });
      assertStatus(response, 200);
      assert.deepEqual(response.json, {}, 'the response');
      const token = await context.mailedCode(email);
      assertSession(await context.auth.send('POST', '/verify', { body: { type: 'signup', email, token } }));
    },
  ),
  audit(
    'AUTH-411',
    'POST /resend of an unknown address returns {}',
    { source },
    async ({ auth, newEmail }) => {
      const response = await auth.send('POST', '/resend', { body: { type: 'signup', email: newEmail() } });
      assertStatus(response, 200);
      assert.deepEqual(response.json, {}, 'the response');
    },
  ),
  audit('AUTH-412', 'POST /resend of an unknown type is refused', { source }, async ({ auth, newEmail }) => {
    assertError(
      await auth.send('POST', '/resend', { body: { type: 'pigeon', email: newEmail() } }),
      400,
      'validation_failed',
    );
  }),
  audit('AUTH-413', 'POST /magiclink signs in like /otp', { source, needs: ['mailbox'] }, async (context) => {
    const { email } = await context.newUser();
    assertStatus(await context.auth.send('POST', '/magiclink', { body: { email } }), 200);
    const token = await context.mailedCode(email);
    assertSession(await context.auth.send('POST', '/verify', { body: { type: 'magiclink', email, token } }));
  }),
  audit(
    'AUTH-414',
    'GET /verify with a token that does not exist redirects with otp_expired',
    { source: 'protocol/auth.md#mail-links' },
    async ({ auth, target }) => {
      const response = await auth.send('GET', '/verify', {
        query: { token: '0'.repeat(56), type: 'signup', redirect_to: target.redirectTo },
      });
      assertStatus(response, 303);
      const location = locationOf(response);
      assert.equal(
        new URLSearchParams(location.hash.slice(1)).get('error_code'),
        'otp_expired',
        'error_code of the fragment',
      );
    },
  ),
  audit('AUTH-415', 'an SMS code signs in by phone', { source, needs: ['sms'] }, async (context) => {
    const phone = context.newPhone();
    const requested = await context.auth.send('POST', '/otp', { body: { phone } });
    assertStatus(requested, 200);
    const token = await context.mailedCode(phone);
    const session = assertSession(
      await context.auth.send('POST', '/verify', { body: { type: 'sms', phone, token } }),
    );
    assert.equal(at(session.json, 'user', 'phone'), phone, 'user.phone of the session');
  }),
  audit('AUTH-416', 'POST /otp with neither email nor phone is refused', { source }, async ({ auth }) => {
    const response = await auth.send('POST', '/otp', { body: {} });
    assertStatusIn(response, [400, 422]);
  }),
  audit(
    'AUTH-417',
    'an invalid address is refused as validation_failed, whatever is sent to it',
    { source, since: '1.0.0' },
    async ({ auth }) => {
      const wrong = ['nonsense', '@example.com', 'a b@example.com', `a@${'x'.repeat(64)}.com`];
      for (const path of ['/otp', '/magiclink', '/recover', '/resend'])
        for (const email of wrong)
          assertError(
            await auth.send('POST', path, { body: { type: 'signup', email } }),
            400,
            'validation_failed',
          );
      for (const path of ['/recover', '/resend'])
        assertError(await auth.send('POST', path, { body: { type: 'signup' } }), 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-418',
    'members that exclude each other are refused as validation_failed',
    { source, since: '1.0.0' },
    async ({ auth, newEmail, newPhone }) => {
      const [email, phone, token, token_hash] = [newEmail(), newPhone(), '123456', 'a'.repeat(56)];
      const requests = [
        ['/otp', { email, phone }],
        ['/otp', { email, channel: 'sms' }],
        ['/resend', { type: 'signup', email, phone }],
        ['/resend', { type: 'sms', email }],
        ['/resend', { type: 'email_change' }],
        ['/verify', { type: 'email', email, token, token_hash }],
        ['/verify', { type: 'email', token }],
        ['/verify', { type: 'email' }],
        ['/verify', { type: 'email', email, phone, token }],
        ['/verify', { type: 'pigeon', token_hash }],
      ] as const;
      for (const [path, body] of requests)
        assertError(await auth.send('POST', path, { body }), 400, 'validation_failed');
      const invalid = { type: 'email', email: 'nonsense', token };
      assertError(await auth.send('POST', '/verify', { body: invalid }), 422, 'validation_failed');
      const letters = { type: 'sms', phone: 'nonsense', token };
      assertError(await auth.send('POST', '/verify', { body: letters }), 400, 'validation_failed');
    },
  ),
  audit(
    'AUTH-419',
    'a code works for its own type and address only',
    { source, needs: ['service-key'], since: '1.0.0' },
    async (context) => {
      const [{ email }, other] = [await context.newUser(), await context.newUser()];
      const link = await context.admin('POST', '/generate_link', { type: 'recovery', email });
      const token = textAt(link, 'email_otp');
      const verify = (body: object) => context.auth.send('POST', '/verify', { body });
      for (const type of ['signup', 'invite', 'email_change'])
        assertError(await verify({ type, email, token }), 403, 'otp_expired');
      assertError(await verify({ type: 'recovery', email: other.email, token }), 403, 'otp_expired');
      assertError(
        await verify({ type: 'signup', token_hash: textAt(link, 'hashed_token') }),
        403,
        'otp_expired',
      );
      assertSession(await verify({ type: 'recovery', email, token }));
    },
  ),
  audit(
    'AUTH-420',
    'the hash of a code signs in as type email, once',
    { source, needs: ['service-key'], since: '1.0.0' },
    async (context) => {
      const { email } = await context.newUser();
      const link = await context.admin('POST', '/generate_link', { type: 'magiclink', email });
      const body = { type: 'email', token_hash: textAt(link, 'hashed_token') };
      assertSession(await context.auth.send('POST', '/verify', { body }));
      assertError(await context.auth.send('POST', '/verify', { body }), 403, 'otp_expired');
    },
  ),
  audit(
    'AUTH-421',
    'a code and a link that were sent days ago are refused as otp_expired',
    { source, needs: ['service-key', 'database'], since: '1.0.0' },
    async (context) => {
      const kinds = [
        ['recovery', 'recovery_sent_at', (await context.newUser()).email],
        ['signup', 'confirmation_sent_at', context.newEmail()],
      ] as const;
      for (const [type, column, email] of kinds) {
        const body = { type, email, password: 'Secret-123456' };
        const link = await context.admin('POST', '/generate_link', body);
        const old = `update auth.users set ${column} = ${column} - interval '3 days' where id = $1`;
        await context.query(old, [textAt(link, 'id')]);
        const proofs = [
          { email, token: textAt(link, 'email_otp') },
          { token_hash: textAt(link, 'hashed_token') },
        ];
        for (const proof of proofs)
          assertError(
            await context.auth.send('POST', '/verify', { body: { type, ...proof } }),
            403,
            'otp_expired',
          );
      }
    },
  ),
  audit(
    'AUTH-422',
    'user data of POST /otp becomes user_metadata of a new account',
    { source, needs: ['service-key'], since: '1.0.0' },
    async (context) => {
      const email = context.newEmail();
      assertStatus(await context.auth.send('POST', '/otp', { body: { email, data: { name: 'Ada' } } }), 200);
      const { json } = await context.admin('GET', `/users?filter=${encodeURIComponent(email)}`);
      assert.equal(at(json, 'users', 0, 'user_metadata', 'name'), 'Ada', 'user_metadata.name of the user');
    },
  ),
  audit(
    'AUTH-423',
    'POST /resend sends nothing to a confirmed account, or without a requested change',
    { source, since: '1.0.0' },
    async (context) => {
      const { email, accessToken: token } = await context.newUser();
      const before = await context.auth.send('GET', '/user', { token });
      for (const type of ['signup', 'email_change']) {
        const response = await context.auth.send('POST', '/resend', { body: { type, email } });
        assertStatus(response, 200);
        assert.deepEqual(response.json, {}, 'the response');
      }
      const after = await context.auth.send('GET', '/user', { token });
      for (const member of ['confirmation_sent_at', 'email_change_sent_at'])
        assert.equal(at(after.json, member), at(before.json, member), `${member} of the user`);
    },
  ),
  audit(
    'AUTH-424',
    'the target of a link keeps its query, with tokens and with an error in a new fragment',
    { source: 'protocol/auth.md#mail-links', needs: ['service-key'], since: '1.0.0' },
    async (context) => {
      const { email } = await context.newUser();
      const link = await context.admin('POST', '/generate_link', { type: 'magiclink', email });
      const redirect_to = `${context.target.redirectTo}?next=%2Fdeep#old`;
      const query = { type: 'magiclink', token: textAt(link, 'hashed_token') };
      const open = async (target: string) => {
        const opened = await context.auth.send('GET', '/verify', {
          query: { ...query, redirect_to: target },
        });
        assertStatus(opened, 303);
        return locationOf(opened);
      };
      const signedIn = await open(redirect_to.replace('#old', ''));
      assert.equal(signedIn.searchParams.get('next'), '/deep', 'next of the query with tokens');
      assert.match(signedIn.hash, /access_token=/, 'the fragment with tokens');
      const failed = await open(redirect_to);
      assert.equal(failed.searchParams.get('next'), '/deep', 'next of the query with an error');
      const fragment = new URLSearchParams(failed.hash.slice(1));
      assert.deepEqual(
        ['error', 'error_code', 'sb', 'old'].map((name) => fragment.get(name)),
        ['access_denied', 'otp_expired', '', null],
        'error, error_code, sb and old of the fragment',
      );
      assert.ok(fragment.get('error_description'), 'the fragment has error_description');
    },
  ),
  audit(
    'AUTH-425',
    'a link without a type or a token, and one of an unknown type, is refused without a redirect to a session',
    { source: 'protocol/auth.md#mail-links', since: '1.0.0' },
    async ({ auth, target }) => {
      const token = '0'.repeat(56);
      for (const query of [{ token }, { type: 'signup' }, { type: 'signup', token: '' }] as const)
        assertError(
          await auth.send('GET', '/verify', { query: { ...query, redirect_to: target.redirectTo } }),
          400,
          'validation_failed',
        );
    },
  ),
  audit(
    'AUTH-426',
    'a confirmed number signs in by a new code, and an unknown one does not with create_user false',
    { source, needs: ['sms', 'phone-confirmation'], since: '1.0.0' },
    async (context) => {
      const { auth } = context;
      const phone = context.newPhone();
      const otp = (body: object) => auth.send('POST', '/otp', { body: { phone, ...body } });
      const signIn = async () => {
        const token = await context.mailedCode(phone);
        return assertSession(await auth.send('POST', '/verify', { body: { type: 'sms', phone, token } }));
      };
      assertError(await otp({ create_user: false }), 422, 'otp_disabled');
      assertStatus(await otp({ data: { name: 'Ada' } }), 200);
      const first = await signIn();
      assert.deepEqual(
        [
          at(first.json, 'user', 'user_metadata', 'name'),
          at(first.json, 'user', 'app_metadata', 'provider'),
          at(first.json, 'user', 'app_metadata', 'providers'),
          at(first.json, 'user', 'email'),
          typeof at(first.json, 'user', 'phone_confirmed_at'),
        ],
        ['Ada', 'phone', ['phone'], '', 'string'],
        'the new user',
      );
      assertStatus(await otp({ create_user: false }), 200);
      const second = await signIn();
      assert.equal(at(second.json, 'user', 'id'), at(first.json, 'user', 'id'), 'id of the user');
      assert.equal(at(jwtPartOf(textAt(second, 'access_token')), 'amr', 0, 'method'), 'otp', 'the method');
    },
  ),
  audit(
    'AUTH-427',
    'POST /resend sends a code to an unconfirmed and to a new number, and none to a confirmed one',
    { source, needs: ['sms', 'phone-confirmation'], since: '1.0.0' },
    async (context) => {
      const { auth } = context;
      const password = 'Secret-1 of a number';
      const phone = context.newPhone();
      const resend = async (type: string, number: string) => {
        const sent = await auth.send('POST', '/resend', { body: { type, phone: number } });
        assertStatus(sent, 200);
        // The provider of the messages may number them.
        assert.ok(
          Object.keys(sent.json as object).every((member) => member === 'message_id'),
          'the response has a message_id at most',
          sent.text,
        );
      };
      const verify = async (type: string, number: string, token: string) =>
        auth.send('POST', '/verify', { body: { type, phone: number, token } });
      assertStatus(await auth.send('POST', '/signup', { body: { phone, password } }), 200);
      const byPassword = () =>
        auth.send('POST', '/token', { query: { grant_type: 'password' }, body: { phone, password } });
      assertError(await byPassword(), 400, 'phone_not_confirmed');
      const former = await context.mailedCode(phone);
      await resend('sms', phone);
      const code = await context.mailedCode(phone);
      if (code !== former) assertError(await verify('sms', phone, former), 403, 'otp_expired');
      const session = assertSession(await verify('sms', phone, code));
      assertSession(await byPassword());
      const token = textAt(session, 'access_token');
      const changed = context.newPhone();
      assertStatus(await auth.send('PUT', '/user', { token, body: { phone: changed } }), 200);
      await context.mailedCode(changed);
      const before = (await context.mails(phone)).length;
      await resend('sms', phone);
      await resend('phone_change', phone);
      const again = await context.mailedCode(changed);
      assert.equal((await context.mails(phone)).length, before, 'the messages to the confirmed number');
      const { json } = assertSession(await verify('phone_change', changed, again));
      assert.equal(at(json, 'user', 'phone'), changed, 'the number of the user');
      await resend('phone_change', changed);
      assert.equal((await context.mails(changed)).length, 2, 'the messages without a pending change');
    },
  ),
  audit(
    'AUTH-428',
    'a reauthentication is mailed or sent to a confirmed address or number alone',
    { source, needs: ['sms', 'phone-confirmation', 'database'], since: '1.0.0' },
    async (context) => {
      const { auth, run } = context;
      const reauthenticate = (token: string) => auth.send('GET', '/reauthenticate', { token });
      const phone = context.newPhone();
      assertStatus(await auth.send('POST', '/otp', { body: { phone } }), 200);
      const body = { type: 'sms', phone, token: await context.mailedCode(phone) };
      const session = assertSession(await auth.send('POST', '/verify', { body }));
      const token = textAt(session, 'access_token');
      assertStatus(await reauthenticate(token), 200);
      await context.mailedCode(phone);
      await context.query('update auth.users set phone_confirmed_at = null where phone = $1', [phone]);
      assertError(await reauthenticate(token), 422, 'phone_not_confirmed');
      const user = await context.newUser();
      await context.query('update auth.users set email_confirmed_at = null where id = $1', [user.id]);
      assertError(await reauthenticate(user.accessToken), 422, 'email_not_confirmed');
      const anonymous = await auth.send('POST', '/signup', { body: { data: metadataOf(run) } });
      if (anonymous.status === 422) return;
      assertError(await reauthenticate(textAt(anonymous, 'access_token')), 400, 'validation_failed');
    },
  ),
];
