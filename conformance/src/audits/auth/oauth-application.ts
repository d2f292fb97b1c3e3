import { assert } from '../../target/assertion.ts';
import type { AuditContext, AuditUser, Pkce } from '../../audit/audit-context.ts';
import { NotRunError } from '../../target/target.ts';
import { assertStatus, at, locationOf, textAt, type WireResponse } from '../../target/wire.ts';

/** A registered application. */
export interface Application {
  readonly id: string;
  readonly secret: string;
  readonly redirectUri: string;
  readonly registered: WireResponse;
}

/** Registers an application, and removes it after `task`. @throws NotRunError if the target has no OAuth server. */
export async function withApplication(
  context: AuditContext,
  fields: object,
  task: (application: Application) => Promise<void>,
): Promise<void> {
  const redirectUri = 'https://app.example.com/callback';
  const body = { client_name: context.run.newName(), redirect_uris: [redirectUri], ...fields };
  const registered = await context.admin('POST', '/oauth/clients', body);
  if (registered.status === 404) throw new NotRunError('the target has no OAuth server');
  assertStatus(registered, 201);
  const id = textAt(registered, 'client_id');
  const secret = at(registered.json, 'client_secret');
  try {
    await task({ id, secret: typeof secret === 'string' ? secret : '', redirectUri, registered });
  } finally {
    await context.admin('DELETE', `/oauth/clients/${id}`);
  }
}

export const posting = { token_endpoint_auth_method: 'client_secret_post' };

const requestAuthorization = (
  { auth }: AuditContext,
  { id, redirectUri }: Application,
  query: Readonly<Record<string, string>>,
): Promise<WireResponse> =>
  auth.send('GET', '/oauth/authorize', {
    query: { client_id: id, redirect_uri: redirectUri, response_type: 'code', state: 'own state', ...query },
  });

/** The page that an authorization request is redirected to. */
export async function redirectOf(
  context: AuditContext,
  application: Application,
  query: Readonly<Record<string, string>>,
): Promise<URL> {
  const begun = await requestAuthorization(context, application, query);
  assertStatus(begun, 302);
  return locationOf(begun);
}

/** Requests an authorization. @throws NotRunError if the project has no page for the consent. */
export async function authorize(
  context: AuditContext,
  application: Application,
  query: Readonly<Record<string, string>>,
): Promise<WireResponse> {
  const begun = await requestAuthorization(context, application, query);
  if (/authorization\+path\+not\+configured/.test(begun.headers.get('location') ?? ''))
    throw new NotRunError('the project has no page for the consent');
  return begun;
}

/** Begins an authorization, and returns its id. */
export async function begin(
  context: AuditContext,
  application: Application,
  { challenge }: Pkce,
  scope: string,
): Promise<string> {
  const begun = await authorize(context, application, { ...challenge, scope, nonce: 'own nonce' });
  assertStatus(begun, 302);
  const id = locationOf(begun).searchParams.get('authorization_id');
  assert.ok(id, 'the redirect to the page of the consent has an authorization_id');
  return id;
}

export const read = ({ auth }: AuditContext, { accessToken: token }: AuditUser, id: string) =>
  auth.send('GET', `/oauth/authorizations/${id}`, { token });
export const decide = (
  { auth }: AuditContext,
  { accessToken: token }: AuditUser,
  id: string,
  action: string,
) => auth.send('POST', `/oauth/authorizations/${id}/consent`, { token, body: { action } });

export const requestTokens = ({ auth }: AuditContext, { id, secret }: Application, body: object) =>
  auth.send('POST', '/oauth/token', { body: { client_id: id, client_secret: secret, ...body } });

/** Lets the user approve an authorization, and returns its code. */
export async function approve(
  context: AuditContext,
  user: AuditUser,
  application: Application,
  pkce: Pkce,
  scope: string,
): Promise<string> {
  const id = await begin(context, application, pkce, scope);
  assertStatus(await read(context, user, id), 200);
  const approved = await decide(context, user, id, 'approve');
  assertStatus(approved, 200);
  return new URL(textAt(approved, 'redirect_url')).searchParams.get('code') ?? '';
}

/** Signs a user in at an application, and returns the tokens. */
export async function signIn(
  context: AuditContext,
  user: AuditUser,
  application: Application,
  scope: string,
): Promise<WireResponse> {
  const pkce = context.newPkce();
  const code = await approve(context, user, application, pkce, scope);
  const body = { grant_type: 'authorization_code', code, code_verifier: pkce.verifier };
  const tokens = await requestTokens(context, application, body);
  assertStatus(tokens, 200);
  return tokens;
}

export function assertOAuthError(response: WireResponse, error: string, error_description: string): void {
  assertStatus(response, 400);
  assert.deepEqual(response.json, { error, error_description }, 'the response');
}

export const isTime = (value: unknown): boolean => Date.parse(String(value)) > 1e12;
