import { utf8Length } from '../../../platform/bytes.ts';
import {
  type Call,
  type JsonObject,
  parseFirstJson,
  readOptionalText,
  readText,
  readTexts,
} from '../http/call.ts';
import { invalid } from '../http/errors.ts';
import { type OAuthClient, type TokenAuthMethod, tokenAuthMethods } from '../rows/oauth-client.ts';
import type { Values } from '../rows/rows.ts';

type ClientType = OAuthClient['client_type'];

/** The fields of a registration or a change; absent ones are undefined, and `clientType` is ''. */
export interface OAuthClientParams {
  readonly redirectUris: readonly string[] | undefined;
  readonly grantTypes: readonly string[] | undefined;
  readonly name: string | undefined;
  readonly uri: string | undefined;
  readonly logoUri: string | undefined;
  readonly clientType: string;
  readonly authMethod: string | undefined;
}

const maxRedirectUris = 10;
const maxNameBytes = 1024;
const maxUriBytes = 2048;

/** Schemes that run code or read files in a browser. */
const unsafeSchemes: ReadonlySet<string> = new Set([
  'javascript',
  'data',
  'file',
  'vbscript',
  'about',
  'blob',
]);
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const knownGrants: ReadonlySet<string> = new Set(['authorization_code', 'refresh_token']);

/** The client type that an authentication method requires. */
const typeOf = (authMethod: string): ClientType => (authMethod === 'none' ? 'public' : 'confidential');

/** Prints a list as Go does. */
const printList = (items: readonly string[]): string => `[${items.join(' ')}]`;

const isAuthMethod = (text: string): text is TokenAuthMethod =>
  (tokenAuthMethods as readonly string[]).includes(text);

/** True for URLs that Go's parser rejects: control characters, or a `%` in the path without two hex digits. */
const isMalformed = (uri: string): boolean => /^:|\p{Cc}/u.test(uri) || /^[^?#]*%(?![\da-f]{2})/i.test(uri);

/** Returns what is wrong with a redirect URI (RFC 6749 section 3.1.2), or undefined. */
function findRedirectFault(uri: string): string | undefined {
  if (uri === '') return 'redirect URI cannot be empty';
  if (isMalformed(uri)) return 'invalid URL format';
  const [, scheme = '', authority = ''] = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)/i.exec(uri) ?? [];
  if (scheme === '' || authority === '') return 'must have scheme and host';
  if (!URL.canParse(uri)) return 'invalid URL format';
  const name = scheme.toLowerCase();
  if (unsafeSchemes.has(name)) return `scheme '${name}' is not allowed for security reasons`;
  const host = authority.replace(/^.*@/, '').replace(/:\d*$/, '');
  if (name === 'http' && !loopbackHosts.has(host)) return 'HTTP scheme only allowed for localhost';
  return new URL(uri).hash === '' ? undefined : 'fragment not allowed in redirect URI';
}

function checkRedirectUris(uris: readonly string[], isRequired: boolean): void {
  if (uris.length === 0) throw invalid(`redirect_uris ${isRequired ? 'is required' : 'cannot be empty'}`);
  if (uris.length > maxRedirectUris) throw invalid('redirect_uris cannot exceed 10 items');
  for (const uri of uris) {
    const fault = findRedirectFault(uri);
    if (fault !== undefined) throw invalid(`invalid redirect_uri '${uri}': ${fault}`);
  }
}

function checkGrantTypes(grants: readonly string[]): void {
  if (grants.length === 0) throw invalid('grant_types cannot be empty');
  if (grants.some((grant) => !knownGrants.has(grant)))
    throw invalid("grant_types must only contain 'authorization_code' and/or 'refresh_token'");
}

/** Checks the address of a page: an absolute URL or a path. */
function checkPage(name: string, uri: string): void {
  if (uri === '') return;
  if (utf8Length(uri) > maxUriBytes) throw invalid(`${name} cannot exceed 2048 characters`);
  if (!URL.canParse(uri) && !uri.startsWith('/')) throw invalid(`${name} must be a valid URL`);
}

