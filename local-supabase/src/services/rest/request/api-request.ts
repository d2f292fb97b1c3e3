import {
  invalidPath,
  invalidRpcMethod,
  limitOnPut,
  lowerAboveUpper,
  negativeLimit,
  openApiDisabled,
  unacceptableSchema,
  unsupportedMethod,
} from './errors.ts';
import type { QualifiedName } from '../catalog/catalog.ts';
import type { RestSettings } from '../settings.ts';
import { JSON_TYPE, parseAccept, parseMediaType } from './media-type.ts';
import type { MediaType } from './media-type.ts';
import { parsePayload } from './payload.ts';
import type { Payload } from './payload.ts';
import type { Preferences } from './preferences.ts';
import { parseQueryParams } from './query-params.ts';
import type { QueryParams } from './query-params.ts';
import { decodeComponent, parseQueryString } from './query-string.ts';
import {
  ALL_ROWS,
  NO_ROWS,
  intersect,
  isAllRows,
  isEmptyRange,
  isLimitZero,
  parseRangeHeader,
} from './row-range.ts';
import type { RowRange } from './row-range.ts';

/** A request, unparsed. Its path is relative to the REST root. */
export interface RawRequest {
  readonly method: string;
  /** Path and query, still percent-encoded. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

export type Mutation = 'create' | 'update' | 'single-upsert' | 'delete';

export type Action =
  | { readonly type: 'read'; readonly name: QualifiedName; readonly headersOnly: boolean }
  | { readonly type: 'mutate'; readonly name: QualifiedName; readonly mutation: Mutation }
  | {
      readonly type: 'call';
      readonly name: QualifiedName;
      readonly isGet: boolean;
      readonly headersOnly: boolean;
    }
  | { readonly type: 'describe-schema'; readonly headersOnly: boolean }
  | { readonly type: 'table-options'; readonly name: QualifiedName }
  | { readonly type: 'function-options'; readonly name: QualifiedName }
  | { readonly type: 'schema-options' };

export interface ApiRequest {
  readonly action: Action;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly schema: string;
  /** Whether the response contains the schema's name, because the request did. */
  readonly isSchemaNegotiated: boolean;
  readonly query: QueryParams;
  readonly ranges: ReadonlyMap<string, RowRange>;
  readonly topRange: RowRange;
  readonly payload: Payload | undefined;
  readonly columns: ReadonlySet<string>;
  readonly preferences: Preferences;
  readonly accept: readonly MediaType[];
  readonly contentType: MediaType;
}

/**
 * Parses an HTTP request. Each step throws PostgREST's error, in PostgREST's order.
 *
 * @throws {RestError}
 */
export function parseApiRequest(
  raw: RawRequest,
  { schemas, openApiMode, rootSpec }: RootSettings,
  preferences: Preferences,
): ApiRequest {
  const { method, target, headers, body } = raw;
  const header = (wanted: string) => headers.find(([name]) => name === wanted)?.[1];
  const [path, search] = splitOnce(target, '?');
  const resource = resolveRoot(parsePath(path), openApiMode, rootSpec);
  const { schema, isNegotiated } = chooseSchema(method, header, schemas);
  const action = chooseAction(resource, schema, method);
  const contentHeader = header('content-type');
  const contentType = contentHeader === undefined ? JSON_TYPE : parseMediaType(contentHeader);
  const isGetCall = action.type === 'call' ? action.isGet : false;
  const query = parseQueryParams(parseQueryString(search), isGetCall);
  const { ranges, topRange } = chooseRanges(method, query, header('range'));
  const isCall = action.type === 'call' && !action.isGet;
  const hasBody = isCall || (action.type === 'mutate' && action.mutation !== 'delete');
  const looksAtColumns = isCall || (action.type === 'mutate' && action.mutation !== 'single-upsert');
  const parsed = hasBody
    ? parsePayload(body, contentType, looksAtColumns ? query.columns : undefined, isCall)
    : undefined;
  return {
    action,
    method,
    path,
    headers,
    schema,
    isSchemaNegotiated: isNegotiated,
    query,
    ranges,
    topRange,
    payload: parsed?.payload,
    columns: parsed?.columns ?? new Set(),
    preferences,
    accept: parseAccept(header('accept')),
    contentType,
  };
}

