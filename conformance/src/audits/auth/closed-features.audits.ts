import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertSession, type AuditContext } from '../../audit/audit-context.ts';
import { assert } from '../../target/assertion.ts';
import { metadataOf } from '../../target/run.ts';
import { NotRunError } from '../../target/target.ts';
import {
  assertError,
  assertStatus,
  at,
  jwtPartOf,
  locationOf,
  textAt,
  type WireRequest,
  type WireResponse,
} from '../../target/wire.ts';
import { assertRefusal } from './hook-call.ts';
import { generateLink, verifyToken } from './mail-link.ts';
import { beginAtProvider, visitPage, withProvider } from './provider.ts';
import { enrollTotp } from './totp.ts';
import { createUnwatchedWire } from './unwatched-wire.ts';
import { isDisabled, newWallet, solanaMessage, walletSite } from './wallet.ts';

const audit = auditsOf('auth');
const source = 'protocol/auth.md#closed-features';
const options = { source, since: '1.0.0' } as const;

/** A request that succeeds where its feature is enabled, and its refusal. */
type Closed = readonly [string, string, WireRequest, number, string, string];

/** Asserts the refusals of the features that are closed. @throws NotRunError if none is. */
async function assertClosed(
  context: AuditContext,
  requests: readonly Closed[],
  areKnownToBe = false,
): Promise<void> {
  const wire = createUnwatchedWire(context);
  let count = 0;
  for (const [method, path, request, status, code, message] of requests) {
    const response = await wire.send(method, path, request);
    const refusal = at(response.json, 'code');
    if (refusal === 'captcha_failed') throw new NotRunError('the project has a captcha');
    // A project that is closed to new users refuses with this code what is enabled.
    const isEnabled = response.status < 400 || refusal === 'signup_disabled';
    if (isEnabled && !areKnownToBe) continue;
    assert.deepEqual(
      [response.status, refusal, at(response.json, 'message')],
      [status, code, message],
      `status, code and message of ${method} ${path}`,
    );
    count += 1;
  }
  if (count === 0) throw new NotRunError('each of these features is enabled');
}

/** The only session of a new user, by a generated link, which needs no sign-in by password. */
async function signInByLink(context: AuditContext): Promise<WireResponse> {
  const email = context.newEmail();
  assertStatus(await context.admin('POST', '/users', { email, email_confirm: true }), 200);
  const link = await generateLink(context, { type: 'magiclink', email });
  const body = { type: 'magiclink', token_hash: textAt(link, 'hashed_token') };
  return assertSession(await verifyToken(context, body));
}

const grant = (body: object): WireRequest => ({ query: { grant_type: 'password' }, body });

