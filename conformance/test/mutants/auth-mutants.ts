import {
  bearerOf,
  claimsOf,
  mutantsOf,
  onResponse,
  onRequest,
  parse,
  patch,
  sentJson,
  textAt,
  valueAt,
  withBodyMember,
  withClaims,
  withHeader,
  withJson,
  withMember,
  withQuery,
  withSignedToken,
  withStatus,
  type FetchFault,
  type ServerMutant,
} from './mutant.ts';

const token = /^POST \/auth\/v1\/token\?grant_type=\w+ 200/;
const password = /^POST \/auth\/v1\/token\?grant_type=password 200/;
const refresh = /^POST \/auth\/v1\/token\?grant_type=refresh_token 200/;

const statuses = mutantsOf(
  'auth',
  'statuses',
  'auth#errors auth#service-routes auth#password-grant auth#sign-out',
);
const headers = mutantsOf('auth', 'headers and CORS', 'auth#errors auth#service-routes');
const administration = mutantsOf('auth', 'administration', 'auth#administration');
const tokens = mutantsOf(
  'auth',
  'token checks',
  'auth#access-token auth#session auth#user auth#administration',
);
const expiry = mutantsOf('auth', 'expiry', 'auth#session auth#access-token auth#password-grant auth#factors');
const rotation = mutantsOf('auth', 'rotation and reuse', 'auth#refresh-rules');
const signOut = mutantsOf('auth', 'sign-out', 'auth#sign-out auth#refresh-rules');
const signUp = mutantsOf(
  'auth',
  'sign-up and passwords',
  'auth#sign-up auth#weak-passwords auth#password-grant',
);

const withExpiredTokens = withSignedToken(
  ({ exp }) => typeof exp === 'number' && exp * 1000 < Date.now(),
  (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) + 60 }),
);

/** Accepts old refresh tokens: replaces each with its successor. */
const withOldRefreshTokens: FetchFault = (send) => {
  const next = new Map<string, string>();
  const newest = (old: string): string => {
    const later = next.get(old);
    return later === undefined || later === old ? old : newest(later);
  };
  return async (url, init) => {
    const old = typeof init.body === 'string' ? valueAt(parse(init.body), 'refresh_token') : undefined;
    if (!url.includes('grant_type=refresh_token') || typeof old !== 'string') return send(url, init);
    const response = await send(url, { ...init, body: JSON.stringify({ refresh_token: newest(old) }) });
    const later = valueAt(parse(await response.clone().text()), 'refresh_token');
    if (typeof later === 'string') next.set(newest(old), later);
    return response;
  };
};

/** Refuses a refresh while another one with the same token is in flight. */
const refusingConcurrentRefreshes: FetchFault = (send) => {
  const running = new Set<unknown>();
  return async (url, init) => {
    if (!url.includes('grant_type=refresh_token')) return send(url, init);
    if (running.has(init.body)) return Response.json({ code: 'refresh_token_already_used' }, { status: 400 });
    running.add(init.body);
    return send(url, init).finally(() => running.delete(init.body));
  };
};

const refusingReuse: FetchFault = (send) => {
  const used = new Set<unknown>();
  return async (url, init) => {
    if (!url.includes('grant_type=refresh_token')) return send(url, init);
    if (used.has(init.body)) return Response.json({ code: 'refresh_token_already_used' }, { status: 400 });
    used.add(init.body);
    return send(url, init);
  };
};

