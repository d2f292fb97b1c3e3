import {
  type Call,
  type JsonObject,
  readFlag,
  readObject,
  readOptionalText,
  readText,
  sendJson,
  sendRedirect,
  readParam,
} from '../http/call.ts';
import type { AuthContext } from '../context.ts';
import { invalid } from '../http/errors.ts';
import { addToQuery } from '../http/redirect-url.ts';
import { renderSignInPage } from './sign-in-page.ts';
import type { Person } from './test-provider.ts';

/** The base URL and issuer of the test provider of this name. */
export const issuerOf = (call: Call, provider: string): string => `${call.authUrl}/test-provider/${provider}`;

const forwardedParams = ['redirect_uri', 'state'] as const;

function finish(context: AuthContext, call: Call, target: string, state: string, person: Person): Response {
  const code = context.testProvider.issueCode(issuerOf(call, call.param('provider')), person);
  return sendRedirect(call, addToQuery(target, { code, state }));
}

function checkTarget(call: Call, target: string): string {
  if (target !== `${call.authUrl}/callback`)
    throw invalid('The redirect_uri is not the callback of this project');
  return target;
}

/** GET /test-provider/:provider/authorize: the page; `prompt=none` with `login_hint` skips it, for programs. */
export async function showProvider(context: AuthContext, call: Call): Promise<Response> {
  const query = call.url.searchParams;
  const read = (name: string): string => readParam(query, name);
  const target = checkTarget(call, read('redirect_uri'));
  const email = read('login_hint');
  if (read('prompt') === 'none' && email !== '') {
    const isEmailVerified = read('email_verified') !== 'false';
    const person = { email, isEmailVerified, name: read('name'), sub: read('sub') };
    return finish(context, call, target, read('state'), person);
  }
  return renderSignInPage({
    title: `Sign in with ${call.param('provider')}`,
    email: email || 'ada@example.com',
    hidden: Object.fromEntries(forwardedParams.map((name) => [name, read(name)])),
  });
}

/** POST /test-provider/:provider/authorize: the page's form. */
export async function submitProvider(context: AuthContext, call: Call): Promise<Response> {
  const form = new URLSearchParams(await call.text());
  const read = (name: string): string => readParam(form, name);
  const target = checkTarget(call, read('redirect_uri'));
  const state = read('state');
  if (read('decision') === 'deny')
    return sendRedirect(
      call,
      addToQuery(target, { error: 'access_denied', error_description: 'The user denied the request', state }),
    );
  const isEmailVerified = read('email_verified') === 'true';
  return finish(context, call, target, state, { email: read('email'), isEmailVerified, name: read('name') });
}

function parsePerson(body: JsonObject): Person {
  return {
    email: readText(body, 'email'),
    isEmailVerified: readFlag(body, 'email_verified', true),
    name: readOptionalText(body, 'name'),
    sub: readOptionalText(body, 'sub'),
  };
}

/** POST /test-provider/:provider/id_token: an ID token for `{email, email_verified, name, sub, claims}`. */
export async function issueIdToken(context: AuthContext, call: Call): Promise<Response> {
  const body = await call.json();
  const issuer = issuerOf(call, call.param('provider'));
  const idToken = await context.testProvider.signIdToken(issuer, parsePerson(body), {
    ...readObject(body, 'claims'),
  });
  return sendJson(call, { id_token: idToken });
}

/** GET /test-provider/:provider/.well-known/openid-configuration. */
export async function describeProvider(_: AuthContext, call: Call): Promise<Response> {
  const issuer = issuerOf(call, call.param('provider'));
  return sendJson(call, {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
}

export async function readProviderKeys(context: AuthContext, call: Call): Promise<Response> {
  return sendJson(call, await context.testProvider.jwks());
}