/** Features that a project has switched off. */
export const closedFeatureAudits: readonly Audit[] = [
  audit(
    'AUTH-1189',
    'each request of a closed way to sign in is refused with its own code and message',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const { json } = await context.auth.send('GET', '/settings');
      const isClosed = (name: string) => at(json, 'external', name) === false;
      if (!isClosed('email') && !isClosed('phone')) throw new NotRunError('email and phone are enabled');
      const [email, phone] = [context.newEmail(), context.newPhone()];
      const password = 'Secret-1 to be kept';
      const logins = 'Email logins are disabled';
      const byEmail: readonly Closed[] = [
        ['POST', '/token', grant({ email, password }), 422, 'email_provider_disabled', logins],
        ['POST', '/otp', { body: { email } }, 422, 'email_provider_disabled', logins],
        ['POST', '/magiclink', { body: { email } }, 422, 'email_provider_disabled', logins],
        ['POST', '/recover', { body: { email } }, 400, 'email_provider_disabled', logins],
        ['POST', '/resend', { body: { email, type: 'signup' } }, 400, 'email_provider_disabled', logins],
        [
          'POST',
          '/signup',
          { body: { email, password } },
          400,
          'email_provider_disabled',
          'Email signups are disabled',
        ],
      ];
      const byPhone: readonly Closed[] = [
        [
          'POST',
          '/token',
          grant({ phone, password }),
          422,
          'phone_provider_disabled',
          'Phone logins are disabled',
        ],
        ['POST', '/otp', { body: { phone } }, 400, 'phone_provider_disabled', 'Unsupported phone provider'],
        [
          'POST',
          '/resend',
          { body: { phone, type: 'sms' } },
          400,
          'phone_provider_disabled',
          'Phone logins are disabled',
        ],
        [
          'POST',
          '/signup',
          { body: { phone, password } },
          400,
          'phone_provider_disabled',
          'Phone signups are disabled',
        ],
      ];
      if (isClosed('email')) await assertClosed(context, byEmail, true);
      if (isClosed('phone')) await assertClosed(context, byPhone, true);
    },
  ),
  audit(
    'AUTH-1190',
    'closed anonymous sign-ins, wallets and passkeys are refused, each with its code and message',
    options,
    async (context) => {
      const web3 = (body: object): WireRequest => ({ query: { grant_type: 'web3' }, body });
      const closed: readonly Closed[] = [
        [
          'POST',
          '/signup',
          { body: { data: metadataOf(context.run) } },
          422,
          'anonymous_provider_disabled',
          'Anonymous sign-ins are disabled',
        ],
        [
          'POST',
          '/passkeys/authentication/options',
          { body: {} },
          404,
          'passkey_disabled',
          'Passkeys are disabled',
        ],
      ];
      await assertClosed(context, closed);
      const refused = await context.auth.send(
        'POST',
        '/token',
        web3({ chain: 'ethereum', message: 'x', signature: 'y' }),
      );
      if (/disabled/.test(refused.text))
        assert.ok(
          /"(?:Ethereum )?Web3 provider is disabled"/.test(refused.text),
          'the refusal of wallets',
          refused.text,
        );
    },
  ),
  audit(
    'AUTH-1191',
    'closed second factors and linking are refused, each with its code and message',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const token = textAt(await signInByLink(context), 'access_token');
      const factor = (factor_type: string): WireRequest => ({
        token,
        body: { factor_type, friendly_name: factor_type, phone: context.newPhone() },
      });
      const linking = 'Manual linking is disabled';
      await assertClosed(context, [
        [
          'POST',
          '/factors',
          factor('totp'),
          422,
          'mfa_totp_enroll_not_enabled',
          'MFA enroll is disabled for TOTP',
        ],
        [
          'POST',
          '/factors',
          factor('phone'),
          422,
          'mfa_phone_enroll_not_enabled',
          'MFA enroll is disabled for Phone',
        ],
        [
          'POST',
          '/factors',
          factor('webauthn'),
          422,
          'mfa_webauthn_enroll_not_enabled',
          'MFA enroll is disabled for WebAuthn',
        ],
      ]);
      for (const [method, path] of [
        ['GET', 'authorize?provider=google'],
        ['DELETE', '00000000-0000-4000-8000-000000000000'],
      ] as const) {
        const response = await context.auth.send(method, `/user/identities/${path}`, { token });
        if (/manual.linking/i.test(response.text))
          assertRefusal(response, 404, 'manual_linking_disabled', linking);
      }
    },
  ),
  audit(
    'AUTH-1192',
    'a closed second factor that a user has is not challenged and not verified',
    { ...options, needs: ['service-key', 'database'] },
    async (context) => {
      const session = await signInByLink(context);
      const token = textAt(session, 'access_token');
      const names = { totp: 'TOTP', phone: 'Phone', webauthn: 'WebAuthn' };
      let count = 0;
      for (const [type, name] of Object.entries(names)) {
        const [row] = (await context.query(
          `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, phone, created_at, updated_at)
           values (gen_random_uuid(), $1, $2, $2::text::auth.factor_type, 'unverified', 'JBSWY3DPEHPK3PXP', $3, now(), now())
           returning id`,
          [textAt(session, 'user', 'id'), type, type === 'phone' ? context.newPhone() : null],
        )) as readonly { readonly id: string }[];
        const path = `/factors/${row?.id ?? ''}`;
        const challenged = await context.auth.send('POST', `${path}/challenge`, { token, body: {} });
        if (challenged.status < 400) continue;
        count += 1;
        const message = `MFA verification is disabled for ${name}`;
        assertRefusal(challenged, 422, `mfa_${type}_verify_not_enabled`, message);
        const body = {
          challenge_id: '00000000-0000-4000-8000-000000000000',
          code: '123456',
          webauthn: { type: 'create', credential_response: {} },
        };
        const verified = await context.auth.send('POST', `${path}/verify`, { token, body });
        const verb = type === 'webauthn' ? 'enroll' : 'verify';
        assertRefusal(verified, 422, `mfa_${type}_${verb}_not_enabled`, message);
      }
      if (count === 0) throw new NotRunError('each type of factors is enabled');
    },
  ),
  audit(
    'AUTH-1202',
    'closed servers for applications, SCIM, custom providers and single sign-on are not found',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const token = context.target.serviceKey ?? '';
      const own = { token: textAt(await signInByLink(context), 'access_token') };
      const oauth = 'OAuth server is disabled';
      const custom = 'Custom OAuth providers are disabled';
      await assertClosed(context, [
        ['GET', '/admin/oauth/clients', { token }, 404, 'feature_disabled', oauth],
        ['GET', '/user/oauth/grants', own, 404, 'feature_disabled', oauth],
        ['GET', '/admin/custom-providers', { token }, 404, 'feature_disabled', custom],
        ['GET', '/scim/v2/Schemas', {}, 404, 'feature_disabled', 'SCIM server is disabled'],
        ['GET', '/passkeys', own, 404, 'passkey_disabled', 'Passkeys are disabled'],
        ['GET', '/sso/saml/metadata', {}, 404, 'saml_provider_disabled', 'SAML 2.0 is disabled'],
      ]);
    },
  ),
  audit(
    'AUTH-1227',
    'a project that is closed to new users refuses each way to an account, and signs in those that exist',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const { json } = await context.auth.send('GET', '/settings');
      if (at(json, 'disable_signup') !== true) throw new NotRunError('the project is open to new users');
      const wire = createUnwatchedWire(context);
      const password = 'Secret-1 to be kept';
      const [email, phone] = [context.newEmail(), context.newPhone()];
      const bodies: readonly (readonly [string, object, string])[] = [
        ['/signup', { email, password }, 'email'],
        ['/signup', { phone, password }, 'phone'],
        ['/signup', { data: metadataOf(context.run) }, 'anonymous_users'],
        ['/otp', { email }, 'email'],
        ['/otp', { phone }, 'phone'],
        ['/magiclink', { email }, 'email'],
      ];
      for (const [path, body, name] of bodies)
        if (at(json, 'external', name) === true)
          assertRefusal(
            await wire.send('POST', path, { body }),
            422,
            'signup_disabled',
            'Signups not allowed for this instance',
          );
      const user = await context.newUser();
      assertSession(await context.signIn(user.email, user.password));
      assertStatus(await context.auth.send('POST', '/recover', { body: { email: user.email } }), 200);
    },
  ),
  audit(
    'AUTH-1228',
    'a project that is closed to new users refuses a wallet and a person of a provider that it does not know',
    options,
    async (context) => {
      const { json } = await context.auth.send('GET', '/settings');
      if (at(json, 'disable_signup') !== true) throw new NotRunError('the project is open to new users');
      const message = 'Signups not allowed for this instance';
      const wallet = newWallet();
      const signed = wallet.sign(solanaMessage(wallet, walletSite(context)));
      const body = { chain: 'solana', ...signed };
      const wire = createUnwatchedWire(context);
      const refused = await wire.send('POST', '/token', { query: { grant_type: 'web3' }, body });
      if (!isDisabled(refused)) assertRefusal(refused, 422, 'signup_disabled', message);
      await withProvider(async (ofProvider) => {
        const page = await beginAtProvider(ofProvider);
        const callback = await visitPage(ofProvider, page, { email: context.newEmail() });
        const { searchParams } = locationOf(await wire.send('GET', callback));
        assert.deepEqual(
          ['error', 'error_code', 'error_description'].map((name) => searchParams.get(name)),
          ['access_denied', 'signup_disabled', message],
          'error, error_code and error_description of the page',
        );
      })(context);
    },
  ),
  audit(
    'AUTH-1229',
    'a chain that is closed while the other is open is refused by its name',
    options,
    async (context) => {
      const names = { solana: 'Solana', ethereum: 'Ethereum' };
      let closed = '';
      for (const [chain, name] of Object.entries(names)) {
        const request = { query: { grant_type: 'web3' }, body: { chain, message: 'x', signature: 'y' } };
        const refused = await createUnwatchedWire(context).send('POST', '/token', request);
        if (!isDisabled(refused)) continue;
        if (closed !== '' || at(refused.json, 'message') === 'Web3 provider is disabled')
          throw new NotRunError('wallets are disabled');
        closed = name;
        assertRefusal(refused, 422, 'web3_provider_disabled', `${name} Web3 provider is disabled`);
      }
      if (closed === '') throw new NotRunError('wallets of both chains are enabled');
    },
  ),
  audit(
    'AUTH-1230',
    'applications register themselves only where the project allows it',
    options,
    async (context) => {
      const body = { redirect_uris: ['https://app.example.com/callback'] };
      const refused = await createUnwatchedWire(context).send('POST', '/oauth/clients/register', { body });
      if (refused.status === 404 || refused.status === 201)
        throw new NotRunError('applications may register themselves, or there are none');
      assertRefusal(
        refused,
        403,
        'oauth_dynamic_client_registration_disabled',
        'Dynamic client registration is not enabled',
      );
      const path = '/.well-known/oauth-authorization-server';
      const { json } = await context.auth.send('GET', path);
      assert.equal(at(json, 'registration_endpoint'), undefined, 'registration_endpoint of the metadata');
    },
  ),
  audit(
    'AUTH-1193',
    'a project with a captcha refuses sign-ins and sign-ups without its token, but no refresh and no administrator',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const auth = createUnwatchedWire(context);
      const message = 'captcha protection: request disallowed (no captcha_token found)';
      const email = context.newEmail();
      const first = await auth.send('POST', '/recover', { body: { email } });
      if (at(first.json, 'code') !== 'captcha_failed') throw new NotRunError('the project has no captcha');
      const password = 'Secret-1 to be kept';
      const guarded: readonly (readonly [string, WireRequest])[] = [
        ['/signup', { body: { email, password } }],
        ['/recover', { body: { email, gotrue_meta_security: {} } }],
        ['/resend', { body: { email, type: 'signup', gotrue_meta_security: { captcha_token: ' ' } } }],
        ['/magiclink', { body: { email } }],
        ['/otp', { body: { email }, query: { grant_type: 'pkce' } }],
        ['/token', grant({ email, password })],
        ['/token', { query: { grant_type: 'web3' }, body: { chain: 'solana' } }],
      ];
      for (const [path, request] of guarded)
        assertRefusal(await auth.send('POST', path, request), 400, 'captcha_failed', message);
      const token = context.target.serviceKey ?? '';
      const { status } = await auth.send('POST', '/recover', { token, body: { email } });
      assert.equal(status, 200, 'the status of a request of an administrator');
      for (const grant_type of ['refresh_token', 'pkce', 'id_token']) {
        const { text } = await auth.send('POST', '/token', { query: { grant_type }, body: {} });
        assert.ok(!text.includes('captcha'), `the grant ${grant_type} needs no captcha`, text);
      }
      assertSession(await signInByLink(context));
    },
  ),
];

