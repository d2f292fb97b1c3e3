import {
  mutantsOf,
  onRequest,
  patch,
  replaying,
  sentJson,
  textAt,
  valueAt,
  withBodyMember,
  withClaims,
  withHeader,
  withJson,
  withMember,
  withQuery,
  withStatus,
  withText,
  type FetchFault,
  type ServerMutant,
} from './mutant.ts';

const errors = mutantsOf('auth', 'errors', 'auth#errors auth#weak-passwords');
const signUp = mutantsOf('auth', 'accounts of a sign-up', 'auth#sign-up');
const sessions = mutantsOf('auth', 'sessions', 'auth#session auth#access-token auth#refresh-rules');
const users = mutantsOf('auth', 'members and changes of a user', 'auth#user auth#identities');
const admin = mutantsOf('auth', 'users of an administrator', 'auth#administration');

const providers = mutantsOf('auth', 'added providers', 'auth#administration auth#single-sign-on');
const oauth = mutantsOf('auth', 'OAuth server', 'auth#oauth-server');
const codes = mutantsOf('auth', 'recovery codes', 'auth#factors');

const create = /^POST \S*\/admin\/users/;
const change = /^PUT \S*\/admin\/users/;
const generate = /\/generate_link/;
const ownUser = /^GET \/auth\/v1\/user 200/;

/** Replaces a part of the JSON of requests. */
const withSentText = (match: RegExp, pattern: string | RegExp, replacement: string): FetchFault =>
  onRequest(match, (request) => {
    if (typeof request.body === 'string') request.body = request.body.replace(pattern, replacement);
  });

/** Responds to requests that match with `{}`, and changes nothing. */
const ignoring =
  (method: string, path: RegExp): FetchFault =>
  (send) =>
  (url, init) =>
    init.method === method && path.test(url) ? Promise.resolve(Response.json({})) : send(url, init);