function checkDescription({ name = '', uri = '', logoUri = '' }: OAuthClientParams): void {
  if (utf8Length(name) > maxNameBytes) throw invalid('client_name cannot exceed 1024 characters');
  checkPage('client_uri', uri);
  checkPage('logo_uri', logoUri);
}

/** A client's fields with the defaults of RFC 7591 section 2. */
export interface Registration {
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  readonly clientType: ClientType;
  readonly authMethod: TokenAuthMethod;
}

/** Checks and completes a registration. Throws 400 validation_failed. */
export function completeRegistration(params: OAuthClientParams): Registration {
  const { redirectUris = [], grantTypes = [], clientType, authMethod = '' } = params;
  checkRedirectUris(redirectUris, true);
  if (grantTypes.length > 0) checkGrantTypes(grantTypes);
  checkDescription(params);
  if (clientType !== '' && clientType !== 'public' && clientType !== 'confidential')
    throw invalid("client_type must be 'public' or 'confidential'");
  if (authMethod !== '' && !isAuthMethod(authMethod))
    throw invalid(`token_endpoint_auth_method must be one of: ${printList(tokenAuthMethods)}`);
  const needed = typeOf(authMethod);
  if (clientType !== '' && authMethod !== '' && clientType !== needed)
    throw invalid(
      `client_type '${clientType}' is inconsistent with token_endpoint_auth_method '${authMethod}' (expected client_type '${needed}')`,
    );
  const type = clientType || needed;
  return {
    redirectUris,
    grantTypes: grantTypes.length > 0 ? grantTypes : ['authorization_code', 'refresh_token'],
    clientType: type,
    authMethod: authMethod || (type === 'public' ? 'none' : 'client_secret_basic'),
  };
}

/** Checks a change of `client` and returns the changed columns. Throws 400 validation_failed. */
export function changesOfClient(client: OAuthClient, params: OAuthClientParams): Values {
  const { redirectUris, grantTypes, name, uri, logoUri, authMethod } = params;
  const fields = [redirectUris, grantTypes, name, uri, logoUri, authMethod];
  if (fields.every((field) => field === undefined)) throw invalid('No fields provided for update');
  if (redirectUris) checkRedirectUris(redirectUris, false);
  if (grantTypes) checkGrantTypes(grantTypes);
  checkDescription(params);
  if (authMethod !== undefined) checkAuthMethod(client.client_type, authMethod);
  return {
    ...(redirectUris && { redirect_uris: redirectUris.join(',') }),
    ...(grantTypes && { grant_types: grantTypes.join(',') }),
    ...(name !== undefined && { client_name: name || null }),
    ...(uri !== undefined && { client_uri: uri || null }),
    ...(logoUri !== undefined && { logo_uri: logoUri || null }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  };
}

function checkAuthMethod(type: ClientType, authMethod: string): void {
  if (!isAuthMethod(authMethod))
    throw invalid(`invalid token_endpoint_auth_method: must be one of ${printList(tokenAuthMethods)}`);
  if (typeOf(authMethod) === type) return;
  const possible = printList(tokenAuthMethods.filter((method) => typeOf(method) === type));
  throw invalid(
    `token_endpoint_auth_method '${authMethod}' is not valid for client_type '${type}'; valid methods: ${possible}`,
  );
}

/** Reads the body of a registration or a change. Throws 400 bad_json. */
export const readOAuthClientParams = async (call: Call): Promise<OAuthClientParams> =>
  parseFirstJson(call, parseParams, 'Invalid JSON body');

function parseParams(body: JsonObject): OAuthClientParams {
  return {
    redirectUris: readTexts(body, 'redirect_uris'),
    grantTypes: readTexts(body, 'grant_types'),
    name: readOptionalText(body, 'client_name'),
    uri: readOptionalText(body, 'client_uri'),
    logoUri: readOptionalText(body, 'logo_uri'),
    clientType: readText(body, 'client_type'),
    authMethod: readOptionalText(body, 'token_endpoint_auth_method'),
  };
}
