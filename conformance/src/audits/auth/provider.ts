import { assert } from '../../target/assertion.ts';
import type { Audit } from '../../audit/audit.ts';
import type { AuditContext } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, jwtPartOf, locationOf, type WireResponse } from '../../target/wire.ts';

/** The providers whose page a project can have on its own origin or on this machine. */
const providers = ['google', 'keycloak'];

type Params = Readonly<Record<string, string>>;

/** The person of a sign-in at the provider's page. */
export interface Person {
  readonly email: string;
  readonly isVerified?: boolean;
  readonly name?: string;
  readonly sub?: string;
}

/** The context of an audit of a provider whose page answers without a person. */
export interface ProviderContext extends AuditContext {
  readonly provider: string;
}

// Other pages get no request: they belong to companies, and the request contains the key of the project.
const answersByItself = ({ auth }: AuditContext, page: URL): boolean =>
  page.origin === new URL(auth.baseUrl).origin || ['127.0.0.1', 'localhost'].includes(page.hostname);

/** @throws NotRunError if every provider of the project needs a person or is out of the server's reach. */
async function findProvider(context: AuditContext, names: readonly string[]): Promise<string> {
  const settings = await context.auth.send('GET', '/settings');
  const enabled = names.filter((provider) => at(settings.json, 'external', provider) === true);
  if (enabled.length === 0) throw new NotRunError(`none of ${names.join(' and ')} is enabled`);
  for (const provider of enabled) {
    const begun = await context.auth.send('GET', '/authorize', { query: { provider } });
    if (String(at(begun.json, 'message')).startsWith('Unsupported provider: Get "')) continue;
    assertStatus(begun, 302);
    if (answersByItself(context, locationOf(begun))) return provider;
  }
  throw new NotRunError('the providers of the project need a person, or the server cannot reach them');
}

// The context is inherited and not spread, because it throws for services that the target lacks.
export const withProvider =
  (run: (context: ProviderContext) => Promise<void>, names = providers): Audit['run'] =>
  async (context) => {
    const provider = await findProvider(context, names);
    return run(Object.assign(Object.create(context) as AuditContext, { provider }));
  };

/** Opens the page of a provider for a person, and returns the callback with the provider's answer. */
export async function visitPage(
  context: AuditContext,
  page: URL,
  { email, isVerified = true, name = '', sub = '' }: Person,
): Promise<string> {
  const needsPerson = () => new NotRunError('the identity provider needs a person');
  if (!answersByItself(context, page)) throw needsPerson();
  const asked = { prompt: 'none', login_hint: email, email_verified: String(isVerified), name, sub };
  const visited = await context.auth.send('GET', page.href, { query: asked });
  if (![302, 303].includes(visited.status)) throw needsPerson();
  const callback = locationOf(visited);
  // OpenID Connect Core 1.0, section 3.1.2.6: the responses to `prompt=none`.
  if (
    /^(login|interaction|consent|account_selection)_required$/.test(callback.searchParams.get('error') ?? '')
  )
    throw needsPerson();
  return callback.href;
}

/** Begins a sign-in, or with a token the linking of an identity, and returns the provider's page. */
export async function beginAtProvider(
  { auth, target, provider }: ProviderContext,
  query: Params = {},
  token?: string,
): Promise<URL> {
  const begun = await auth.send('GET', token === undefined ? '/authorize' : '/user/identities/authorize', {
    query: { provider, redirect_to: target.redirectTo, ...query },
    ...(token === undefined ? {} : { token }),
  });
  if (at(begun.json, 'code') === 'manual_linking_disabled')
    throw new NotRunError('manual linking is disabled');
  assertStatus(begun, 302);
  return locationOf(begun);
}

/** Opens a callback. @throws NotRunError if it needs a new account and the project is closed to new users. */
export async function openCallback({ auth }: AuditContext, callback: string): Promise<WireResponse> {
  const opened = await auth.send('GET', callback);
  if (/[?&]error_code=signup_disabled/.test(opened.headers.get('location') ?? '')) {
    const settings = await auth.send('GET', '/settings');
    if (at(settings.json, 'disable_signup') === true)
      throw new NotRunError('the project is closed to new users');
  }
  return opened;
}

/** Signs in at the provider and returns the page that the callback leads to. */
export async function signInAtProvider(
  context: ProviderContext,
  person: Person,
  query: Params = {},
  token?: string,
): Promise<URL> {
  const callback = await visitPage(context, await beginAtProvider(context, query, token), person);
  const returned = await openCallback(context, callback);
  assertStatus(returned, 302);
  return locationOf(returned);
}

export const fragmentOf = ({ hash }: URL): URLSearchParams => new URLSearchParams(hash.slice(1));

export const readUser = ({ auth }: AuditContext, page: URL): Promise<WireResponse> =>
  auth.send('GET', '/user', { token: fragmentOf(page).get('access_token') ?? '' });

export const identitiesOf = ({ json }: WireResponse): readonly unknown[] =>
  at(json, 'identities') as readonly unknown[];
export const identityOf = (user: WireResponse, provider: string): unknown =>
  identitiesOf(user).find((identity) => at(identity, 'provider') === provider);
export const providersOf = ({ json }: WireResponse): readonly unknown[] => [
  at(json, 'app_metadata', 'provider'),
  at(json, 'app_metadata', 'providers'),
];
export const membersOf = (value: unknown, members: readonly string[]): readonly unknown[] =>
  members.map((member) => at(value, member));

/** Asserts the members of the fragment, and those that the access token determines. */
export function assertTokens(page: URL, members: readonly string[]): void {
  const fragment = fragmentOf(page);
  assert.deepEqual([...fragment.keys()].toSorted(), members, 'the members of the fragment');
  const claims = jwtPartOf(fragment.get('access_token'));
  const [iat, exp] = [Number(at(claims, 'iat')), Number(at(claims, 'exp'))];
  assert.deepEqual(
    [fragment.get('token_type'), fragment.get('expires_in'), fragment.get('expires_at')],
    ['bearer', String(exp - iat), String(exp)],
    'token_type, expires_in and expires_at',
  );
  for (const member of members.filter((name) => name.endsWith('_token')))
    assert.ok(fragment.get(member), `the fragment has a ${member}`);
}

export const methodsOf = (page: URL): unknown => {
  const amr = at(jwtPartOf(fragmentOf(page).get('access_token')), 'amr') as readonly unknown[];
  return amr.map((entry) => membersOf(entry, ['method', 'provider']));
};
