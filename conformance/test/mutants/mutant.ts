import type { LocalSupabase, LocalSupabaseOptions } from 'local-supabase';
import type { ServerArea } from '../../src/audit/audit.ts';
import type { Frame } from '../../src/target/frames.ts';

/** A server with one fault, which audits must detect. */
export interface ServerMutant {
  /** Completes "A server that …". */
  readonly name: string;
  /** The broken feature, for the table. */
  readonly subject: string;
  readonly area: ServerArea;
  /** The sections with the audits to try before the whole area: `auth#pkce`. */
  readonly sections: readonly string[];
  readonly fetch?: FetchFault;
  /** Called for each connection. */
  readonly frames?: () => FrameFault;
  /** Changes the WebSocket's URL. */
  readonly handshake?: (url: URL, supabase: LocalSupabase) => void;
  /** Statements that break the database, and those that restore it. */
  readonly sql?: readonly [broken: string, sound: string];
  readonly settings?: Pick<LocalSupabaseOptions, 'auth' | 'realtime' | 'rest'>;
  /** Why no audit can detect it. */
  readonly survives?: string;
}

export type Send = (url: string, init: RequestInit) => Promise<Response>;
export type FetchFault = (send: Send, supabase: LocalSupabase) => Send;

export interface FrameFault {
  readonly toClient?: (frame: Frame) => readonly Frame[];
  readonly toServer?: (frame: Frame) => readonly Frame[];
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export const mutantsOf =
  (area: ServerArea, subject: string, sections: string) =>
  (name: string, fault: Omit<ServerMutant, 'name' | 'subject' | 'area' | 'sections'>): ServerMutant => ({
    name,
    subject,
    area,
    sections: sections.split(' '),
    ...fault,
  });

/** Returns `json` with another value at a path; undefined removes it. */
export function patch(json: Json, path: string, value: Json | undefined): Json {
  const [step = '', ...rest] = path.split('.');
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) {
    const list = json as readonly Json[];
    return list.map((item, index) =>
      step === '*' || String(index) === step
        ? rest.length > 0
          ? patch(item, rest.join('.'), value)
          : (value ?? null)
        : item,
    );
  }
  const members = json as Readonly<Record<string, Json>>;
  if (rest.length > 0)
    return step in members
      ? { ...members, [step]: patch(members[step] ?? null, rest.join('.'), value) }
      : json;
  if (value !== undefined) return { ...members, [step]: value };
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== step));
}

export function valueAt(json: Json | undefined, path: string): Json | undefined {
  let found: Json | undefined = json;
  for (const step of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string, Json>>)[step];
  }
  return found;
}

export function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export const sentJson = ({ body }: RequestInit): Json | undefined =>
  typeof body === 'string' ? parse(body) : undefined;

/** The string at a path of JSON; empty if absent. */
export const textAt = (json: Json | undefined, path: string): string => {
  const found = valueAt(json, path);
  return typeof found === 'string' ? found : '';
};

export interface ChangeableResponse {
  status: number;
  readonly headers: Headers;
  text: string;
}

const label = (url: string, init: RequestInit) => {
  const { pathname, search } = new URL(url);
  return `${init.method ?? 'GET'} ${pathname}${search}`;
};

/** Changes responses that match by method, path, query and status: `POST /auth/v1/token?grant_type=password 400`. */
export const onResponse =
  (
    match: RegExp,
    change: (changed: ChangeableResponse, init: RequestInit, url: string, supabase: LocalSupabase) => unknown,
  ): FetchFault =>
  (send, supabase) =>
  async (url, init) => {
    const response = await send(url, init);
    if (!match.test(`${label(url, init)} ${response.status}`)) return response;
    const headers = new Headers(response.headers);
    headers.delete('content-length');
    const changed: ChangeableResponse = { status: response.status, headers, text: await response.text() };
    await change(changed, init, url, supabase);
    const isBodiless = [204, 205, 304].includes(changed.status) || init.method === 'HEAD';
    return new Response(isBodiless ? null : changed.text, { status: changed.status, headers });
  };

export const withStatus = (match: RegExp, status: number, text?: string): FetchFault =>
  onResponse(match, (changed) => {
    changed.status = status;
    if (text !== undefined) changed.text = text;
  });

export const withJson = (
  match: RegExp,
  change: (json: Json, init: RequestInit, url: string) => Json,
): FetchFault =>
  onResponse(match, (changed, init, url) => {
    const json = parse(changed.text);
    if (json !== undefined) changed.text = JSON.stringify(change(json, init, url));
  });

export const withMember = (match: RegExp, path: string, value: Json | undefined): FetchFault =>
  withJson(match, (json) => patch(json, path, value));

export const withHeader = (
  match: RegExp,
  name: string,
  change: (value: string) => string | null,
): FetchFault =>
  onResponse(match, ({ headers }) => {
    const changed = change(headers.get(name) ?? '');
    if (changed === null) headers.delete(name);
    else headers.set(name, changed);
  });

export interface ChangeableRequest {
  url: string;
  readonly headers: Headers;
  body: RequestInit['body'];
  readonly json: Json | undefined;
}

