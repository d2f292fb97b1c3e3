import {
  mutantsOf,
  onRequest,
  onResponse,
  parse,
  patch,
  withBodyMember,
  withClaims,
  withJson,
  withMember,
  withQuery,
  withStatus,
  withText,
  type ServerMutant,
} from './mutant.ts';

const times = mutantsOf('auth', 'times of a user', 'auth#user');
const accounts = mutantsOf('auth', 'sign-ups and passwords', 'auth#sign-up auth#weak-passwords');
const oauth = mutantsOf('auth', 'applications of the OAuth server', 'auth#oauth-server');
const links = mutantsOf('auth', 'generated links', 'auth#administration');
const factors = mutantsOf('auth', 'phone factors', 'auth#factors');
const passkeys = mutantsOf('auth', 'passkeys', 'auth#passkeys');

const anyUser = /\/(?:user|signup|invite|admin\/users\S*) 200/;
const client = /\/oauth\/clients/;
const tokens = /\/oauth\/token 200/;

const keepRows = (table: string): readonly [string, string] => [
  `create function public.keep_row() returns trigger language plpgsql as 'begin return null; end';
   create trigger keep before delete on ${table} for each row execute function public.keep_row();`,
  `drop trigger keep on ${table}; drop function public.keep_row();`,
];

const shownTimes = [
  'confirmation_sent_at',
  'recovery_sent_at',
  'reauthentication_sent_at',
  'email_change_sent_at',
  'phone_change_sent_at',
  'invited_at',
  'banned_until',
  'phone_confirmed_at',
] as const;

/** Faulty servers that the audits of applications, times, links and numbers detect. */
export const authApplicationMutants: readonly ServerMutant[] = [
  ...shownTimes.map((member) =>
    times(`returns a user without ${member}`, { fetch: withMember(anyUser, member, undefined) }),
  ),
  times('never moves updated_at', { fetch: withMember(anyUser, 'updated_at', '2020-01-01T00:00:00Z') }),

  accounts('returns a fake user without is_anonymous', {
    fetch: onResponse(/\/signup 200/, (response) => {
      const json = parse(response.text);
      if (json !== undefined && response.text.includes('"identities":[]'))
        response.text = JSON.stringify(patch(json, 'is_anonymous', undefined));
    }),
  }),
  accounts('does not tell that a password became weak', {
    fetch: withMember(/grant_type=password 200/, 'weak_password', null),
  }),

  oauth('hides the logo of an application', {
    fetch: withMember(/\/oauth\/clients\S* 20\d/, 'logo_uri', undefined),
  }),
  oauth('does not change the grants of an application', {
    fetch: withBodyMember(client, 'grant_types', undefined),
  }),
  oauth('changes an application to anything', {
    fetch: withStatus(/^PUT \S*\/oauth\/clients\S* 400/, 200, '{}'),
  }),
  oauth('lists applications with the oldest first', {
    fetch: withJson(/^GET \S*\/oauth\/clients 200/, (json) => {
      const clients = (json as { readonly clients?: readonly never[] }).clients ?? [];
      return { clients: clients.toReversed() };
    }),
  }),
  oauth('shows a request to any page', {
    fetch: onRequest(/\/authorizations\//, ({ headers }) => headers.delete('origin')),
  }),
  oauth('asks for another scope than the request', {
    fetch: withMember(/^GET \S*\/authorizations\/\S+ 200/, 'scope', 'openid email'),
  }),
  oauth('never ends a request', {
    sql: [
      `create function public.keep_end() returns trigger language plpgsql as 'begin new.expires_at := old.expires_at; return new; end';
       create trigger keep before update on auth.oauth_authorizations for each row execute function public.keep_end();`,
      'drop trigger keep on auth.oauth_authorizations; drop function public.keep_end();',
    ],
  }),
  oauth('issues tokens to any application', { fetch: withStatus(/\/oauth\/token 400/, 200, '{}') }),
  oauth('issues tokens without their scopes', {
    fetch: withClaims(tokens, ({ scope: _scope, ...claims }) => claims),
  }),
  oauth('hides the name that a user prefers', {
    fetch: withMember(/\/userinfo 200/, 'preferred_username', undefined),
  }),
  oauth('hides when a user agreed', {
    fetch: withMember(/\/user\/oauth\/grants 200/, '*.granted_at', undefined),
  }),
  oauth('ends the grants of any application', { fetch: withStatus(/\/user\/oauth\/grants\S* 40\d/, 204) }),
  oauth('lists the grants of removed applications', {
    fetch: withText(/\/user\/oauth\/grants 200/, /^\[\]$/, '[{"scopes":[]}]'),
  }),
  oauth('refuses tokens without the reason', {
    fetch: withText(/\/oauth\/token 400/, /access_denied|unsupported_grant_type/, 'invalid_grant'),
  }),

  links('shows another code than that of its link', {
    fetch: withMember(/\/generate_link 200/, 'email_otp', '000000'),
  }),
  links('hides when it generated a link', {
    fetch: withMember(/\/generate_link 200/, 'recovery_sent_at', undefined),
  }),
  links('generates links to weak passwords and to taken addresses', {
    fetch: withStatus(/\/generate_link 422/, 200, '{}'),
  }),
  links('finds no users by their names', { fetch: withQuery(/\/admin\/users/, /filter=/, 'name=') }),

  factors('keeps the factor of a number that is enrolled again', { sql: keepRows('auth.mfa_factors') }),
  factors('enrolls a verified number again', { fetch: withStatus(/\/factors 422/, 200, '{}') }),
  factors('changes no number of a factor', {
    fetch: withBodyMember(/^PUT \S*\/factors\//, 'phone', undefined),
  }),
  factors('keeps the level of a session without its factor', { sql: keepRows('auth.mfa_amr_claims') }),
  factors('hides when a factor was challenged', {
    fetch: withJson(/^GET \/auth\/v1\/user 200/, (json) => {
      const { factors: list } = json as { readonly factors?: readonly never[] };
      return list === undefined
        ? json
        : patch(
            json,
            'factors',
            list.map((one) => patch(one, 'last_challenged_at', null)),
          );
    }),
  }),
  factors('hides the type of a challenge', { fetch: withMember(/\/challenge 200/, 'type', undefined) }),
  factors('sends a code by any channel', { fetch: withBodyMember(/\/challenge/, 'channel', undefined) }),

  passkeys('gives a browser no time to create a passkey', {
    fetch: withMember(/\/registration\/options 200/, 'options.timeout', 1),
  }),
  passkeys('does not tell that a challenge is old', {
    fetch: withText(
      /\/passkeys\/authentication\/verify 400/,
      'webauthn_challenge_expired',
      'webauthn_challenge_not_found',
    ),
  }),
];
