import { type JsonObject, readFlag, readMember, readObject, readText, readTexts } from '../http/call.ts';
import { invalid } from '../http/errors.ts';
import { isIpAddress, isWithin, type Network } from '../http/ip-address.ts';
import { type CustomProvider, customPrefix } from '../rows/custom-provider.ts';

type ProviderType = CustomProvider['provider_type'];

/** The fields that an administrator sets. An absent string is '', another absent field undefined. */
export interface CustomProviderParams {
  readonly type: string;
  readonly identifier: string;
  readonly clientSecret: string;
  /** Column values as the request gives them. */
  readonly values: Partial<CustomProvider>;
}

const urlColumns = {
  oidc: ['issuer', 'discovery_url'],
  oauth2: ['authorization_url', 'token_url', 'userinfo_url', 'jwks_uri'],
} as const;
const textColumns = ['name', 'client_id', ...urlColumns.oidc, ...urlColumns.oauth2] as const;
const listColumns = ['acceptable_client_ids', 'scopes', 'custom_claims_allowlist'] as const;
const flagColumns = ['pkce_enabled', 'enabled', 'email_optional', 'skip_nonce_check'] as const;
const objectColumns = ['attribute_mapping', 'authorization_params'] as const;

/** Request parameters that the service sets itself. */
const reservedParams: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'nonce',
]);

/** Fields of a user that no provider may set. */
const protectedFields: ReadonlySet<string> = new Set([
  'id',
  'aud',
  'role',
  'app_metadata',
  'created_at',
  'updated_at',
  'confirmed_at',
  'email_confirmed_at',
  'phone_confirmed_at',
  'email_verified',
  'phone_verified',
  'banned_until',
  'is_super_admin',
]);

const privateNetworks: readonly Network[] = [
  { address: '10.0.0.0', bits: 8 },
  { address: '172.16.0.0', bits: 12 },
  { address: '192.168.0.0', bits: 16 },
  { address: 'fc00::', bits: 7 },
];
const linkLocalNetworks: readonly Network[] = [
  { address: '169.254.0.0', bits: 16 },
  { address: 'fe80::', bits: 10 },
];
const loopbackNetworks: readonly Network[] = [{ address: '127.0.0.0', bits: 8 }];

const localNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1', '0.0.0.0', '::']);

/** Checks the URL of a provider; host names are not resolved. Throws 400 validation_failed. */
function checkProviderUrl(text: string): void {
  if (!URL.canParse(text)) throw invalid('Invalid URL format');
  const { protocol, hostname } = new URL(text);
  if (protocol !== 'https:') throw invalid('URL must use HTTPS');
  // `URL` takes the first part of the path for the host, where Go finds none.
  if (!/^https:\/\/[^/?#]/i.test(text)) throw invalid('URL must have a valid hostname');
  const host = hostname.replaceAll(/[[\]]/g, '');
  if (localNames.has(host) || host.endsWith('.localhost'))
    throw invalid('URL cannot point to localhost or loopback addresses');
  if (!isIpAddress(host)) return;
  if (isWithin(host, loopbackNetworks)) throw invalid('URL cannot resolve to loopback addresses');
  if (isWithin(host, privateNetworks)) throw invalid('URL cannot resolve to private network addresses');
  if (isWithin(host, linkLocalNetworks)) throw invalid('URL cannot resolve to link-local addresses');
}

/** Checks the URLs of a provider of this type. Throws 400 validation_failed. */
export function checkProviderUrls(type: ProviderType, values: Partial<CustomProvider>): void {
  for (const column of urlColumns[type]) {
    const url = values[column];
    if (url) checkProviderUrl(url);
  }
}

/** Rejects reserved parameters and protected fields. Throws 400 validation_failed. */
export function checkMappings(values: Partial<CustomProvider>): void {
  for (const [name, value] of Object.entries(values.authorization_params ?? {})) {
    if (reservedParams.has(name)) throw invalid(`Cannot override reserved OAuth parameter: ${name}`);
    if (typeof value !== 'string')
      throw invalid(`Authorization parameter ${JSON.stringify(name)} must be a string`);
  }
  const target = Object.keys(values.attribute_mapping ?? {}).find((name) => protectedFields.has(name));
  if (target !== undefined) throw invalid(`Cannot map to protected system field: ${target}`);
  if (values.custom_claims_allowlist?.some((name) => name.trim() === ''))
    throw invalid('custom_claims_allowlist entries must be non-empty strings');
}

/** Throws 400 validation_failed unless the identifier begins with `custom:`. */
export function checkIdentifier(identifier: string): void {
  if (!identifier.startsWith(customPrefix))
    throw invalid(`identifier must start with 'custom:' prefix, e.g. 'custom:${identifier}'`);
}

/** Checks that a new provider has the fields that its type requires. Throws 400 validation_failed. */
export function checkRequired(params: CustomProviderParams): asserts params is CustomProviderParams & {
  readonly type: ProviderType;
} {
  const { type, identifier, clientSecret, values } = params;
  if (type !== 'oauth2' && type !== 'oidc') throw invalid("provider_type must be either 'oauth2' or 'oidc'");
  if (identifier === '') throw invalid('identifier is required');
  checkIdentifier(identifier);
  if (!values.name) throw invalid('name is required');
  if (!values.client_id) throw invalid('client_id is required');
  if (clientSecret === '') throw invalid('client_secret is required');
  if (type === 'oidc' && !values.issuer) throw invalid('issuer is required for OIDC providers');
  if (type === 'oidc') return;
  for (const column of ['authorization_url', 'token_url', 'userinfo_url'] as const)
    if (!values[column]) throw invalid(`${column} is required for OAuth2 providers`);
}

const entriesOf = <K extends string, V>(
  names: readonly K[],
  read: (name: K) => V | undefined,
): readonly (readonly [K, V])[] =>
  names.flatMap((name) => {
    const value = read(name);
    return value === undefined ? [] : [[name, value] as const];
  });

/** Throws 400 bad_json. */
export function parseCustomProvider(body: JsonObject): CustomProviderParams {
  const isGiven = (name: string): boolean => (readMember(body, name) ?? null) !== null;
  const values = Object.fromEntries([
    ...entriesOf(textColumns, (name) => readText(body, name) || undefined),
    ...entriesOf(listColumns, (name) => readTexts(body, name)),
    ...entriesOf(flagColumns, (name) => (isGiven(name) ? readFlag(body, name) : undefined)),
    ...entriesOf(objectColumns, (name) => readObject(body, name)),
  ]) as Partial<CustomProvider>;
  return {
    type: readText(body, 'provider_type'),
    identifier: readText(body, 'identifier'),
    clientSecret: readText(body, 'client_secret'),
    values,
  };
}

/** Drops the fields that this type of provider does not have, and adds the scope `openid` that OpenID requires. */
export function valuesForType(
  type: ProviderType,
  { values, clientSecret }: CustomProviderParams,
): Partial<CustomProvider> {
  const others: readonly string[] =
    type === 'oidc' ? urlColumns.oauth2 : [...urlColumns.oidc, 'skip_nonce_check'];
  const { scopes } = values;
  const needsScope = type === 'oidc' && scopes !== undefined && !scopes.includes('openid');
  return {
    ...Object.fromEntries(Object.entries(values).filter(([name]) => !others.includes(name))),
    ...(needsScope && { scopes: ['openid', ...scopes] }),
    ...(clientSecret !== '' && { client_secret: clientSecret }),
  };
}