const refresh = ({ auth }: AuditContext, session: WireResponse) =>
  auth.send('POST', '/token', {
    query: { grant_type: 'refresh_token' },
    body: { refresh_token: textAt(session, 'refresh_token') },
  });

const age = (context: AuditContext, session: WireResponse, column: string, ago: string): Promise<unknown> =>
  context.query(`update auth.sessions set ${column} = now() - $2::interval where id = $1`, [
    String(at(jwtPartOf(textAt(session, 'access_token')), 'session_id')),
    ago,
  ]);

/** Asserts a refusal of a refresh with this end of its message. @throws NotRunError if the refresh succeeds. */
async function assertExpired(context: AuditContext, session: WireResponse, detail: string): Promise<void> {
  const refused = await refresh(context, session);
  if (refused.status === 200) throw new NotRunError('the project does not limit sessions so');
  assertRefusal(refused, 400, 'session_expired', `Invalid Refresh Token: Session Expired${detail}`);
}

/** Ends of sessions that a project may set. */
export const sessionEndAudits: readonly Audit[] = [
  audit(
    'AUTH-1194',
    'a session ends a time after its sign-in, however often it is refreshed',
    { ...options, needs: ['database', 'service-key'] },
    async (context) => {
      const session = assertSession(await refresh(context, await signInByLink(context)));
      await age(context, session, 'refreshed_at', '0 seconds');
      await age(context, session, 'created_at', '10 years');
      await assertExpired(context, session, '');
      await age(context, session, 'created_at', '1 minute');
      assertSession(await refresh(context, session));
    },
  ),
  audit(
    'AUTH-1195',
    'a session ends a time after its latest refresh, or without a refresh after its sign-in',
    { ...options, needs: ['database', 'service-key'] },
    async (context) => {
      const session = await signInByLink(context);
      const next = assertSession(await refresh(context, session));
      await age(context, next, 'refreshed_at', '10 years');
      await assertExpired(context, next, ' (Inactivity)');
      await age(context, next, 'refreshed_at', '0 seconds');
      assertSession(await refresh(context, next));
    },
  ),
  audit(
    'AUTH-1231',
    'a session without the second factor of its user ends a time after its sign-in, and so do its tokens',
    { ...options, needs: ['database', 'service-key'] },
    async (context) => {
      const { auth } = context;
      const first = await signInByLink(context);
      const factor = await enrollTotp(context, textAt(first, 'access_token'));
      const raised = assertSession(await factor.verify());
      const email = textAt(first, 'user', 'email');
      const link = await generateLink(context, { type: 'magiclink', email });
      const body = { type: 'magiclink', token_hash: textAt(link, 'hashed_token') };
      const low = assertSession(await verifyToken(context, body));
      const [lowest, longest] = [low, raised].map(({ json }) => Number(at(json, 'expires_in')));
      await age(context, low, 'created_at', '100 minutes');
      await age(context, low, 'refreshed_at', '0 seconds');
      await assertExpired(context, low, ' (Low AAL: User Needs MFA Verification)');
      assert.ok(Number(lowest) < Number(longest), 'the tokens of the session end with it', `${lowest} s`);
      const claims = jwtPartOf(textAt(low, 'access_token'));
      const read = (token: string) => auth.send('GET', '/user', { token });
      assert.equal(
        Number(at(claims, 'exp')) - Number(at(claims, 'iat')),
        lowest,
        'the lifetime of the token',
      );
      assertStatus(await read(textAt(low, 'access_token')), 200);
      await age(context, raised, 'created_at', '100 minutes');
      await age(context, raised, 'refreshed_at', '0 seconds');
      const next = assertSession(await refresh(context, raised));
      assert.equal(at(next.json, 'expires_in'), longest, 'expires_in of a session with the factor');
    },
  ),
  audit(
    'AUTH-1196',
    'a session ends at the time that its row in the database names',
    { ...options, needs: ['database', 'service-key'] },
    async (context) => {
      const session = await signInByLink(context);
      await age(context, session, 'not_after', '-1 minute');
      const next = assertSession(await refresh(context, session));
      await age(context, session, 'not_after', '1 second');
      await assertExpired(context, next, '');
      const response = await context.auth.send('GET', '/user', { token: textAt(next, 'access_token') });
      assertStatus(response, 200);
    },
  ),
  audit(
    'AUTH-1197',
    'where a user has one session, a sign-in elsewhere ends the refreshes of the others',
    { ...options, needs: ['service-key'] },
    async (context) => {
      const { email, password } = await context.newUser();
      const first = assertSession(await context.signIn(email, password));
      const second = assertSession(await context.signIn(email, password));
      await assertExpired(context, first, ' (Revoked by Newer Login)');
      const next = assertSession(await refresh(context, second));
      assertSession(await refresh(context, next));
      await assertExpired(context, first, ' (Revoked by Newer Login)');
    },
  ),
  audit(
    'AUTH-1209',
    "an administrator's token of a session is good until the session ends",
    { ...options, needs: ['database', 'service-key'] },
    async (context) => {
      const session = await signInByLink(context);
      const accessToken = textAt(session, 'access_token');
      const list = (claims: object) =>
        context.auth.send('GET', '/admin/users?per_page=1', {
          token: context.signAgain(accessToken, { role: 'service_role', ...claims }),
        });
      assertStatus(await list({}), 200);
      // Neither the empty nor the nil id names a session, and then the subject is not read.
      for (const session_id of ['', '00000000-0000-0000-0000-000000000000'])
        assertStatus(await list({ session_id, sub: 'nonsense' }), 200);
      assertError(await list({ sub: 'nonsense' }), 400, 'bad_jwt');
      await age(context, session, 'not_after', '-1 minute');
      assertStatus(await list({}), 200);
      await age(context, session, 'not_after', '1 second');
      assertRefusal(await list({}), 403, 'session_expired', 'Session is no longer valid');
      await context.query('delete from auth.sessions where user_id = $1', [textAt(session, 'user', 'id')]);
      assertError(await list({}), 403, 'session_not_found');
    },
  ),
];
