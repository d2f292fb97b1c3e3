import { decodeLatin1, encodeUtf8 } from '../../../platform/bytes.ts';
import type { DatabasePlan } from '../plan/plan-request.ts';
import { shownName, type ReadNode } from '../plan/read-plan.ts';
import { RELEASES, type RestSettings } from '../settings.ts';
import type { ResultRow } from '../transaction.ts';
import { returnsVoid } from '../catalog/catalog.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { contentTypeOf } from '../request/media-type.ts';
import { preferenceApplied } from '../request/preferences.ts';
import type { Preferences } from '../request/preferences.ts';
import {
  errorText,
  invalidResponseHeaders,
  invalidResponseStatus,
  offsetOutOfBounds,
} from '../request/errors.ts';
import type { RestError } from '../request/errors.ts';

type Header = readonly [name: string, value: string];

/** An HTTP response. Header names are in lower case. */
export interface RestResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array;
}

export function errorResponse(error: RestError): RestResponse {
  return {
    status: error.status,
    headers: [
      ['content-type', 'application/json; charset=utf-8'],
      ['proxy-status', `PostgREST; error=${error.body.code}`],
      ...error.headers.map(([name, value]) => [name.toLowerCase(), value] as const),
    ],
    body: errorText(error.body),
  };
}

export const optionsResponse = (allow: string): RestResponse => ({
  status: 200,
  headers: [['allow', allow]],
  body: '',
});

/** For version 16, adds the `Vary` header and a warning. */
export function inVersion(
  version: RestSettings['version'],
  response: RestResponse,
  warning?: string,
): RestResponse {
  if (version === 14) return response;
  const hasVary = response.headers.some(([name]) => name.toLowerCase() === 'vary');
  const headers: Header[] = [
    ...response.headers,
    ...(warning === undefined ? [] : [['warning', warning] as const]),
    ...(hasVary ? [] : [['vary', 'Accept, Prefer, Range'] as const]),
  ];
  return { ...response, headers };
}

/** @returns the header `Warning` if parameters refer to embedded relations by name although they have an alias. */
export function targetNameWarning(root: ReadNode): string | undefined {
  const renamed = (node: ReadNode): string[] => [
    ...(node.isNamedByTarget ? [`\`${node.name}\` to \`${shownName(node)}\``] : []),
    ...node.children.flatMap(renamed),
  ];
  const names = renamed(root).join(', ');
  if (names === '') return undefined;
  const text =
    'Embedded resource was referenced by relation name even though it has an alias. ' +
    `This is deprecated and will stop working in a future release. Update ${names} in query string filters, orders or limits.`;
  return headerText(`299 PostgRESTv${RELEASES[16]} "${text}"`);
}

/** @throws {RestError} if the status or headers that the function set are invalid. */
export function respondToRequest(plan: DatabasePlan, request: ApiRequest, row: ResultRow): RestResponse {
  const response = plainResponse(plan, request, row);
  return withOwnHeaders(response, row);
}

function plainResponse(plan: DatabasePlan, request: ApiRequest, row: ResultRow): RestResponse {
  if (plan.mediaType.type === 'plan')
    return { status: 200, headers: contentHeaders(plan, request), body: row.body };
  switch (plan.type) {
    case 'read':
      return respondToRead(plan, request, row);
    case 'call':
      return respondToCall(plan, request, row);
    case 'write':
      return respondToWrite(plan, request, row);
  }
}

function respondToRead(
  plan: Extract<DatabasePlan, { type: 'read' }>,
  request: ApiRequest,
  row: ResultRow,
): RestResponse {
  const { canonical } = request.query;
  const range = responseRange(request, row);
  return {
    status: range.status,
    headers: [
      ['content-range', range.contentRange],
      ['content-location', headerText(`/${plan.table.name}${canonical === '' ? '' : `?${canonical}`}`)],
      ...contentHeaders(plan, request),
      ...applied(request, {}),
    ],
    body: range.error ?? (plan.headersOnly ? '' : row.body),
  };
}

function respondToCall(
  plan: Extract<DatabasePlan, { type: 'call' }>,
  request: ApiRequest,
  row: ResultRow,
): RestResponse {
  const range = responseRange(request, row);
  const { maxAffected } = request.preferences;
  const headers: Header[] = [['content-range', range.contentRange], ...applied(request, { maxAffected })];
  if (returnsVoid(plan.routine)) return { status: 204, headers, body: '' };
  return {
    status: range.status,
    headers: [...headers, ...contentHeaders(plan, request)],
    body: plan.headersOnly ? '' : (range.error ?? row.body),
  };
}

