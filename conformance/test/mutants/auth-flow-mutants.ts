import { createHash } from 'node:crypto';
import { TOTP } from 'otpauth';
import {
  bearerOf,
  claimsOf,
  mutantsOf,
  onResponse,
  onRequest,
  parse,
  patch,
  replaying,
  sentJson,
  textAt,
  valueAt,
  withBodyMember,
  withClaims,
  withJson,
  withMember,
  withQuery,
  withStatus,
  type FetchFault,
  type Json,
  type ServerMutant,
} from './mutant.ts';

const pkce = mutantsOf('auth', 'PKCE', 'auth#pkce');
const links = mutantsOf('auth', 'mail links', 'auth#mail-links auth#pkce auth#sign-up');
const codes = mutantsOf('auth', 'one-time codes', 'auth#one-time-codes auth#sign-up');
const user = mutantsOf('auth', 'user', 'auth#user');
const factors = mutantsOf('auth', 'second factors', 'auth#factors auth#user');
const passkeys = mutantsOf('auth', 'passkeys', 'auth#passkeys');
const others = mutantsOf(
  'auth',
  'providers',
  'auth#oauth auth#single-sign-on auth#wallets auth#id-tokens auth#identities',
);
const administration = mutantsOf('auth', 'administration', 'auth#administration auth#password-grant');
const limits = mutantsOf('auth', 'rate limits', 'auth#one-time-codes auth#sign-up auth#password-grant');

const exchange = /grant_type=pkce/;

/** Changes the flow of an authorization code before it is exchanged. */
const withFlow = (column: string, valueOf: (verifier: string) => string): FetchFault =>
  onRequest(exchange, async ({ json }, { database }) => {
    const [code, verifier] = [valueAt(json, 'auth_code'), valueAt(json, 'code_verifier')];
    if (typeof code !== 'string' || typeof verifier !== 'string' || !/^[\da-f-]{36}$/.test(code)) return;
    await database.query(`update auth.flow_state set ${column} = $1 where auth_code = $2`, [
      valueOf(verifier),
      code,
    ]);
  });

const withLocation = (match: RegExp, change: (location: string, url: string) => string): FetchFault =>
  onResponse(match, ({ headers }, _init, url) => {
    const location = headers.get('location');
    if (location !== null) headers.set('location', change(location, url));
  });

/** Accepts any mailed code: creates a valid one with an admin route, and verifies it. */
const takingAnyCode: FetchFault =
  (send, { serviceRoleKey, url: projectUrl }) =>
  async (url, init) => {
    const response = await send(url, init);
    const email = typeof init.body === 'string' ? valueAt(parse(init.body), 'email') : undefined;
    if (!url.endsWith('/verify') || response.ok || typeof email !== 'string') return response;
    const headers = {
      apikey: serviceRoleKey,
      authorization: `Bearer ${serviceRoleKey}`,
      'content-type': 'application/json',
    };
    const link = await send(`${projectUrl}/auth/v1/admin/generate_link`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ type: 'magiclink', email }),
    });
    const code = valueAt(parse(await link.text()), 'email_otp') ?? null;
    return send(url, { ...init, body: JSON.stringify({ type: 'email', email, token: code }) });
  };

const takingAnyTotp: FetchFault = onRequest(/\/factors\/[\da-f-]+\/verify/, async (request, { database }) => {
  const [, id] = /factors\/([\da-f-]+)\//.exec(request.url) ?? [];
  const [factor] = await database.query('select secret from auth.mfa_factors where id = $1', [id]);
  const secret = factor?.['secret'];
  if (typeof secret === 'string' && request.json !== undefined)
    request.body = JSON.stringify(patch(request.json, 'code', new TOTP({ secret }).generate()));
});

const alreadyVerified = /\/factors\/[\da-f-]+\/verify 200/;

