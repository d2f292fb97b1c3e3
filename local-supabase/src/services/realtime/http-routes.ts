import { decodePercent, decodeUtf8, encodeUtf8 } from '../../platform/bytes.ts';
import { sortMembers } from '../../platform/json.ts';
import type { TokenKeys } from '../../keys/keys.ts';
import { exceedsPayloadLimit } from './channel/payload-size.ts';
import type { EvaluatePermissions } from './channel/permissions.ts';
import { roomName } from './channel/rooms.ts';
import { parsePersistence, type Persistence, type StoredMessages } from './channel/stored-messages.ts';
import type { Rooms } from './channel/rooms.ts';
import type { ChannelClaims, CheckToken } from './subscription/tokens.ts';
import { legacyToken } from './subscription/tokens.ts';
import { BLANK, parseBatch } from './http-batch.ts';
import { isRecord } from './subscription/term.ts';
import type { RateCounter } from './rate-counter.ts';
import type { RealtimeSettings } from './settings.ts';

const BASE = '/realtime/v1/api';

export interface HttpRoutesContext {
  readonly keys: TokenKeys;
  readonly settings: () => RealtimeSettings;
  readonly checkToken: CheckToken;
  readonly permissions: EvaluatePermissions;
  readonly rooms: Rooms;
  readonly messages: RateCounter;
  readonly requests: RateCounter;
  readonly stored: StoredMessages;
}

/** The HTTP routes: broadcasts of clients without a socket, and health. */
export async function handleHttp(context: HttpRoutesContext, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const { method } = request;
  if (method === 'GET' && (pathname === `${BASE}/ping` || pathname.endsWith('/health'))) {
    return json(200, { message: 'Success' });
  }
  const single = /^\/realtime\/v1\/api\/broadcast\/([^/]+)\/events\/([^/]+)$/.exec(pathname);
  if (method !== 'POST' || (pathname !== `${BASE}/broadcast` && !single)) return text(404, 'Not Found');
  const body = single ? await readSingleBody(request) : await readBatchBody(request);
  if (body instanceof Response) return body;
  const rate = rateOf(context);
  const response = rate.isExceeded
    ? tooMany('Too many requests')
    : await broadcast(context, request, single, body);
  for (const [name, value] of Object.entries(rate.headers)) response.headers.set(name, String(value));
  return response;
}

/** The average of requests in a second, which the real server reports, and limits to that of messages. */
function rateOf({ settings, requests }: HttpRoutesContext) {
  requests.add();
  const limit = settings().maxEventsPerSecond;
  const rolling = Math.trunc(requests.average);
  const headers = {
    'x-rate-rolling': rolling,
    'x-rate-limit': limit,
    'x-rate-limit-remaining': limit - rolling,
  };
  return { isExceeded: rolling >= limit, headers: Number.isFinite(limit) ? headers : {} };
}

async function broadcast(
  context: HttpRoutesContext,
  request: Request,
  single: RegExpExecArray | null,
  body: unknown,
): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const claims = await readClaims(context, request);
  if (!claims) return json(401, { message: 'Unauthorized' });
  if (context.settings().suspended) return json(403, { message: 'Tenant is suspended' });
  if (!single) return broadcastBatch(context, claims, body);
  const [topic = '', event = ''] = single.slice(1).map((part) => decodeUtf8(decodePercent(part)));
  return broadcastSingle(context, claims, {
    topic,
    event,
    isPrivate: searchParams.get('private') === 'true',
    persistence: parsePersistence(searchParams.get('persist'), searchParams.get('persist[ttl]')),
    body,
  });
}

async function readClaims(
  { keys, checkToken }: HttpRoutesContext,
  { headers }: Request,
): Promise<ChannelClaims | null> {
  const bearer = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const checked = await checkToken(legacyToken(keys, bearer ?? headers.get('apikey') ?? ''));
  return checked.ok ? checked.claims : null;
}

async function broadcastBatch(
  context: HttpRoutesContext,
  claims: ChannelClaims,
  body: unknown,
): Promise<Response> {
  const { settings, permissions, rooms, messages: counter } = context;
  const { maxPayloadKb, maxEventsPerSecond } = settings();
  const batch = parseBatch(body, maxPayloadKb);
  if (!batch.ok) return json(422, { errors: { messages: batch.errors } });
  const { messages } = batch;
  if (counter.average > maxEventsPerSecond) return tooMany('You have exceeded your rate limit');
  if (messages.length + counter.average > maxEventsPerSecond)
    return tooMany('Too many messages to broadcast, please reduce the batch size');
  // Send public messages first, and drop a private message without permission without an error.
  for (const message of messages.toSorted((a, b) => Number(a.isPrivate) - Number(b.isPrivate))) {
    const { topic, event, payload, isPrivate, id } = message;
    if (!(await permissions(claims, topic, isPrivate)).broadcast.write) continue;
    counter.add();
    const meta = id === undefined ? {} : { meta: { id } };
    const content = JSON.stringify({ type: 'broadcast', event, payload, ...meta });
    rooms.broadcast(roomName(topic, isPrivate), { id, content });
  }
  return accepted();
}

