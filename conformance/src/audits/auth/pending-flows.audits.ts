import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import {
  assertError,
  assertStatus,
  assertStatusIn,
  at,
  locationOf,
  type WireResponse,
} from '../../target/wire.ts';
import { openMailLink } from './mail-link.ts';

const audit = auditsOf('auth');
const ofPkce = { source: 'protocol/auth.md#pkce', needs: ['database'], since: '1.0.0' } as const;
const ofOAuth = { source: 'protocol/auth.md#oauth', needs: ['database'], since: '1.0.0' } as const;

/** Begins a sign-in at a provider, and returns its state. @throws NotRunError if no provider is enabled. */
async function beginAtProvider(
  { auth, target }: AuditContext,
  query: Readonly<Record<string, string>>,
): Promise<string> {
  const settings = await auth.send('GET', '/settings');
  const provider = ['github', 'gitlab', 'discord'].find(
    (name) => at(settings.json, 'external', name) === true,
  );
  if (provider === undefined) throw new NotRunError('no social provider is enabled');
  const begun = await auth.send('GET', '/authorize', {
    query: { provider, redirect_to: target.redirectTo, ...query },
  });
  assertStatus(begun, 302);
  return locationOf(begun).searchParams.get('state') ?? '';
}

async function codeOf(context: AuditContext, state: string): Promise<unknown> {
  const rows = await context.query('select auth_code from auth.flow_state where id = $1', [state]);
  return at(rows, 0, 'auth_code');
}

