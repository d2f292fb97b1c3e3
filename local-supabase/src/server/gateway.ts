import { setRequestLine, requestLineOf } from '../http/request-line.ts';
import type { Service } from '../http/in-process.ts';
import type { Claims, TokenKeys } from '../keys/keys.ts';
import type { RestService } from '../services/rest/rest-service.ts';
import { readCaller } from '../services/storage/caller.ts';
import type { StorageService } from '../services/storage/storage-service.ts';
import { checkApiKey, isForgeable, isOpenRoute, isTestProvider, refuseForeign } from './api-key.ts';
import type { ApiKeyCheck } from './api-key.ts';
import { checkBearer, isOpaqueKey, readBearer } from '../keys/bearer.ts';
import { allowAnyOrigin, respondToPreflight, isPreflight, withServiceCors } from './cors.ts';
import { refuseDeepJson } from './json-depth.ts';
import { normalizePath } from './request-path.ts';

export interface GatewayOptions {
  readonly keys: TokenKeys;
  readonly rest: RestService;
  readonly storage: Pick<StorageService, 'handle'>;
  readonly auth: Service;
  readonly realtime: Service;
  readonly functions: Service;
  /** Whether a page of another host sent a request. */
  readonly isForeign: (headers: Headers) => boolean;
}

export interface Gateway {
  handle(request: Request): Promise<Response>;
}

/**
 * Checks API keys, tokens and origins before a request reaches a service. REST and storage receive verified claims; the
 * other services check bearer tokens themselves, as in a hosted project. Functions receive the headers that were sent.
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { keys, rest, storage } = options;
  const route = async (request: Request, service: string, path: string): Promise<Response> => {
    const key = await checkApiKey(request, keys);
    if (!key.ok && !isOpenRoute(path)) return key.response;
    const claims: Claims = key.ok ? key.claims : { role: 'anon' };
    switch (service) {
      case 'rest': {
        const bearer = await checkBearer(request, claims, keys);
        const response = bearer.ok
          ? await rest.handle(withoutApiKey(request), bearer.claims)
          : bearer.response;
        return withServiceCors(response, service, request);
      }
      case 'storage':
        return storage.handle(request, await readCaller(storageToken(request, key, keys), keys));
      case 'auth':
      case 'realtime': {
        const response = await options[service].handle(
          key.ok ? withToken(request, key.apiKey, keys) : request,
        );
        return service === 'auth' ? withServiceCors(response, service, request) : response;
      }
      case 'functions':
        return options.functions.handle(request);
      default:
        return Response.json({ message: 'no Route matched with those values' }, { status: 404 });
    }
  };
  return {
    async handle(request) {
      const sentPath = requestLineOf(request).target.replace(/\?.*/s, '');
      const path = normalizePath(sentPath);
      if (path === null) return allowAnyOrigin(new Response('Bad Request', { status: 400 }));
      const service = /^\/(\w+)\/v1\//.exec(path)?.[1] ?? '';
      if (isPreflight(request)) return respondToPreflight(request);
      // Links from any site may open the test provider, but scripts and forms, which send an origin, may not use it.
      const named = path.replaceAll(/%[2-7][\da-f]/gi, decodeURIComponent);
      const acts = issuesTokens(named) || (isTestProvider(named) && request.headers.has('origin'));
      const isRefused = options.isForeign(request.headers) && (acts || isForgeable(request, keys));
      const refusal = isRefused ? refuseForeign(request) : await refuseDeepJson(request);
      return allowAnyOrigin(refusal ?? (await route(withPath(request, path), service, path)));
    },
  };
}

/** The password sign-in endpoint: the passwords of the seeded users are public. */
const issuesTokens = (path: string): boolean => /^\/auth\/v1\/+token\/*$/.test(path);

/** Returns the request with another path, in its URL and its request line. */
function withPath(request: Request, path: string): Request {
  const { method, target } = requestLineOf(request);
  const [sentPath = '', ...query] = target.split('?');
  if (sentPath === path) return request;
  const url = new URL(request.url);
  url.pathname = path;
  const moved = new Request(url, request);
  setRequestLine(moved, { method, target: [path, ...query].join('?') });
  return moved;
}

/** Removes the API key from the query, because only the gateway reads it. */
function withoutApiKey(request: Request): Request {
  const { method, target } = requestLineOf(request);
  const [path = '', query = ''] = target.split(/\?(.*)/s, 2);
  if (!/(?:^|&)apikey=/.test(query)) return request;
  const kept = query.split('&').filter((pair) => !pair.startsWith('apikey='));
  setRequestLine(request, { method, target: kept.length > 0 ? `${path}?${kept.join('&')}` : path });
  return request;
}

/** The token of a storage request: the user's, else that of the API key. */
function storageToken(request: Request, key: ApiKeyCheck, keys: TokenKeys): string | null {
  const header = request.headers.get('authorization');
  const token = header?.replace(/^Bearer\s+/i, '') ?? (key.ok ? key.apiKey : null);
  return token !== null && isOpaqueKey(token) ? tokenOf(token, keys) : token;
}

/** The token of the role of an API key of the newer form. */
const tokenOf = (apiKey: string, keys: TokenKeys): string =>
  apiKey === keys.secretKey ? keys.serviceRoleKey : keys.anonKey;

/** Auth and realtime accept only tokens: replaces an API key of the newer form with the token of its role. */
function withToken(request: Request, apiKey: string, keys: TokenKeys): Request {
  const bearer = readBearer(request);
  if (bearer !== null ? !isOpaqueKey(bearer) : !isOpaqueKey(apiKey)) return request;
  const headers = new Headers(request.headers);
  headers.set('authorization', `Bearer ${tokenOf(apiKey, keys)}`);
  return new Request(request, { headers });
}
