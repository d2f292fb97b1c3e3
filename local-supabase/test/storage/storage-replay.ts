import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { compareResponses, describeResponse } from './storage-response.ts';
import type { WireResponse } from './storage-response.ts';
import type {
  RecordedResponse,
  RecordedBody,
  RecordedCaller,
  RecordedRequest,
  RecordedStep,
} from './recorded-request.ts';

/** The target of requests: a project's gateway and its database. */
export interface ReplayTarget {
  /** Without `/storage/v1`. */
  readonly url: string;
  readonly serviceKey: string;
  readonly anonKey: string;
  /** Signs users' tokens. */
  readonly jwtSecret: string;
  runSql(sql: string): Promise<void>;
}

export interface StorageReplay {
  /** Returns the response, or undefined for SQL. */
  send(step: RecordedStep): Promise<RecordedResponse | undefined>;
  /** Returns the differences between the response and the recorded one. */
  run(step: RecordedStep): Promise<readonly string[]>;
  close(): void;
}

const PREFIX = '/storage/v1';
export const EMPTY_STORAGE = 'truncate storage.objects, storage.buckets cascade';

export function createStorageReplay(target: ReplayTarget): StorageReplay {
  const agent = new Agent({ keepAlive: true });
  const responses = new Map<string, WireResponse>();
  const send = async (step: RecordedStep) => {
    if ('sql' in step) {
      await target.runSql(step.sql);
      return undefined;
    }
    const response = await sendRequest(target, agent, fillReferences(step, responses));
    responses.set(step.id, response);
    return describeResponse(response);
  };
  return {
    send,
    async run(step) {
      const response = await send(step);
      return response === undefined || 'sql' in step ? [] : compareResponses(step.response, response);
    },
    close: () => agent.destroy(),
  };
}

const REFERENCE = /\{\{(path|token|location|cursor):(\w+)\}\}/g;

function fillReferences(
  step: RecordedRequest,
  responses: ReadonlyMap<string, WireResponse>,
): RecordedRequest {
  const fill = (text: string) =>
    text.replaceAll(REFERENCE, (_, kind: string, id: string) => readReference(kind, responses.get(id)));
  return {
    ...step,
    path: fill(step.path),
    headers: Object.fromEntries(Object.entries(step.headers).map(([name, value]) => [name, fill(value)])),
    body: typeof step.body === 'string' ? fill(step.body) : step.body,
  };
}

function readReference(kind: string, response: WireResponse | undefined): string {
  const { body = '', headers = {} } = response ?? {};
  switch (kind) {
    case 'token':
      return /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(body)?.[0] ?? 'missing';
    case 'location':
      return (headers['location'] ?? '/missing').replace(/^https?:\/\/[^/]+(?:\/storage\/v1)?/, '');
    case 'cursor':
      return (JSON.parse(body) as { readonly nextCursor?: string }).nextCursor ?? 'missing';
    default: {
      const { signedURL, url } = JSON.parse(body) as { readonly signedURL?: string; readonly url?: string };
      const { pathname, search } = new URL(signedURL ?? url ?? '/missing', 'http://project.test');
      return pathname + search;
    }
  }
}

function bytesOf(body: RecordedBody): Buffer | undefined {
  if (body === null) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  return 'base64' in body
    ? Buffer.from(body.base64, 'base64')
    : Buffer.from(body.repeat.repeat(Math.ceil(body.length / body.repeat.length)).slice(0, body.length));
}

const SUBJECTS = {
  user: '11111111-1111-4111-8111-111111111111',
  other: '22222222-2222-4222-8222-222222222222',
} as const;

function callerHeaders(as: RecordedCaller, target: ReplayTarget): Readonly<Record<string, string>> {
  switch (as) {
    case null:
      return {};
    case 'service':
      return { apikey: target.serviceKey, authorization: `Bearer ${target.serviceKey}` };
    case 'anon':
      return { apikey: target.anonKey, authorization: `Bearer ${target.anonKey}` };
    case 'bad':
      return { apikey: target.anonKey, authorization: 'Bearer a.b.c' };
    case 'user':
    case 'other':
      return { apikey: target.anonKey, authorization: `Bearer ${signUser(SUBJECTS[as], target.jwtSecret)}` };
  }
}

function signUser(sub: string, secret: string): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub, role: 'authenticated', aud: 'authenticated', exp })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

function sendRequest(target: ReplayTarget, agent: Agent, step: RecordedRequest): Promise<WireResponse> {
  const { hostname, port } = new URL(target.url);
  const body = bytesOf(step.body);
  const headers: OutgoingHttpHeaders = { ...callerHeaders(step.as, target), ...step.headers };
  if (body !== undefined) headers['content-length'] ??= body.length;
  // Recorded paths may contain characters that a client encodes.
  const path = PREFIX + step.path.replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method: step.method, path, agent, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
          ),
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