function splitOnce(source: string, separator: string): readonly [string, string] {
  const index = source.indexOf(separator);
  return index < 0 ? [source, ''] : [source.slice(0, index), source.slice(index + 1)];
}

type Resource =
  | { readonly type: 'schema' }
  | { readonly type: 'relation'; readonly name: string }
  | { readonly type: 'function'; readonly name: string };

function parsePath(path: string): Resource {
  const bare = path.startsWith('/') ? path.slice(1) : path;
  if (bare === '') return { type: 'schema' };
  const segments = bare.split('/').map((segment) => decodeComponent(segment));
  const [first, second] = segments;
  if (second === undefined) return { type: 'relation', name: decodeComponent(bare) };
  if (segments.length === 2 && first === 'rpc') return { type: 'function', name: second };
  throw invalidPath();
}

type RootSettings = Pick<RestSettings, 'schemas' | 'openApiMode' | 'rootSpec'>;

/** Resolves `/`. */
function resolveRoot(
  resource: Resource,
  mode: RestSettings['openApiMode'],
  rootSpec: string | null,
): Resource {
  if (resource.type !== 'schema') return resource;
  if (mode === 'disabled') throw openApiDisabled();
  return rootSpec === null ? resource : { type: 'function', name: rootSpec };
}

type HeaderLookup = (name: string) => string | undefined;

function chooseSchema(method: string, header: HeaderLookup, schemas: readonly string[]) {
  const isWrite = ['DELETE', 'PATCH', 'POST', 'PUT'].includes(method);
  const profile = header(isWrite ? 'content-profile' : 'accept-profile');
  if (profile === undefined) return { schema: schemas[0] ?? '', isNegotiated: schemas.length !== 1 };
  if (!schemas.includes(profile)) throw unacceptableSchema(profile, schemas);
  return { schema: profile, isNegotiated: true };
}

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  POST: 'create',
  PUT: 'single-upsert',
  PATCH: 'update',
  DELETE: 'delete',
};

function chooseAction(resource: Resource, schema: string, method: string): Action {
  const headersOnly = method === 'HEAD';
  const isRead = headersOnly || method === 'GET';
  if (resource.type === 'schema') {
    if (isRead) return { type: 'describe-schema', headersOnly };
    if (method === 'OPTIONS') return { type: 'schema-options' };
    throw unsupportedMethod(method);
  }
  const name = { schema, name: resource.name };
  if (resource.type === 'function') {
    if (isRead || method === 'POST') return { type: 'call', name, isGet: isRead, headersOnly };
    if (method === 'OPTIONS') return { type: 'function-options', name };
    throw invalidRpcMethod(method);
  }
  if (isRead) return { type: 'read', name, headersOnly };
  if (method === 'OPTIONS') return { type: 'table-options', name };
  const mutation = Object.hasOwn(MUTATIONS, method) ? MUTATIONS[method] : undefined;
  if (!mutation) throw unsupportedMethod(method);
  return { type: 'mutate', name, mutation };
}

function chooseRanges(method: string, query: QueryParams, header: string | undefined) {
  const fromHeader = method === 'GET' ? parseRangeHeader(header) : ALL_ROWS;
  const fromQuery = query.ranges.get('limit') ?? ALL_ROWS;
  const both = intersect(fromHeader, fromQuery);
  const topRange = isLimitZero(fromQuery) ? NO_ROWS : both;
  if (isEmptyRange(topRange) && !isLimitZero(fromQuery)) {
    throw isEmptyRange(fromHeader) ? lowerAboveUpper() : negativeLimit();
  }
  if (method === 'PUT' && !isAllRows(topRange)) throw limitOnPut();
  return { topRange, ranges: new Map([...query.ranges, ['limit', topRange] as const]) };
}