/** Faulty servers that the audits of accounts, users and their administration detect. */
export const authAccountMutants: readonly ServerMutant[] = [
  errors('does not know a wrong JSON type', { fetch: withText(/ 400$/, 'bad_json', 'validation_failed') }),
  errors('hides the reasons of a weak password in the older format', {
    fetch: withJson(/ 422$/, (json) =>
      valueAt(json, 'msg') === undefined ? json : patch(json, 'weak_password', undefined),
    ),
  }),

  signUp('creates an account for each sign-up', {
    fetch: withJson(/\/signup 200/, (json) => patch(json, 'id', crypto.randomUUID())),
  }),
  signUp('shows when a taken address was confirmed', {
    fetch: withMember(/\/signup 200/, 'email_confirmed_at', '2026-01-01T00:00:00Z'),
  }),
  signUp('keeps the case of an address', {
    fetch: withJson(/\/signup 200/, (json, init) => patch(json, 'email', textAt(sentJson(init), 'email'))),
  }),
  signUp('lets a sign-up verify its own address', {
    fetch: withMember(/\/signup 200/, 'identities.0.identity_data.email_verified', true),
  }),

  sessions('rounds the lifetime of a session', {
    fetch: withMember(/grant_type=password 200/, 'expires_in', 3599),
  }),
  sessions('does not know a refresh token of another form', {
    fetch: withText(/refresh_token 400/, 'validation_failed', 'refresh_token_not_found'),
  }),
  sessions('forgets at a refresh how its user signed in', {
    fetch: withClaims(/refresh_token 200/, (claims) => ({ ...claims, amr: [] })),
  }),
  sessions('reads the scheme of a token in one spelling', {
    fetch: onRequest(/./, ({ headers }) => {
      if (/^b|^BE/.test(headers.get('authorization') ?? '')) headers.delete('authorization');
    }),
  }),

  users('shows a user without its role', { fetch: withMember(ownUser, 'role', undefined) }),
  users('confuses the ids of an identity', {
    fetch: withJson(ownUser, (json) => patch(json, 'identities.0.identity_id', textAt(json, 'id'))),
  }),
  users('keeps the former address of an identity', {
    fetch: withMember(/\/verify 200/, 'user.identities.0.email', 'former@example.com'),
  }),
  users('changes an address to itself', {
    fetch: withMember(/^PUT \S*\/user 200/, 'new_email', 'own@example.com'),
  }),
  users('takes a number that is none', { fetch: withStatus(/^PUT \S*\/user 400/, 200, '{}') }),
  users("takes another user's number", {
    fetch: withText(/^PUT \S*\/user 422/, 'phone_exists', 'conflict'),
  }),
  users('keeps the number of a removed identity', { fetch: ignoring('DELETE', /\/identities\//) }),
  users('names an id of no identity otherwise', {
    fetch: withMember(/\/identities\/\S* 404/, 'code', 'not_found'),
  }),

  admin('ignores a new password', { fetch: withBodyMember(change, 'password', undefined) }),
  admin('keeps a key of the metadata that is set to null', {
    fetch: withSentText(change, /:null/g, ':"null"'),
  }),
  admin('ignores a new address', { fetch: withBodyMember(change, 'email', undefined) }),
  admin('lifts no ban', { fetch: withSentText(change, '"none"', '"24h"') }),
  admin('reads any duration', { fetch: withStatus(/^PUT \S*\/admin\/users\S* 400/, 200, '{}') }),
  admin('chooses the id of a new user', { fetch: withBodyMember(create, 'id', undefined) }),
  admin('creates users without an address', {
    fetch: withStatus(/^POST \S*\/admin\/users 400/, 200, '{}'),
  }),
  admin('ignores the hash of a password', { fetch: withBodyMember(create, 'password_hash', undefined) }),
  admin('links to no next page', { fetch: withHeader(/\/admin\/users\S* 200/, 'link', () => null) }),
  admin('orders users by any column', { fetch: withQuery(/\/admin\/users/, /sort=email/, '') }),
  admin('deletes the row of a softly deleted user', {
    fetch: withBodyMember(/^DELETE \S*\/admin\/users/, 'should_soft_delete', false),
  }),
  admin('removes no factor', { fetch: ignoring('DELETE', /\/admin\/users\/[^/]+\/factors\//) }),
  admin('verifies each link as a code by email', {
    fetch: withMember(/\/generate_link 200/, 'verification_type', 'email'),
  }),
  admin('generates a link for any account', { fetch: withStatus(/\/generate_link 4\d\d/, 200, '{}') }),
  admin('ignores the target of a link', { fetch: withBodyMember(generate, 'redirect_to', undefined) }),
  admin('names an id that is none unknown', {
    fetch: withText(/\/admin\/\S* 404/, 'validation_failed', 'user_not_found'),
  }),

  providers('searches the audit log for any action', {
    fetch: withQuery(/\/admin\/audit/, /query=action%3A[^&]*/, ''),
  }),
  providers('shows the secret of a custom provider', {
    fetch: withMember(/\/custom-providers\/\S+ 200/, 'client_secret', 'secret'),
  }),
  providers('asks a custom provider for no scopes', {
    fetch: withHeader(/\/authorize\?\S* 302/, 'location', (url) => url.replace(/scope=[^&]*/, '')),
  }),
  providers('adds any custom provider', { fetch: withStatus(/\/custom-providers 400/, 201, '{}') }),
  providers('lists identity providers with their metadata', {
    fetch: withMember(/\/sso\/providers 200/, 'items.*.saml.metadata_xml', '<a/>'),
  }),
  providers('adds any identity provider', { fetch: withStatus(/\/sso\/providers 4\d\d/, 201, '{}') }),

  oauth('shows the secret of an application again', {
    fetch: withMember(/^GET \S*\/oauth\/clients\/\S+ 200/, 'client_secret', 'secret'),
  }),
  oauth('registers any application', { fetch: withStatus(/^POST \S*\/oauth\/clients 400/, 201, '{}') }),
  oauth('renews no secret', { fetch: withMember(/regenerate_secret 200/, 'client_secret', undefined) }),
  oauth('gives public applications a secret', {
    fetch: withMember(/^POST \S*\/oauth\/clients 201/, 'client_secret', 'secret'),
  }),
  oauth('loses the state of a faulty request', {
    fetch: withHeader(/\/oauth\/authorize\?\S* 302/, 'location', (url) => url.replace(/&state=[^&]*/, '')),
  }),
  oauth('redirects to an unknown page', { fetch: withStatus(/\/oauth\/authorize\?\S* 400/, 302) }),
  oauth("shows another user's request", { fetch: withStatus(/\/authorizations\/\S* 404/, 200, '{}') }),
  oauth('exchanges the code of an application twice', { fetch: replaying(/\/oauth\/token/) }),
  oauth('issues no ID token', { fetch: withMember(/\/oauth\/token 200/, 'id_token', undefined) }),
  oauth('tells the address of a user in each scope', {
    fetch: withMember(/\/userinfo 200/, 'email', 'a@example.com'),
  }),
  oauth('refreshes the session of an application for everyone', {
    fetch: withStatus(/grant_type=refresh_token 400/, 200, '{}'),
  }),
  oauth('asks again for what was granted', {
    fetch: withMember(/^GET \S*\/authorizations\/\S+ 200/, 'redirect_url', undefined),
  }),

  codes('shows recovery codes again', {
    fetch: withMember(/^GET \S*\/recovery-codes 200/, 'codes', ['a']),
  }),
  codes('takes a recovery code twice', { fetch: withStatus(/\/recovery-codes\/verify 422/, 200, '{}') }),
  codes('locks no recovery codes', { fetch: withStatus(/\/recovery-codes\/verify 429/, 422) }),
];
