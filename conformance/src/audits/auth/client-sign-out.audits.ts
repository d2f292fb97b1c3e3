import { assert } from '../../target/assertion.ts';
import type { SignOutScope } from 'supabase-protocol-clients/auth-client';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, eventually, type ClientContext } from '../../clients/client-audit.ts';
import { assertStatus, textAt } from '../../target/wire.ts';

const audit = clientAuditsOf('auth-client');
const source = 'protocol/auth.md#sign-out';

/** Signs out with a scope, and returns whether this session and another one of the user are still valid on the server. */
async function livesAfter({ server, signIn }: ClientContext, scope: SignOutScope) {
  const { auth, user, stored } = await signIn();
  const other = textAt(await server.signIn(user.email, user.password), 'access_token');
  const own = await auth.getAccessToken();
  await auth.signOut({ scope });
  const lives = async (token: string | null) =>
    (await server.auth.send('GET', '/user', { token: token ?? '' })).status === 200;
  const isSignedIn = auth.getSnapshot().status === 'signed-in';
  assert.equal(stored() !== null, isSignedIn, 'the stored session');
  return { own: await lives(own), other: await lives(other), isSignedIn };
}

const refuse = (status: number) => () =>
  Response.json({ code: 'unexpected_failure', message: 'no' }, { status });

export const clientSignOutAudits: readonly Audit[] = [
  audit('CLIENT-AUTH-401', 'scope global, the default, ends every session', { source }, async (context) => {
    assert.deepEqual(
      await livesAfter(context, 'global'),
      { own: false, other: false, isSignedIn: false },
      'the sessions that still work',
    );
  }),
  audit('CLIENT-AUTH-402', 'scope local ends only this session', { source }, async (context) => {
    assert.deepEqual(
      await livesAfter(context, 'local'),
      { own: false, other: true, isSignedIn: false },
      'the sessions that still work',
    );
  }),
  audit(
    'CLIENT-AUTH-403',
    'scope others ends every session except the current one',
    { source },
    async (context) => {
      assert.deepEqual(
        await livesAfter(context, 'others'),
        { own: true, other: false, isSignedIn: true },
        'the sessions that still work',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-404',
    'a session that the server does not know is also removed',
    { source: 'protocol/auth.md#local-sign-out' },
    async ({ server, signIn }) => {
      const { auth, user, stored, events } = await signIn();
      const ended = await server.auth.send('POST', '/logout', {
        token: user.accessToken,
        query: { scope: 'global' },
      });
      assertStatus(ended, 204);
      await auth.signOut();
      assert.deepEqual(
        [auth.getSnapshot().status, stored()],
        ['signed-out', null],
        'the status of the client, and the stored session',
      );
      assert.equal(events.filter(({ name }) => name === 'SIGNED_OUT').length, 1, 'the number of events');
    },
  ),
  audit(
    'CLIENT-AUTH-405',
    'replies 401, 403 and 404 to a sign-out are ignored',
    { source: 'protocol/auth.md#local-sign-out' },
    async ({ open, signIn }) => {
      const { user, auth } = await signIn();
      await auth.signOut({ scope: 'local' });
      const tab = await open();
      for (const status of [401, 403, 404]) {
        await tab.auth.signInWithPassword({ email: user.email, password: user.password });
        tab.wire.scriptResponse('/auth/v1/logout', refuse(status));
        const { revoked } = await tab.auth.signOut();
        assert.equal(revoked, true, `whether no session is left after ${status}`);
        assert.deepEqual(
          [tab.auth.getSnapshot().status, tab.stored()],
          ['signed-out', null],
          'the status of the client, and the stored session',
        );
      }
    },
  ),
  audit(
    'CLIENT-AUTH-406',
    'a server that fails or is unreachable does not prevent the local sign-out',
    { source: 'protocol/auth.md#local-sign-out' },
    async ({ signIn }) => {
      const { auth, user, wire, stored } = await signIn();
      wire.scriptResponse('/auth/v1/logout', refuse(503));
      const failed = await auth.signOut();
      assert.deepEqual(
        [failed.revoked, !failed.revoked && failed.cause.status],
        [false, 503],
        'revoked, and the status of the cause',
      );
      assert.deepEqual(
        [auth.getSnapshot().status, stored()],
        ['signed-out', null],
        'the status of the client, and the stored session',
      );
      await auth.signInWithPassword({ email: user.email, password: user.password });
      wire.scriptResponse('/auth/v1/logout', () => Promise.reject(new TypeError('fetch failed')));
      const offline = await auth.signOut();
      assert.deepEqual(
        [offline.revoked, !offline.revoked && offline.cause.code],
        [false, 'network'],
        'revoked, and the code of the cause',
      );
      assert.deepEqual(
        [auth.getSnapshot().status, stored()],
        ['signed-out', null],
        'the status of the client, and the stored session',
      );
    },
  ),
  audit(
    'CLIENT-AUTH-407',
    'the other tabs of the browser are also signed out, each once',
    { source: 'protocol/auth.md#browser-tabs' },
    async ({ open, signIn }) => {
      const { auth, browser } = await signIn();
      const other = await open({ browser });
      await auth.signOut({ scope: 'local' });
      await eventually('the sign-out', () => other.auth.getSnapshot().status === 'signed-out');
      assert.equal(
        other.events.filter(({ name }) => name === 'SIGNED_OUT').length,
        1,
        'the number of events',
      );
      assert.deepEqual(other.wire.requests, [], 'the sent requests');
    },
  ),
];