/** Changes requests that match by method, path and query. */
export const onRequest =
  (match: RegExp, change: (request: ChangeableRequest, supabase: LocalSupabase) => unknown): FetchFault =>
  (send, supabase) =>
  async (url, init) => {
    if (!match.test(label(url, init))) return send(url, init);
    const { body } = init;
    const json = typeof body === 'string' ? parse(body) : undefined;
    const request: ChangeableRequest = { url, headers: new Headers(init.headers), body, json };
    await change(request, supabase);
    return send(request.url, {
      ...init,
      headers: request.headers,
      ...(request.body != null && { body: request.body }),
    });
  };

/** Rewrites the query of requests. */
export const withQuery = (match: RegExp, pattern: RegExp, replacement: string): FetchFault =>
  onRequest(match, (request) => {
    const [path = '', query] = request.url.split('?');
    if (query !== undefined)
      request.url = `${path}?${query.replace(pattern, replacement)}`.replace(/[?&]+$/, '');
  });

/** Replaces a member of a JSON body; undefined removes it. */
export const withBodyMember = (match: RegExp, path: string, value: Json | undefined): FetchFault =>
  onRequest(match, (request) => {
    if (request.json !== undefined) request.body = JSON.stringify(patch(request.json, path, value));
  });

/** Removes a word of the header Prefer. */
export const withoutPreference = (match: RegExp, word: RegExp): FetchFault =>
  onRequest(match, ({ headers }) => {
    const left = (headers.get('prefer') ?? '').split(/, ?/).filter((each) => !word.test(each));
    headers.set('prefer', left.join(', '));
  });

/** Replaces a part of the bodies of responses. */
export const withText = (match: RegExp, pattern: string | RegExp, replacement: string): FetchFault =>
  onResponse(match, (response) => void (response.text = response.text.replace(pattern, replacement)));

/** Changes the headers of requests. */
export const withSentHeaders = (match: RegExp, change: (headers: Headers) => void): FetchFault =>
  onRequest(match, ({ headers }) => change(headers));

/** Sends requests with the service key. */
export const asService = (match: RegExp): FetchFault =>
  onRequest(match, ({ headers }, { serviceRoleKey }) =>
    headers.set('authorization', `Bearer ${serviceRoleKey}`),
  );

/** Repeats the first response to a request with the same body. */
export const replaying =
  (match: RegExp): FetchFault =>
  (send) => {
    const firstResponses = new Map<unknown, Response>();
    return async (url, init) => {
      if (!match.test(label(url, init))) return send(url, init);
      const known = firstResponses.get(init.body);
      if (known) return known.clone();
      const response = await send(url, init);
      if (response.ok || response.status === 303) firstResponses.set(init.body, response.clone());
      return response;
    };
  };

export const bearerOf = (headers: Headers): string => headers.get('authorization')?.slice(7) ?? '';

export const claimsOf = (token: string): Readonly<Record<string, Json>> => {
  const json = parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? (json as Record<string, Json>)
    : {};
};

/** Changes the claims of access tokens in responses, and signs them again. */
export const withClaims = (
  match: RegExp,
  change: (claims: Readonly<Record<string, Json>>) => object,
): FetchFault =>
  onResponse(match, async (changed, _init, _url, { keys }) => {
    const json = parse(changed.text);
    const token = valueAt(json, 'access_token');
    if (json === undefined || typeof token !== 'string') return;
    const signed = await keys.sign({ ...change(claimsOf(token)) });
    changed.text = JSON.stringify(patch(json, 'access_token', signed));
  });

/** Signs the tokens of requests again, if `wanted`. */
export const withSignedToken = (
  wanted: (claims: Readonly<Record<string, Json>>) => boolean,
  change: (claims: Readonly<Record<string, Json>>) => object = (claims) => claims,
): FetchFault =>
  onRequest(/./, async ({ headers }, { keys }) => {
    const token = bearerOf(headers);
    if (token.split('.').length !== 3 || !wanted(claimsOf(token))) return;
    headers.set('authorization', `Bearer ${await keys.sign({ ...change(claimsOf(token)) })}`);
  });

/** Drops frames to the client that `match`. */
export const losing = (match: (frame: Frame) => boolean) => () => ({
  toClient: (frame: Frame) => (match(frame) ? [] : [frame]),
});

/** Changes the payload of frames to the client. */
export const replacing = (match: (frame: Frame) => boolean, path: string, value: Json | undefined) => () => ({
  toClient: (frame: Frame) => [match(frame) ? withPayload(frame, path, value) : frame],
});

/** Changes the payload of frames to the server. */
export const replacingSent =
  (match: (frame: Frame) => boolean, path: string, value: Json | undefined) => () => ({
    toServer: (frame: Frame) => [match(frame) ? withPayload(frame, path, value) : frame],
  });

const withPayload = (frame: Frame, path: string, value: Json | undefined): Frame => ({
  ...frame,
  payload: patch(frame.payload as Json, path, value) as Frame['payload'],
});
