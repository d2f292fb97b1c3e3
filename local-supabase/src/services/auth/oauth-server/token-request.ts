import { decodeBase64 } from '../../../platform/base64.ts';
import { decodeUtf8 } from '../../../platform/bytes.ts';
import type { AuthContext } from '../context.ts';
import { type Call, type JsonObject, readText, readParam } from '../http/call.ts';
import { type AuthHttpError, badRequest, OAuthError } from '../http/errors.ts';
import {
  findOAuthClient,
  isClientSecret,
  type OAuthClient,
  type TokenAuthMethod,
} from '../rows/oauth-client.ts';
import { isUuid } from '../rows/rows.ts';

interface Credentials {
  readonly clientId: string;
  readonly secret: string;
  readonly method: TokenAuthMethod;
}

/** The parameters of POST /oauth/token. A missing one is ''. */
export interface TokenParams {
  readonly grantType: string;
  readonly code: string;
  readonly refreshToken: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  readonly resource: string;
}

const refuse = (message: string, cause?: unknown): AuthHttpError =>
  badRequest('invalid_credentials', message, cause);
const malformed = (detail: string, cause?: unknown): AuthHttpError =>
  refuse(`Invalid client credentials: ${detail}`, cause);

const contentTypeOf = (call: Call): string => readParam(call.request.headers, 'content-type');
const isJson = (call: Call): boolean => contentTypeOf(call).includes('application/json');

/** Drops the pairs of a form that Go rejects: those with a semicolon or a broken escape. */
const cleanForm = (text: string): string =>
  text
    .split('&')
    .filter((pair) => !/;|%(?![\da-f]{2})/i.test(pair))
    .join('&');

/** The parameters of a form; the query supplies missing ones. */
async function readForm(call: Call): Promise<URLSearchParams> {
  const isForm = contentTypeOf(call).toLowerCase().startsWith('application/x-www-form-urlencoded');
  const body = isForm ? await call.text() : '';
  return new URLSearchParams(`${cleanForm(body)}&${cleanForm(call.url.search.slice(1))}`);
}

/** Credentials of an `Authorization: Basic` header (RFC 6749 section 2.3.1), which GoTrue does not percent-decode. */
function parseBasic(encoded: string): Credentials {
  if (!/^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i.test(encoded))
    throw malformed('invalid basic auth encoding');
  const [, clientId, secret] = /^([^:]*):(.*)$/s.exec(decodeUtf8(decodeBase64(encoded))) ?? [];
  if (clientId === undefined || secret === undefined) throw malformed('invalid basic auth format');
  return { clientId, secret, method: 'client_secret_basic' };
}

async function readBodyCredentials(call: Call): Promise<readonly [clientId: string, secret: string]> {
  if (!isJson(call)) {
    const form = await readForm(call);
    return [readParam(form, 'client_id'), readParam(form, 'client_secret')];
  }
  try {
    const body = await call.json();
    return [readText(body, 'client_id'), readText(body, 'client_secret')];
  } catch (error) {
    throw malformed('failed to parse JSON body', error);
  }
}

async function readCredentials(call: Call): Promise<Credentials> {
  const authorization = readParam(call.request.headers, 'authorization');
  if (authorization.startsWith('Basic ')) return parseBasic(authorization.slice('Basic '.length));
  const [clientId, secret] = await readBodyCredentials(call);
  if (clientId === '') throw malformed('client_id is required');
  return { clientId, secret, method: secret === '' ? 'none' : 'client_secret_post' };
}

function checkSecret(client: OAuthClient, { secret, method }: Credentials): void {
  const registered = client.token_endpoint_auth_method;
  if (method !== registered)
    throw refuse(
      `invalid authentication method: client is registered for '${registered}' but '${method}' was used`,
    );
  if (client.client_type === 'public') return;
  if (secret === '') throw refuse('confidential clients must provide client_secret');
  if (!isClientSecret(client, secret)) throw refuse('invalid client credentials');
}

/** Authenticates the client of a token request; null without a client id. Throws 400 invalid_credentials. */
export async function authenticateClient(context: AuthContext, call: Call): Promise<OAuthClient | null> {
  const credentials = await readCredentials(call);
  if (credentials.clientId === '') return null;
  if (!isUuid(credentials.clientId)) throw refuse('Invalid client_id format');
  const client = await findOAuthClient(context.database, credentials.clientId);
  if (client === undefined) throw refuse('Invalid client credentials');
  checkSecret(client, credentials);
  return client;
}

const parseParams = (read: (name: string) => string): TokenParams => ({
  grantType: read('grant_type'),
  code: read('code'),
  refreshToken: read('refresh_token'),
  redirectUri: read('redirect_uri'),
  codeVerifier: read('code_verifier'),
  resource: read('resource'),
});

const readJsonParams = (body: JsonObject): TokenParams => parseParams((name) => readText(body, name));

/** Reads the parameters of a token request. GoTrue reads `resource` from JSON only. Throws OAuth invalid_request. */
export async function readTokenParams(call: Call): Promise<TokenParams> {
  if (!isJson(call)) {
    const form = await readForm(call);
    return { ...parseParams((name) => readParam(form, name)), resource: '' };
  }
  return call
    .firstJson()
    .then(readJsonParams)
    .catch((cause: unknown) => {
      throw new OAuthError('invalid_request', 'Invalid JSON body', { cause });
    });
}
