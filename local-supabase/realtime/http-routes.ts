import type { AskPermissions } from './channel/permissions.ts';
import type { ChannelClaims, CheckToken } from './channel/tokens.ts';
import { legacyToken } from './channel/tokens.ts';
import type { TokenKeys } from '../keys/keys.ts';
import { roomName } from './channel/rooms.ts';
import type { Rooms } from './channel/rooms.ts';
import { isRecord } from './socket/wire.ts';

const BASE = '/realtime/v1/api';

export interface HttpRoutesContext {
  readonly keys: TokenKeys;
  readonly checkToken: CheckToken;
  readonly permissions: AskPermissions;
  readonly rooms: Rooms;
}

/** The service's plain HTTP: broadcasts from outside, and its health. */
export async function handleHttp(context: HttpRoutesContext, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const { method } = request;
  if (method === 'GET' && (pathname === `${BASE}/ping` || pathname.endsWith('/health'))) {
    return Response.json({ message: 'Success' });
  }
  const single = /^\/realtime\/v1\/api\/broadcast\/([^/]+)\/events\/([^/]+)$/.exec(pathname);
  if (method !== 'POST' || (pathname !== `${BASE}/broadcast` && !single)) {
    return Response.json({ message: 'Not found' }, { status: 404 });
  }
  const claims = await readClaims(context, request);
  if (!claims) return Response.json({ message: 'Unauthorized' }, { status: 401 });
  if (!single) return broadcastBatch(context, claims, await readJson(request));
  const [topic, event] = single.slice(1).map(decodePart);
  if (topic === undefined || event === undefined)
    return Response.json({ message: 'Bad request' }, { status: 400 });
  const isPrivate = searchParams.get('private') === 'true';
  if (!(await mayWrite(context, claims, topic, isPrivate))) return accepted();
  const room = roomName(topic, isPrivate);
  if (request.headers.get('content-type')?.startsWith('application/octet-stream')) {
    const data = Buffer.from(await request.arrayBuffer());
    context.rooms.broadcast(room, { event, encoding: 'binary', data });
  } else {
    context.rooms.broadcast(room, broadcastText(event, await readJson(request)));
  }
  return accepted();
}

async function readClaims(
  { keys, checkToken }: HttpRoutesContext,
  { headers }: Request,
): Promise<ChannelClaims | null> {
  const bearer = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const checked = await checkToken(legacyToken(keys, bearer ?? headers.get('apikey') ?? ''));
  return checked.ok ? checked.claims : null;
}

/** As on the real server, what may not be sent is accepted and dropped. */
async function mayWrite(
  { permissions }: HttpRoutesContext,
  claims: ChannelClaims,
  topic: string,
  isPrivate: boolean,
): Promise<boolean> {
  return (await permissions(claims, topic, isPrivate)).broadcast.write;
}

async function broadcastBatch(
  context: HttpRoutesContext,
  claims: ChannelClaims,
  body: unknown,
): Promise<Response> {
  const messages = isRecord(body) && Array.isArray(body['messages']) ? (body['messages'] as unknown[]) : null;
  if (!messages) return invalid({ messages: ["can't be blank"] });
  const faults = messages.map((message) => faultsOf(message));
  if (faults.some((fault) => Object.keys(fault).length > 0)) return invalid({ messages: faults });
  for (const message of messages.filter(isRecord)) {
    const [topic, isPrivate] = [String(message['topic']), message['private'] === true];
    if (!(await mayWrite(context, claims, topic, isPrivate))) continue;
    const text = broadcastText(String(message['event']), message['payload'], message['id']);
    context.rooms.broadcast(roomName(topic, isPrivate), text);
  }
  return accepted();
}

function faultsOf(message: unknown): Record<string, string[]> {
  const record = isRecord(message) ? message : {};
  const text = ['topic', 'event'].filter(
    (field) => typeof record[field] !== 'string' || record[field] === '',
  );
  const missing = isRecord(record['payload']) ? text : [...text, 'payload'];
  return Object.fromEntries(missing.map((field) => [field, ["can't be blank"]]));
}

const broadcastText = (event: string, payload: unknown, id?: unknown): string =>
  JSON.stringify({ type: 'broadcast', event, payload, ...(typeof id === 'string' ? { meta: { id } } : {}) });

/** Undefined for what no text was encoded to. */
function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

const accepted = (): Response => new Response('', { status: 202 });
const invalid = (errors: object): Response => Response.json({ errors }, { status: 422 });

async function readJson(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    return null;
  }
}