export const authMutants: readonly ServerMutant[] = [
  statuses('responds to a sign-in with 201', { fetch: withStatus(password, 201) }),
  statuses('refuses a wrong password with 401', {
    fetch: withStatus(/^POST \/auth\/v1\/token\?grant_type=password 400/, 401),
  }),
  statuses('responds to an unknown route with 200', { fetch: withStatus(/ 404$/, 200, '{}') }),
  statuses('responds to every method of a route', { fetch: withStatus(/ 405$/, 200, '{}') }),
  statuses('fails at a body that is not JSON', { fetch: withStatus(/^POST \S+ 400/, 500) }),
  statuses('responds to a sign-out with 200 and a body', { fetch: withStatus(/\/logout\S* 204/, 200, '{}') }),
  statuses('names the code of a wrong password otherwise', {
    fetch: withMember(/grant_type=password 400/, 'code', 'invalid_grant'),
  }),
  statuses('has no route for its health', { fetch: withStatus(/\/auth\/v1\/health 200/, 404, '{}') }),
  statuses('hides which sign-in methods it has', {
    fetch: withMember(/\/settings 200/, 'external', undefined),
  }),

  headers('forbids other origins', {
    fetch: withHeader(/./, 'access-control-allow-origin', () => null),
  }),
  headers('responds without the version header', {
    fetch: withHeader(/./, 'x-supabase-api-version', () => null),
  }),
  headers('responds without x-sb-error-code', { fetch: withHeader(/./, 'x-sb-error-code', () => null) }),
  headers('supports only the old error format', {
    fetch: onRequest(/./, ({ headers: sent }) => sent.delete('x-supabase-api-version')),
  }),
  headers('supports only the new error format', {
    fetch: onRequest(/./, ({ headers: sent }) => sent.set('x-supabase-api-version', '2024-01-01')),
  }),
  headers('reads every version header as the newest', {
    fetch: onRequest(/./, ({ headers: sent }) => {
      if (sent.get('x-supabase-api-version')) sent.set('x-supabase-api-version', '2024-01-01');
    }),
  }),
  headers('publishes the private key', {
    fetch: withMember(/jwks\.json 200/, 'keys.*.d', 'AAAA'),
  }),
  headers('publishes keys without their ids', {
    fetch: withMember(/jwks\.json 200/, 'keys.*.kid', undefined),
  }),
  headers('forbids to cache its keys', {
    fetch: withHeader(/jwks\.json 200/, 'cache-control', () => 'no-store'),
  }),

  tokens('accepts expired tokens', { fetch: withExpiredTokens }),
  tokens('accepts a refresh token as an access token', {
    fetch: onResponse(/^GET \/auth\/v1\/user (?:401|403)/, (response, init) => {
      if (/^[\w-]{12,40}$/.test(bearerOf(new Headers(init.headers))))
        Object.assign(response, { status: 200, text: '{"id":"a"}' });
    }),
  }),
  tokens('serves GET /user without a token', { fetch: withStatus(/^GET \/auth\/v1\/user 401/, 200, '{}') }),
  tokens('serves GET /user after sign-out', {
    fetch: onResponse(/^GET \/auth\/v1\/user 403/, (response, init) => {
      const { sub } = claimsOf(bearerOf(new Headers(init.headers)));
      if (response.text.includes('session_not_found'))
        Object.assign(response, { status: 200, text: JSON.stringify({ id: sub }) });
    }),
  }),
  tokens('serves GET /user for a deleted user', {
    fetch: onResponse(/^GET \/auth\/v1\/user 403/, (response) => {
      if (response.text.includes('user_not_found'))
        Object.assign(response, { status: 200, text: '{"id":"a"}' });
    }),
  }),
  tokens('opens its admin routes to everyone', {
    fetch: onRequest(/\/auth\/v1\/admin/, ({ headers: sent }, { serviceRoleKey }) => {
      sent.set('apikey', serviceRoleKey);
      sent.set('authorization', `Bearer ${serviceRoleKey}`);
    }),
  }),
  tokens('issues tokens with the role anon', {
    fetch: withClaims(token, (claims) => ({ ...claims, role: 'anon' })),
  }),
  tokens('issues tokens without session_id', {
    fetch: withClaims(token, ({ session_id: _id, ...claims }) => claims),
  }),
  tokens('issues tokens without aal', { fetch: withClaims(token, ({ aal: _aal, ...claims }) => claims) }),
  tokens('issues tokens without amr', { fetch: withClaims(token, ({ amr: _amr, ...claims }) => claims) }),
  tokens('issues tokens for another audience', {
    fetch: withClaims(token, (claims) => ({ ...claims, aud: 'anon' })),
  }),
  tokens('calls every user anonymous', {
    fetch: withClaims(token, (claims) => ({ ...claims, is_anonymous: true })),
  }),
  tokens('signs with a key that it does not publish', {
    fetch: withMember(/jwks\.json 200/, 'keys.*.alg', undefined),
  }),

  expiry('returns expires_at an hour too late', {
    fetch: withJson(token, (json) => patch(json, 'expires_at', Number(valueAt(json, 'expires_at')) + 3600)),
  }),
  expiry('returns expires_in as a string', { fetch: withMember(token, 'expires_in', '3600') }),
  expiry('returns expires_at in milliseconds', {
    fetch: withJson(token, (json) => patch(json, 'expires_at', Number(valueAt(json, 'expires_at')) * 1000)),
  }),
  expiry('issues tokens that are valid for ten years', {
    fetch: withClaims(token, (claims) => ({ ...claims, exp: Number(claims['exp']) + 315_360_000 })),
  }),
  expiry('issues expired tokens', { settings: { auth: { jwtExpirySeconds: -10 } } }),
  expiry('keeps the code of a mail for ten years', {
    settings: { auth: { emailOtpExpirySeconds: 315_360_000 } },
    survives:
      'a code lives for an hour by default, and the lifetime is a setting: an audit would have to wait for it',
  }),

  rotation('accepts old refresh tokens', { fetch: withOldRefreshTokens }),
  rotation('returns the same refresh token again', {
    fetch: onResponse(refresh, (response, init) => {
      const sent = valueAt(sentJson(init), 'refresh_token');
      const json = parse(response.text);
      if (json !== undefined && sent !== undefined)
        response.text = JSON.stringify(patch(json, 'refresh_token', sent));
    }),
  }),
  rotation('refuses a token that was used a moment ago', { fetch: refusingReuse }),
  rotation('allows reuse for ever', { settings: { auth: { refreshTokenReuseIntervalSeconds: 3600 } } }),
  rotation('begins a new session at each refresh', {
    fetch: withClaims(refresh, (claims) => ({
      ...claims,
      session_id: '00000000-0000-4000-8000-000000000000',
    })),
  }),
  rotation('refuses concurrent refreshes', { fetch: refusingConcurrentRefreshes }),
  rotation('responds to a refresh with another user', {
    fetch: withMember(refresh, 'user.id', 'a-stranger'),
  }),
  rotation('responds to a refresh without a refresh token', {
    fetch: withMember(refresh, 'refresh_token', undefined),
  }),
  rotation('fails at an unknown refresh token', {
    fetch: withStatus(/grant_type=refresh_token 400/, 500, '{"code":"unexpected_failure"}'),
  }),
  rotation('rotates to an unknown token', {
    fetch: withMember(refresh, 'refresh_token', 'aaaaaaaaaaaa'),
  }),

  signOut('never ends a session', {
    sql: [
      `create function public.keep_row() returns trigger language plpgsql as 'begin return null; end';
       create trigger keep before delete on auth.sessions for each row execute function public.keep_row();`,
      'drop trigger keep on auth.sessions; drop function public.keep_row();',
    ],
  }),
  signOut('ends every session by the scope local', {
    fetch: withQuery(/\/logout/, /scope=local/, 'scope=global'),
  }),
  signOut('ends the current session by the scope others', {
    fetch: withQuery(/\/logout/, /scope=others/, 'scope=global'),
  }),
  signOut('ends only the current session by the scope global', {
    fetch: onRequest(
      /\/logout/,
      (request) => void (request.url = `${request.url.split('?')[0]}?scope=local`),
    ),
  }),
  signOut('accepts an unknown scope', { fetch: withStatus(/\/logout\S* 400/, 204) }),
  signOut('accepts a sign-out without a token', { fetch: withStatus(/\/logout\S* 401/, 204) }),

  signUp('reveals which addresses have an account', {
    fetch: onResponse(/\/signup\S* 200/, (response) => {
      if (response.text.includes('"identities":[]'))
        Object.assign(response, { status: 422, text: '{"code":"user_already_exists"}' });
    }),
  }),
  signUp('reveals at sign-in that an address is unknown', {
    fetch: onResponse(/grant_type=password 400/, async (response, init, _url, { database }) => {
      const address = textAt(sentJson(init), 'email');
      const known = await database.query('select 1 from auth.users where email = lower($1)', [address]);
      if (known.length === 0) response.text = '{"code":"invalid_credentials","message":"Unknown user"}';
    }),
  }),
  signUp('signs in before the address is confirmed', {
    settings: {},
    fetch:
      (send, { database }) =>
      async (url, init) => {
        if (/\/token\?grant_type=password/.test(url))
          await database.exec(
            'update auth.users set email_confirmed_at = coalesce(email_confirmed_at, now())',
          );
        return send(url, init);
      },
  }),
  signUp('accepts passwords of one character', { settings: { auth: { passwordMinLength: 1 } } }),
  signUp('cuts long passwords', {
    fetch: onRequest(/\/(?:signup|user|admin\/users)/, (request) => {
      const long = valueAt(request.json, 'password');
      if (typeof long === 'string' && request.json !== undefined)
        request.body = JSON.stringify(
          patch(request.json, 'password', Buffer.from(long).subarray(0, 72).toString()),
        );
    }),
  }),
  signUp('compares addresses with their case', {
    fetch: (send) => async (url, init) => {
      const address = typeof init.body === 'string' ? valueAt(parse(init.body), 'email') : undefined;
      const isOther =
        url.includes('grant_type=password') && typeof address === 'string' && /[A-Z]/.test(address);
      return isOther ? Response.json({ code: 'invalid_credentials' }, { status: 400 }) : send(url, init);
    },
  }),
  signUp('loses the data of a sign-up', { fetch: withBodyMember(/\/signup/, 'data', undefined) }),
  signUp('does not report why a password is weak', { fetch: withMember(/ 422/, 'weak_password', undefined) }),
  signUp('signs a new account in before it is confirmed', {
    fetch: withMember(/\/signup\S* 200/, 'access_token', 'a.b.c'),
  }),
  administration('does not count its users', {
    fetch: withHeader(/\/admin\/users/, 'x-total-count', () => null),
  }),
  signUp('lets a banned user sign in', { fetch: withBodyMember(/\/admin\/users\//, 'ban_duration', 'none') }),
  signUp('accepts any password', {
    fetch: onRequest(/grant_type=password/, async (request, { database }) => {
      const address = valueAt(request.json, 'email');
      const hash = "extensions.crypt($1, extensions.gen_salt('bf', 4))";
      const given = textAt(request.json, 'password');
      if (typeof address === 'string')
        await database.query(`update auth.users set encrypted_password = ${hash} where email = lower($2)`, [
          given,
          address,
        ]);
    }),
  }),
];
