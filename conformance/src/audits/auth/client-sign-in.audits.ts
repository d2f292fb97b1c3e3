import { assert } from '../../target/assertion.ts';
import { AuthError } from 'supabase-protocol-clients/auth-client';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, refusalOf } from '../../clients/client-audit.ts';
import { createBrowser, type Tab } from '../../clients/tab.ts';
import { metadataOf } from '../../target/run.ts';
import { assertStatus } from '../../target/wire.ts';
import { NotRunError } from '../../target/target.ts';

const audit = clientAuditsOf('auth-client');
const password = 'Correct-horse-battery-1';

export const eventNames = ({ events }: Tab) => events.map(({ name }) => name);

export const clientSignInAudits: readonly Audit[] = [
  audit(
    'CLIENT-AUTH-101',
    'an unconfirmed account has no session; the mailed code opens one',
    { source: 'protocol/auth.md#sign-up', needs: ['mailbox'] },
    async ({ server, open }) => {
      const { auth, ...tab } = await open();
      const email = server.newEmail();
      const { session } = await auth.signUp({ email, password, redirectTo: server.target.redirectTo });
      if (session) throw new NotRunError('the target asks for no confirmation');
      assert.deepEqual(
        [auth.getSnapshot().status, tab.stored()],
        ['signed-out', null],
        'the status of the client, and the stored session',
      );
      await auth.verifyOtp({ type: 'signup', email, token: await server.mailedCode(email) });
      assert.equal(auth.getSnapshot().user?.email, email, 'the email of the user');
      assert.deepEqual(
        tab.events.map(({ name }) => name),
        ['INITIAL_SESSION', 'SIGNED_IN'],
        'the events',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-102',
    'a sign-in by password is announced once and stored as the server sent it',
    { source: 'protocol/auth.md#session' },
    async ({ server, signIn }) => {
      const tab = await signIn();
      assert.deepEqual(eventNames(tab), ['INITIAL_SESSION', 'SIGNED_IN'], 'the names of the events');
      const stored = tab.stored();
      assert.equal(
        stored?.access_token,
        await tab.auth.getAccessToken(),
        'access_token of the stored session',
      );
      assertStatus(await server.auth.send('GET', '/user', { token: stored?.access_token ?? '' }), 200);
      assert.equal(tab.auth.getSnapshot().user?.id, tab.user.id, 'the id of the user');
    },
  ),
  audit(
    'CLIENT-AUTH-103',
    'a reload restores the session without a request',
    { source: 'protocol/auth.md#storage-keys' },
    async ({ open, signIn }) => {
      const { browser, user } = await signIn();
      const reloaded = await open({ browser });
      assert.equal(reloaded.auth.getSnapshot().user?.id, user.id, 'the id of the user');
      assert.deepEqual(
        [eventNames(reloaded), reloaded.wire.requests],
        [['INITIAL_SESSION'], []],
        'the names of the events and the sent requests',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-104',
    'a wrong password is refused as invalid_credentials and opens no session',
    { source: 'protocol/auth.md#password-grant' },
    async ({ server, open }) => {
      const { email } = await server.newUser();
      const tab = await open();
      const { code, status } = await refusalOf(
        AuthError,
        tab.auth.signInWithPassword({ email, password: 'not this one' }),
      );
      assert.deepEqual([code, status], ['invalid_credentials', 400], 'the code and status');
      assert.deepEqual(
        [tab.auth.getSnapshot().status, tab.stored()],
        ['signed-out', null],
        'the status of the client, and the stored session',
      );
      assert.deepEqual(eventNames(tab), ['INITIAL_SESSION'], 'the names of the events');
    },
  ),
  audit(
    'CLIENT-AUTH-105',
    'a refused sign-in keeps the current session',
    { source: 'protocol/auth.md#password-grant' },
    async ({ signIn }) => {
      const { auth, user, wire } = await signIn();
      const before = await auth.getAccessToken();
      await refusalOf(AuthError, auth.signInWithPassword({ email: user.email, password: 'not this one' }));
      assert.equal(await auth.getAccessToken(), before, 'the access token');
      assert.equal(wire.to('/auth/v1/logout').length, 0, 'the number of requests to /auth/v1/logout');
    },
  ),
  audit(
    'CLIENT-AUTH-106',
    'a weak password is refused as weak_password with its reasons',
    { source: 'protocol/auth.md#weak-passwords' },
    async ({ server, open }) => {
      const { auth } = await open();
      const refusal = await refusalOf(AuthError, auth.signUp({ email: server.newEmail(), password: 'a' }));
      assert.deepEqual(
        [refusal.code, refusal.status],
        ['weak_password', 422],
        'the code and status of the refusal',
      );
      assert.ok(
        refusal.weakPasswordReasons.includes('length'),
        'the reasons name length',
        refusal.weakPasswordReasons.join(),
      );
    },
  ),
  audit(
    'CLIENT-AUTH-107',
    'an invalid call is refused before a request is sent',
    { source: 'protocol/product.md#calls-before-a-request' },
    async ({ open }) => {
      const { auth, wire } = await open();
      const { message } = await refusalOf(AuthError, auth.signInWithOtp({ email: '' }));
      assert.equal(message, 'You must provide either an email or phone number.', 'the message');
      for (const call of [
        auth.signInWithPassword({ email: '', password }),
        auth.signUp({ email: '', password }),
        auth.resend({ email: '', type: 'signup' }),
        auth.setSession({ accessToken: 'a', refreshToken: '' }),
        auth.setSession({ accessToken: '', refreshToken: 'b' }),
      ]) {
        assert.equal((await refusalOf(AuthError, call)).code, 'invalid-argument', 'the code of the refusal');
      }
      assert.equal(
        (await refusalOf(AuthError, auth.getUser())).code,
        'missing-session',
        'the code of the refusal',
      );
      assert.deepEqual(wire.requests, [], 'the sent requests');
    },
  ),
  audit(
    'CLIENT-AUTH-108',
    'an anonymous sign-in is a session of a user without an address',
    { source: 'protocol/auth.md#sign-up' },
    async ({ open, server }) => {
      const { auth } = await open();
      try {
        const { user } = await auth.signInAnonymously({ data: metadataOf(server.run) });
        assert.deepEqual(
          [user.is_anonymous, user.email || null],
          [true, null],
          'is_anonymous and email of the user',
        );
      } catch (problem) {
        if (problem instanceof AuthError && problem.code === 'anonymous_provider_disabled')
          throw new NotRunError('the target has no anonymous sign-ins');
        throw problem;
      }
      assert.equal((await auth.getUser()).is_anonymous, true, 'is_anonymous of the user');
    },
  ),
  audit(
    'CLIENT-AUTH-109',
    'tokens from elsewhere become a session only after the server has returned their user',
    { source: 'protocol/auth.md#foreign-sessions' },
    async ({ server, open }) => {
      const { id, accessToken, refreshToken } = await server.newUser();
      const { auth, wire } = await open();
      const forged = await refusalOf(
        AuthError,
        auth.setSession({ accessToken: `${accessToken}x`, refreshToken: 'unknown' }),
      );
      assert.ok(forged.status, 'the server refused them');
      assert.equal(auth.getSnapshot().status, 'signed-out', 'the status of the client');
      await auth.setSession({ accessToken, refreshToken });
      assert.equal(auth.getSnapshot().user?.id, id, 'the id of the user');
      assert.ok(wire.to('/auth/v1/user').length > 0, 'the user is read from the server');
    },
  ),
  audit(
    'CLIENT-AUTH-110',
    'a change of the user is announced, stored and restored after a reload',
    { source: 'protocol/auth.md#user' },
    async ({ open, signIn }) => {
      const tab = await signIn();
      await tab.auth.updateUser({ data: { name: 'Ada' } });
      assert.equal(eventNames(tab).at(-1), 'USER_UPDATED', 'the name of the last event');
      const reloaded = await open({ browser: tab.browser });
      assert.deepEqual(
        reloaded.auth.getSnapshot().user?.user_metadata?.['name'],
        'Ada',
        'user_metadata.name of the user',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-111',
    'a listener that throws affects neither the sign-in nor the other listeners',
    { source: 'protocol/auth.md#listeners' },
    async ({ server, open }) => {
      const { email, password } = await server.newUser();
      const { auth, events, reported } = await open({ browser: createBrowser() });
      const failure = new Error('of a listener');
      auth.onEvent(() => {
        throw failure;
      });
      await auth.signInWithPassword({ email, password });
      assert.deepEqual(
        [events.at(-1)?.name, reported],
        ['SIGNED_IN', [failure]],
        'the name of the last event, and the report',
      );
    },
  ),
];