interface SingleBroadcast {
  readonly topic: string;
  readonly event: string;
  readonly isPrivate: boolean;
  /** How long the message is kept for replay; null: it is not kept. */
  readonly persistence: Persistence | null;
  /** Parsed JSON, or bytes. */
  readonly body: unknown;
}

async function broadcastSingle(
  { settings, permissions, rooms, messages: counter, stored }: HttpRoutesContext,
  claims: ChannelClaims,
  { topic, event, isPrivate, persistence, body }: SingleBroadcast,
): Promise<Response> {
  const { maxPayloadKb, maxEventsPerSecond } = settings();
  const errors = {
    ...(topic.trim() === '' && { topic: [BLANK] }),
    ...(event.trim() === '' && { event: [BLANK] }),
    ...(exceedsPayloadLimit(body, maxPayloadKb) && { payload: ['Payload size exceeds tenant limit'] }),
  };
  if (Object.keys(errors).length > 0) return json(422, { errors });
  if (counter.average >= maxEventsPerSecond) return tooMany('You have exceeded your rate limit');
  if (isPrivate && typeof claims.role !== 'string')
    return json(500, { message: 'Unable to authorize broadcast' });
  if (!(await permissions(claims, topic, isPrivate)).broadcast.write) {
    return json(403, { message: 'Unauthorized' });
  }
  if (persistence && !isPrivate)
    return json(422, { errors: { persist: ['Only a private channel stores messages'] } });
  counter.add();
  // As the real server does, encode JSON with members sorted by key.
  const content =
    body instanceof Uint8Array
      ? ({ event, encoding: 'binary', data: body } as const)
      : ({ event, encoding: 'json', data: encodeUtf8(JSON.stringify(sortMembers(body))) } as const);
  const payload = content.encoding === 'binary' ? content.data : decodeUtf8(content.data);
  const id = persistence ? await stored.store({ topic, event, payload }, persistence) : undefined;
  if (id === null) return json(422, { errors: { payload: ['PostgreSQL cannot store the message'] } });
  rooms.broadcast(roomName(topic, isPrivate), {
    id,
    content: { ...content, ...(id !== undefined && { id }) },
  });
  return accepted();
}

/** Reads the body of a single broadcast, as bytes or JSON by its media type, or returns the error response. */
async function readSingleBody(request: Request): Promise<unknown> {
  const type = mediaType(request);
  if (type === 'application/octet-stream') return new Uint8Array(await request.arrayBuffer());
  if (type === null || type === 'application/json') return readJsonBody(request);
  return json(415, {
    error: 'Unsupported Media Type. Use application/json or application/octet-stream',
  });
}

/**
 * Reads the body of a batch, JSON or a form, over the parameters of the query. As on the real server, any other media type
 * counts as an empty body.
 */
async function readBatchBody(request: Request): Promise<unknown> {
  const type = mediaType(request) ?? '';
  const body = type === 'application/json' ? await readJsonBody(request) : await readForm(request, type);
  if (body instanceof Response) return body;
  return { ...nestEntries(new URL(request.url).searchParams), ...body };
}

async function readForm(request: Request, type: string): Promise<Response | Record<string, unknown>> {
  if (!FORMS.has(type)) return {};
  return request.formData().then(nestEntries, () => text(400, 'Bad Request'));
}

const FORMS: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

/** As on the real server, nests values by the brackets of their names: `a[b][c]`, and lists as `a[]`. */
const nestEntries = (entries: Iterable<readonly [string, unknown]>) =>
  Array.from(entries).reduce<unknown>(
    (form, [name, value]) => place(form, name.replaceAll(']', '').split('['), value),
    {},
  ) as Record<string, unknown>;

function place(target: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (key === '') return Array.isArray(target) ? [...(target as unknown[]), value] : [value];
  const record = isRecord(target) ? target : {};
  return { ...record, [key]: place(record[key], rest, value) };
}

const mediaType = ({ headers }: Request): string | null =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null;

/**
 * Parses the JSON of a request (an empty object without a body), or returns the error response. As on the real server,
 * JSON that is not an object becomes its member `_json`.
 */
async function readJsonBody(request: Request): Promise<Response | Record<string, unknown>> {
  const body = await request.text();
  try {
    const parsed: unknown = body === '' ? {} : JSON.parse(body);
    return isRecord(parsed) ? parsed : { _json: parsed };
  } catch {
    return text(400, 'Bad Request');
  }
}

const tooMany = (message: string): Response => json(429, { message });
const accepted = (): Response => new Response(null, { status: 202 });

const json = (status: number, body: object): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });

const text = (status: number, body: string): Response =>
  new Response(body, { status, headers: { 'content-type': 'text/html; charset=utf-8' } });