function respondToWrite(
  plan: Extract<DatabasePlan, { type: 'write' }>,
  request: ApiRequest,
  row: ResultRow,
): RestResponse {
  const { representation, resolution, missing, maxAffected, count } = request.preferences;
  const isFull = representation === 'representation';
  const isCounted = count === 'exact' || count === 'estimated';
  const total = isCounted ? row.pageTotal : null;
  const content = isFull ? contentHeaders(plan, request) : [];
  const body = isFull ? row.body : '';
  switch (plan.mutation) {
    case 'create': {
      const hasTarget =
        (plan.write.type === 'insert' && plan.write.primaryKey.length > 0) ||
        request.query.onConflict !== undefined;
      const isMergeOnly = resolution === 'merge-duplicates' && (row.inserted ?? 0) <= 0;
      return {
        status: isMergeOnly ? 200 : 201,
        headers: [
          ...locationHeader(plan.table.name, row.location),
          ['content-range', contentRange(1n, 0n, total)],
          ...applied(request, { resolution: hasTarget ? resolution : undefined, representation, missing }),
          ...content,
        ],
        body,
      };
    }
    case 'single-upsert': {
      const status = row.inserted !== null && row.inserted > 0 ? 201 : 200;
      return {
        status: isFull ? status : 204,
        headers: [...content, ...applied(request, { representation })],
        body,
      };
    }
    case 'update':
    case 'delete': {
      const isUpdate = plan.mutation === 'update';
      const range = isUpdate ? contentRange(0n, row.pageTotal - 1n, total) : contentRange(1n, 0n, total);
      const others = { representation, maxAffected, ...(isUpdate && { missing }) };
      return {
        status: isFull ? 200 : 204,
        headers: [['content-range', range], ...applied(request, others), ...content],
        body,
      };
    }
  }
}

function locationHeader(table: string, location: readonly (readonly [string, string])[]): Header[] {
  if (location.length === 0) return [];
  const query = location.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
  return [['location', `/${table}?${query}`]];
}

const percentEncode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function contentHeaders({ mediaType }: DatabasePlan, request: ApiRequest): Header[] {
  return [['content-type', contentTypeOf(mediaType)], ...profileHeader(request)];
}

export const profileHeader = ({ isSchemaNegotiated, schema }: ApiRequest): Header[] =>
  isSchemaNegotiated ? [['content-profile', schema]] : [];

/** @param others preferences that only some actions apply. */
function applied({ preferences }: ApiRequest, others: Partial<Preferences>): Header[] {
  const { count, transaction, handling, timezone } = preferences;
  const value = preferenceApplied({ count, transaction, handling, timezone, ...others });
  return value === undefined ? [] : [['preference-applied', value]];
}

function responseRange({ topRange }: ApiRequest, { pageTotal, total }: ResultRow) {
  const first = topRange.first;
  const last = first + pageTotal - 1n;
  const isOutside = total !== null && first > total;
  return {
    status: isOutside ? 416 : total !== null && pageTotal < total ? 206 : 200,
    contentRange: contentRange(first, last, total),
    error: isOutside ? errorText(offsetOutOfBounds(first, total).body) : undefined,
  };
}

function contentRange(first: bigint, last: bigint, total: bigint | null): string {
  const rows = total !== 0n && first <= last ? `${first}-${last}` : '*';
  return `${rows}/${total ?? '*'}`;
}

/** Encodes non-ASCII characters as UTF-8 bytes. */
const headerText = (text: string): string => decodeLatin1(encodeUtf8(text));

/** Applies the status in `response.status` and the headers in `response.headers`, which functions set. */
function withOwnHeaders(
  response: RestResponse,
  { responseStatus, responseHeaders }: ResultRow,
): RestResponse {
  const status = responseStatus === null ? response.status : readStatus(responseStatus);
  const own = responseHeaders === null ? [] : readHeaders(responseHeaders);
  const names = new Set(own.map(([name]) => name));
  return { ...response, status, headers: [...response.headers.filter(([name]) => !names.has(name)), ...own] };
}

function readStatus(source: string): number {
  const [digits] = /^\d+/.exec(source) ?? [];
  if (digits === undefined) throw invalidResponseStatus();
  return Number(digits);
}

function readHeaders(source: string): Header[] {
  try {
    const list = JSON.parse(source) as unknown;
    if (!Array.isArray(list)) throw invalidResponseHeaders();
    return list.map((one: unknown): Header => {
      const [first, second] =
        typeof one === 'object' && one !== null && !Array.isArray(one) ? Object.entries(one) : [];
      if (!first || second || typeof first[1] !== 'string') throw invalidResponseHeaders();
      return [first[0].toLowerCase(), headerText(first[1])];
    });
  } catch {
    throw invalidResponseHeaders();
  }
}