/** Flows between their beginning and their end. */
export const pendingFlowAudits: readonly Audit[] = [
  audit(
    'AUTH-322',
    'a link whose flow is gone, or has no code, redirects with flow_state_not_found and without a code',
    { ...ofPkce, needs: ['database', 'mailbox'] },
    async (context) => {
      const changes = [
        'delete from auth.flow_state where user_id = $1',
        'update auth.flow_state set auth_code = null, code_challenge = null, code_challenge_method = null where user_id = $1',
      ];
      for (const change of changes) {
        const { id, email } = await context.newUser();
        const body = { email, ...context.newPkce().challenge };
        assertStatus(await context.auth.send('POST', '/recover', { body }), 200);
        const isChanged = await context.query(change, [id]).then(
          () => true,
          () => false,
        );
        if (!isChanged) throw new NotRunError('each flow of this version has a code');
        const { searchParams } = new URL(await openMailLink(context, email));
        assert.deepEqual(
          [searchParams.get('error_code'), searchParams.get('code')],
          ['flow_state_not_found', null],
          'error_code and code of the redirect',
        );
      }
    },
  ),
  audit(
    'AUTH-323',
    'a sign-in at a provider has a code if it began with a challenge',
    ofPkce,
    async (context) => {
      const implicit = await codeOf(context, await beginAtProvider(context, {}));
      assert.equal(implicit ?? null, null, 'the code of a flow without a challenge');
      const pkce = await codeOf(context, await beginAtProvider(context, context.newPkce().challenge));
      assert.match(String(pkce), /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, 'the code of a flow');
    },
  ),
  audit(
    'AUTH-324',
    'the code of a sign-in that the provider has not answered is refused as flow_state_not_found',
    ofPkce,
    async (context) => {
      const { challenge, verifier } = context.newPkce();
      const auth_code = await codeOf(context, await beginAtProvider(context, challenge));
      assertError(
        await context.auth.send('POST', '/token', {
          query: { grant_type: 'pkce' },
          body: { auth_code, code_verifier: verifier },
        }),
        404,
        'flow_state_not_found',
      );
    },
  ),
  audit(
    'AUTH-708',
    'a state that was used or has expired redirects to the site with the error in the query',
    ofOAuth,
    async (context) => {
      const { id } = await context.newUser();
      const changes = {
        flow_state_already_used: ['update auth.flow_state set user_id = $2 where id = $1', id],
        bad_oauth_state: [
          'update auth.flow_state set created_at = created_at - $2::interval where id = $1',
          '1 day',
        ],
      } as const;
      for (const [code, [change, value]] of Object.entries(changes)) {
        const state = await beginAtProvider(context, context.newPkce().challenge);
        await context.query(change, [state, value]);
        const response = await context.auth.send('GET', '/callback', { query: { state, code: 'x' } });
        assertStatus(response, 303);
        const { searchParams, hash } = locationOf(response);
        assert.deepEqual(
          [searchParams.get('error_code'), searchParams.get('error'), hash],
          [code, 'invalid_request', ''],
          'error_code, error and the fragment of the redirect',
        );
      }
    },
  ),
  audit(
    'AUTH-709',
    'a provider that returns without a code leads to redirect_to, with the error in query and fragment',
    { ...ofOAuth, needs: [] },
    async (context) => {
      const state = await beginAtProvider(context, context.newPkce().challenge);
      const response = await context.auth.send('GET', '/callback', { query: { state } });
      assertStatus(response, 302);
      const location = locationOf(response);
      assert.ok(
        location.href.startsWith(context.target.redirectTo),
        'the redirect leads to redirect_to',
        location.href,
      );
      for (const part of [location.searchParams, new URLSearchParams(location.hash.slice(1))])
        assert.deepEqual(
          [part.get('error'), part.get('error_code')],
          ['invalid_request', 'bad_oauth_callback'],
          'error and error_code of query and fragment',
        );
    },
  ),
  audit(
    'AUTH-710',
    'POST /callback reads the form of the provider as GET reads the query',
    { ...ofOAuth, needs: [] },
    async (context) => {
      const post = (fields: Readonly<Record<string, string>>) =>
        context.auth.send('POST', '/callback', {
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(fields).toString(),
        });
      const unknown = await post({ state: 'nonsense', code: 'x' });
      assertStatus(unknown, 303);
      assert.equal(locationOf(unknown).searchParams.get('error_code'), 'bad_oauth_state', 'error_code');
      const state = await beginAtProvider(context, context.newPkce().challenge);
      const refused = await post({ state, error: 'access_denied', error_description: 'Not today' });
      assertStatus(refused, 302);
      const { searchParams } = locationOf(refused);
      assert.deepEqual(
        [searchParams.get('error'), searchParams.get('error_description')],
        ['access_denied', 'Not today'],
        'error and error_description of the redirect',
      );
    },
  ),
  audit(
    'AUTH-326',
    'each request with a challenge keeps it with the kind of the request and the user',
    { ...ofPkce, needs: ['database', 'email-confirmation'] },
    async (context) => {
      const { auth } = context;
      const user = await context.newUser();
      const { accessToken: token, email } = user;
      const kept = async (
        provider_type: string,
        authentication_method: string,
        request: (pkce: object) => Promise<WireResponse>,
      ) => {
        const { challenge } = context.newPkce();
        const response = await request(challenge);
        assertStatusIn(response, [200, 302]);
        const rows = (await context.query('select * from auth.flow_state where code_challenge = $1', [
          challenge.code_challenge,
        ])) as readonly unknown[];
        const row = at(rows, 0);
        assert.ok(row, `the flow of ${authentication_method}`);
        // A request that a limit of mails refused before has left a flow, too.
        for (const flow of rows)
          assert.deepEqual(
            [
              ...['provider_type', 'authentication_method', 'code_challenge_method'].map((name) =>
                at(flow, name),
              ),
              at(flow, 'email_optional') ?? false,
              at(flow, 'linking_target_id') ?? null,
            ],
            [provider_type, authentication_method, 's256', false, null],
            `the flow of ${authentication_method}`,
          );
        return row;
      };
      const post = (path: string, body: object) => (pkce: object) =>
        auth.send('POST', path, { body: { ...body, ...pkce } });
      const fresh = { email: context.newEmail(), password: 'Secret-1 of a flow' };
      const flows = [
        await kept('recovery', 'recovery', post('/recover', { email })),
        await kept('magiclink', 'magiclink', post('/magiclink', { email })),
        await kept('email_change', 'email_change', (pkce) =>
          auth.send('PUT', '/user', { token, body: { email: context.newEmail(), ...pkce } }),
        ),
        await kept('email_change', 'email_change', post('/resend', { type: 'email_change', email })),
      ];
      for (const flow of flows) assert.equal(at(flow, 'user_id'), user.id, 'user_id of the flow');
      await kept('email', 'email/signup', post('/signup', fresh));
      await kept('email/signup', 'email/signup', post('/resend', { type: 'signup', email: fresh.email }));
    },
  ),
  audit(
    'AUTH-327',
    'a link has the prefix pkce_ if its request had a challenge, and otherwise not',
    { source: 'protocol/auth.md#pkce', needs: ['mailbox', 'email-confirmation'], since: '1.0.0' },
    async (context) => {
      const { auth } = context;
      const isPkceLink = async (email: string) => {
        const { links } = await context.mail(email);
        const [, token] = /[?&#]token(?:_hash)?=([^&#]+)/.exec(links.join(' ')) ?? [];
        assert.ok(token, 'the link has a token');
        return token.startsWith('pkce_');
      };
      for (const pkce of [{}, context.newPkce().challenge]) {
        const expected = 'code_challenge' in pkce;
        const user = await context.newUser();
        const changed = context.newEmail();
        const fresh = { email: context.newEmail(), password: 'Secret-1 of a link' };
        const requests = [
          ['/signup', fresh.email, fresh],
          ['/resend', fresh.email, { type: 'signup', email: fresh.email }],
          ['/recover', user.email, { email: user.email }],
          ['/magiclink', user.email, { email: user.email }],
          ['/otp', user.email, { email: user.email }],
          ['/user', changed, { email: changed }],
          ['/resend', changed, { type: 'email_change', email: user.email }],
        ] as const;
        for (const [path, address, fields] of requests) {
          const method = path === '/user' ? 'PUT' : 'POST';
          const asUser = path === '/user' ? { token: user.accessToken } : {};
          const sent = await auth.send(method, path, { ...asUser, body: { ...fields, ...pkce } });
          assertStatus(sent, 200);
          assert.equal(await isPkceLink(address), expected, `whether the link of ${path} has the prefix`);
        }
      }
    },
  ),
];