export const authFlowMutants: readonly ServerMutant[] = [
  pkce('does not compare the verifier', {
    fetch: withFlow('code_challenge', (verifier) =>
      createHash('sha256').update(verifier).digest('base64url'),
    ),
  }),
  pkce('keeps the first challenge of a user', {
    fetch: (send, supabase) => {
      const first = new Map<string, Json>();
      return onRequest(/^POST \/auth\/v1\/recover/, (request) => {
        const { json = null } = request;
        const challenge = valueAt(json, 'code_challenge');
        if (challenge === undefined) return;
        const email = textAt(json, 'email');
        first.set(email, first.get(email) ?? challenge);
        request.body = JSON.stringify(patch(json, 'code_challenge', first.get(email)));
      })(send, supabase);
    },
  }),
  pkce('exchanges a code twice', { fetch: replaying(exchange) }),
  pkce('loses the code at a wrong verifier', {
    fetch: onResponse(/grant_type=pkce 400/, async (_response, init, _url, { database }) => {
      const code = textAt(sentJson(init), 'auth_code');
      if (/^[\da-f-]{36}$/.test(code))
        await database.query('delete from auth.flow_state where auth_code = $1', [code]);
    }),
  }),
  pkce('accepts short challenges', {
    fetch: onResponse(/ 400$/, (response, init) => {
      const challenge = valueAt(sentJson(init), 'code_challenge');
      if (typeof challenge === 'string' && challenge.length < 43)
        Object.assign(response, { status: 200, text: '{}' });
    }),
  }),
  pkce('accepts a challenge without its method', {
    fetch: onRequest(/^POST/, (request) => {
      if (request.json !== undefined && valueAt(request.json, 'code_challenge') !== undefined)
        request.body = JSON.stringify(patch(request.json, 'code_challenge_method', 's256'));
    }),
  }),
  pkce('hashes the verifier of the method plain', {
    fetch: onRequest(/^POST/, (request) => {
      if (valueAt(request.json, 'code_challenge_method') === 'plain' && request.json !== undefined)
        request.body = JSON.stringify(patch(request.json, 'code_challenge_method', 's256'));
    }),
  }),
  pkce('forgets its codes at once', { settings: { auth: { flowStateExpirySeconds: 0 } } }),
  pkce('redirects with the tokens beside the code', {
    fetch: withLocation(/\/verify\S* 303/, (location) =>
      location.includes('code=') ? `${location}#access_token=a.b.c` : location,
    ),
  }),
  pkce('redirects without the code', {
    fetch: withLocation(/\/verify\S* 303/, (location) => location.replace(/([?&])code=[^&#]+/, '$1')),
  }),
  pkce('exchanges without a verifier', {
    fetch: withStatus(/grant_type=pkce 400/, 200, '{"access_token":"a.b.c"}'),
  }),
  pkce('names an unknown code otherwise', { fetch: withMember(/grant_type=pkce 404/, 'code', 'not_found') }),
  pkce('takes a challenge of any form', { fetch: withStatus(/\/recover 400/, 200, '{}') }),
  pkce('names each flow otp', {
    fetch: withClaims(/grant_type=pkce 200/, (claims) => ({
      ...claims,
      amr: [{ method: 'otp', timestamp: 1 }],
    })),
  }),
  pkce('reads the method of a challenge in one spelling', {
    fetch: onResponse(/\/recover\S* 200/, (response, init) => {
      if (textAt(sentJson(init), 'code_challenge_method') === 'S256') response.status = 400;
    }),
  }),
  pkce('keeps a flow for years', { settings: { auth: { flowStateExpirySeconds: 1e9 } } }),

  links('opens a link twice', { fetch: replaying(/^GET \/auth\/v1\/verify/) }),
  links('redirects to every page', {
    fetch: withLocation(/\/verify\S* 303/, (location, url) => {
      const wanted = new URL(url).searchParams.get('redirect_to');
      return wanted === null ? location : location.replace(/^[^?#]+/, wanted.replace(/[?#].*/, ''));
    }),
  }),
  links('keeps the query of no page', {
    fetch: withLocation(/\/verify\S* 303/, (location) => location.replace(/\?[^#]*/, '')),
  }),
  links('responds to a failed link with JSON', {
    fetch: onResponse(/\/verify\S* 303/, (response) => {
      if (response.headers.get('location')?.includes('error'))
        Object.assign(response, { status: 403, text: '{"code":"otp_expired"}' });
    }),
  }),
  links('returns the error in the fragment only', {
    fetch: withLocation(/\/verify\S* 303/, (location) => location.replace(/\?error[^#]*/, '')),
  }),
  links('puts the tokens into the query', {
    fetch: withLocation(/\/verify\S* 303/, (location) => location.replace('#access_token', '?access_token')),
  }),
  links('loses the refresh token of a link', {
    fetch: withLocation(/\/verify\S* 303/, (location) => location.replace(/&refresh_token=[^&]+/, '')),
  }),
  links('redirects with 200', { fetch: withStatus(/^GET \/auth\/v1\/verify\S* 303/, 200) }),
  links('reports success for a used link', {
    fetch: withLocation(/\/verify\S* 303/, (location) => location.replaceAll('otp_expired', 'ok')),
  }),

  codes('accepts a code twice', { fetch: replaying(/^POST \/auth\/v1\/verify/) }),
  codes('accepts any code', { fetch: takingAnyCode }),
  codes('creates an account although it should not', {
    fetch: withBodyMember(/\/otp/, 'create_user', true),
  }),
  codes('creates no account', { fetch: withBodyMember(/\/otp/, 'create_user', false) }),
  codes('reveals that an address to recover is unknown', {
    fetch: onResponse(/\/recover\S* 200/, async (response, init, _url, { database }) => {
      const address = textAt(sentJson(init), 'email');
      const known = await database.query('select 1 from auth.users where email = lower($1)', [address]);
      if (known.length === 0) Object.assign(response, { status: 404, text: '{"code":"user_not_found"}' });
    }),
  }),
  codes('names a wrong code otherwise', { fetch: withMember(/\/verify 403/, 'code', 'invalid_otp') }),
  codes('accepts a code without a type', { fetch: withStatus(/\/verify 400/, 200, '{}') }),
  codes('responds to a request for a code with the code', {
    fetch: withJson(/\/otp\S* 200/, (json) => patch(json, 'code', '123456')),
  }),
  codes('resends any type', { fetch: withStatus(/\/resend\S* 400/, 200, '{}') }),
  codes('sends no second mail', {
    fetch: (send) => (url, init) =>
      url.includes('/resend') ? Promise.resolve(Response.json({})) : send(url, init),
  }),
  codes('takes any address', { fetch: withStatus(/\/(?:otp|magiclink|recover|resend) 400/, 200, '{}') }),
  codes('knows no hash of a code by email', {
    fetch: onRequest(/\/verify$/, (request) => {
      if (textAt(request.json, 'type') === 'email' && textAt(request.json, 'token_hash') !== '')
        request.body = JSON.stringify({ type: 'signup', token_hash: textAt(request.json, 'token_hash') });
    }),
  }),
  codes('keeps a code for years', { settings: { auth: { emailOtpExpirySeconds: 1e9 } } }),
  codes('drops the user data of a request for a code', { fetch: withBodyMember(/\/otp/, 'data', undefined) }),
  codes('resends to a confirmed account', {
    fetch: onRequest(/\/resend/, ({ json }, { database }) =>
      database.query('update auth.users set confirmation_sent_at = now() where email = $1', [
        textAt(json, 'email'),
      ]),
    ),
  }),

  user('replaces the whole user data', {
    fetch: withJson(/^PUT \/auth\/v1\/user\S* 200/, (json, init) =>
      patch(json, 'user_metadata', valueAt(sentJson(init), 'data') ?? {}),
    ),
  }),
  user('lets users change their app_metadata', {
    fetch: onRequest(/^PUT \/auth\/v1\/user/, async ({ json, headers }, { database }) => {
      const { sub } = claimsOf(bearerOf(headers));
      const wanted = valueAt(json, 'app_metadata');
      if (wanted !== undefined)
        await database.query(
          'update auth.users set raw_app_meta_data = raw_app_meta_data || $1 where id = $2',
          [JSON.stringify(wanted), typeof sub === 'string' ? sub : null],
        );
    }),
  }),
  user('accepts the same password again', {
    fetch: onResponse(/^PUT \/auth\/v1\/user\S* 422/, (response) => {
      if (response.text.includes('same_password')) Object.assign(response, { status: 200, text: '{}' });
    }),
  }),
  user("takes another user's address", {
    fetch: onResponse(/^PUT \/auth\/v1\/user\S* 422/, (response) => {
      if (response.text.includes('email_exists')) Object.assign(response, { status: 200, text: '{}' });
    }),
  }),
  user('changes an address before it is confirmed', {
    fetch: withJson(/^PUT \/auth\/v1\/user\S* 200/, (json, init) => {
      const address = valueAt(sentJson(init), 'email');
      return address === undefined ? json : patch(patch(json, 'email', address), 'new_email', undefined);
    }),
  }),
  user('wraps the user', { fetch: withJson(/^GET \/auth\/v1\/user 200/, (json) => ({ user: json })) }),
  user('does not change the password', {
    fetch: withBodyMember(/^PUT \/auth\/v1\/user/, 'password', undefined),
  }),
  user('keeps a key that is set to null', {
    fetch: onRequest(/^PUT \/auth\/v1\/user/, (request) => {
      if (typeof request.body === 'string') request.body = request.body.replaceAll(':null', ':"null"');
    }),
  }),
  user('sends no nonce', {
    fetch: (send) => (url, init) =>
      url.includes('/reauthenticate') ? Promise.resolve(Response.json({})) : send(url, init),
  }),

  factors('accepts any TOTP code', { fetch: takingAnyTotp }),
  factors('verifies a challenge twice', {
    fetch: (send) => {
      const verified = new Map<string, Response>();
      return async (url, init) => {
        const id = textAt(sentJson(init), 'challenge_id');
        const known = verified.get(id);
        if (known) return known.clone();
        const response = await send(url, init);
        if (id !== '' && response.ok) verified.set(id, response.clone());
        return response;
      };
    },
  }),
  factors('keeps the level aal1 after a verification', {
    fetch: withClaims(alreadyVerified, (claims) => ({ ...claims, aal: 'aal1' })),
  }),
  factors('does not name totp in amr', {
    fetch: withClaims(alreadyVerified, (claims) => ({
      ...claims,
      amr: [{ method: 'password', timestamp: 1 }],
    })),
  }),
  factors('lets a session of level aal1 remove a factor', {
    fetch: onResponse(/^DELETE \/auth\/v1\/factors\/\S+ 422/, (response) =>
      Object.assign(response, { status: 200, text: '{"id":"a"}' }),
    ),
  }),
  factors('lets a session of level aal1 change the password', {
    fetch: onResponse(/^PUT \/auth\/v1\/user\S* 401/, (response) => {
      if (response.text.includes('insufficient_aal')) Object.assign(response, { status: 200, text: '{}' });
    }),
  }),
  factors('lets a challenge expire at once', { settings: { auth: { factorChallengeExpirySeconds: 0 } } }),
  factors('keeps a challenge for an hour', { settings: { auth: { factorChallengeExpirySeconds: 3600 } } }),
  factors('keeps a challenge for years', { settings: { auth: { factorChallengeExpirySeconds: 1e9 } } }),
  factors('hides the secret of a new factor', {
    fetch: withMember(/\/factors 200/, 'totp.secret', undefined),
  }),
  factors('accepts two factors with the same name', {
    fetch: onResponse(/\/factors 422/, (response) => Object.assign(response, { status: 200, text: '{}' })),
  }),
  factors("challenges another's factor", { fetch: withStatus(/\/challenge 404/, 200, '{"id":"a"}') }),
  factors('does not list a verified factor', {
    fetch: withMember(/^GET \/auth\/v1\/user 200/, 'factors', undefined),
  }),
  factors('enrolls factors without a session', { fetch: withStatus(/\/factors 401/, 200, '{}') }),
  factors('names no issuer in its URI', {
    fetch: withJson(/\/factors 200/, (json) =>
      patch(json, 'totp.uri', textAt(json, 'totp.uri').replace(/issuer=[^&]*&?/, '')),
    ),
  }),
  factors('enrolls a further factor at aal1', { fetch: withStatus(/\/factors 403/, 200, '{}') }),
  factors("removes another's factor", { fetch: withStatus(/^DELETE \S*\/factors\/\S* 404/, 200, '{}') }),
  factors('keeps abandoned factors', {
    fetch: withMember(/^GET \/auth\/v1\/user 200/, 'factors', [{ id: 'a' }, { id: 'b' }]),
  }),
  factors('shows the secrets of a user', {
    fetch: withMember(/^GET \/auth\/v1\/user 200/, 'factors.0.secret', 'A'),
  }),
  factors('verifies without a code', { fetch: withStatus(/\/factors\/\S*\/verify 400/, 200, '{}') }),
  factors('enrolls any number', { fetch: withStatus(/\/factors 400/, 200, '{}') }),

  passkeys('tells who signs in by a passkey', {
    fetch: withMember(/\/passkeys\/authentication\/options 200/, 'options.allowCredentials', [
      { id: 'a', type: 'public-key' },
    ]),
  }),
  passkeys('manages passkeys without a session', { fetch: withStatus(/\/passkeys\S* 401/, 200, '[]') }),
  passkeys('uses one challenge for all', {
    fetch: withMember(/\/passkeys\/\S+\/options 200/, 'challenge_id', '00000000-0000-4000-8000-000000000000'),
  }),
  passkeys('requires no discoverable credential', {
    fetch: withMember(/\/passkeys\/registration\/options 200/, 'options.authenticatorSelection', {}),
  }),
  passkeys('hides whether it has passkeys', {
    fetch: withMember(/\/settings 200/, 'passkeys_enabled', undefined),
  }),

  others('redirects to a provider without a state', {
    fetch: withLocation(/\/authorize\S* 302/, (location) => location.replace(/([?&])state=[^&]+/, '$1')),
  }),
  others('finds a provider by its exact name only', {
    fetch: withStatus(/\/authorize\?provider=[A-Z]\S* 302/, 400, '{}'),
  }),
  others("accepts a provider's response with a foreign state", {
    fetch: withLocation(/\/callback\S* 303/, (location) => location.replace(/[?#].*/, '#access_token=a.b.c')),
  }),
  others('accepts a wallet signature of another key', {
    fetch: withStatus(/grant_type=web3 4\d\d/, 200, '{"access_token":"a.b.c"}'),
  }),
  others('accepts any ID token', {
    fetch: withStatus(/grant_type=id_token 400/, 200, '{"access_token":"a.b.c"}'),
  }),
  others('finds an organization for every domain', {
    fetch: withStatus(/\/sso\S* 4\d\d/, 200, '{"url":"https://example.com"}'),
  }),
  others('unlinks the only identity', {
    fetch: withStatus(/^DELETE \/auth\/v1\/user\/identities\S* 422/, 200, '{}'),
  }),
  others('drops the scopes of a request', { fetch: withQuery(/\/authorize/, /scopes=[^&]*&?/, '') }),
  others('hides the refusal of a provider', {
    fetch: withLocation(/\/callback\S* 302/, (location) => location.replace(/[?#].*/, '')),
  }),
  others('takes any method of a challenge', { fetch: withStatus(/\/authorize\S* 400/, 302) }),
  others('takes a request for no organization', { fetch: withStatus(/\/sso 400/, 200, '{}') }),

  administration('does not delete users', {
    fetch: (send) => (url, init) =>
      init.method === 'DELETE' && url.includes('/admin/users/')
        ? Promise.resolve(Response.json({}))
        : send(url, init),
  }),
  administration('lists users without their audience', {
    fetch: withMember(/\/admin\/users\S* 200/, 'aud', undefined),
  }),
  administration('does not confirm the users that it creates', {
    fetch: withBodyMember(/^POST \/auth\/v1\/admin\/users/, 'email_confirm', false),
  }),
  administration('generates links without a code', {
    fetch: withMember(/generate_link 200/, 'email_otp', undefined),
  }),
  administration('creates two users of one address', {
    fetch: withStatus(/^POST \/auth\/v1\/admin\/users 422/, 200, '{}'),
  }),
  administration('accepts a page that is not a number', {
    fetch: withQuery(/\/admin\/users/, /page=[^&]*/, 'page=1'),
  }),

  limits('limits each second request without a code', {
    fetch: (send) => {
      let count = 0;
      return (url, init) =>
        /\/(?:otp|signup|token)/.test(url) && ++count % 2 === 0
          ? Promise.resolve(Response.json({ message: 'slow down' }, { status: 429 }))
          : send(url, init);
    },
  }),
  limits('limits by 503', {
    fetch: (send) => {
      let count = 0;
      return (url, init) =>
        url.includes('/otp') && ++count > 2
          ? Promise.resolve(Response.json({}, { status: 503 }))
          : send(url, init);
    },
  }),
  limits('has no limits', {
    settings: { auth: { rateLimits: null } },
    survives: 'limits are settings of a project, and a run that exceeds them would block its own address',
  }),
];
