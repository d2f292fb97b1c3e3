import type { Claims, TokenKeys } from '../keys/keys.ts';
import type { RestService } from '../rest.ts';
import type { StorageService } from '../storage/storage-service.ts';
import { checkApiKey, isOpenRoute } from './api-key.ts';
import { checkBearer, isOpaqueKey, readBearer } from './bearer.ts';
import { answerPreflight, isPreflight, withCors } from './cors.ts';

/** A service behind the gateway; the path of the request is as the client sent it. */
export interface Service {
  handle(request: Request): Promise<Response>;
}

export interface GatewayOptions {
  readonly keys: TokenKeys;
  readonly rest: RestService;
  readonly storage: StorageService;
  readonly auth: Service;
  readonly realtime: Service;
  readonly functions: Service;
}

export interface Gateway {
  handle(request: Request): Promise<Response>;
}

/**
 * What stands before the services: keys, tokens, other origins. The data service and storage get their caller
 * verified; the others check bearer tokens by themselves, as the real ones do.
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
        return bearer.ok ? rest.handle(request, bearer.claims) : bearer.response;
      }
      case 'storage': {
        const bearer = await checkBearer(request, claims, keys);
        return bearer.ok ? storage.handle(request, bearer.claims) : refuseStorage(bearer.message);
      }
      case 'auth':
      case 'realtime':
      case 'functions':
        return options[service].handle(key.ok ? withToken(request, key.apiKey, keys) : request);
      default:
        return Response.json({ message: 'no Route matched with those values' }, { status: 404 });
    }
  };
  return {
    async handle(request) {
      const path = new URL(request.url).pathname;
      const service = /^\/(\w+)\/v1(?:\/|$)/.exec(path)?.[1] ?? '';
      if (isPreflight(request)) return answerPreflight(request);
      return withCors(await route(request, service, path), service);
    },
  };
}

/** Storage names the true status in the body, and answers 400. */
function refuseStorage(message: string): Response {
  return Response.json({ statusCode: '403', error: 'Unauthorized', message }, { status: 400 });
}

/** Services know only tokens: a key of the newer form goes on as the token of its role. */
function withToken(request: Request, apiKey: string, keys: TokenKeys): Request {
  const bearer = readBearer(request);
  if (bearer !== null ? !isOpaqueKey(bearer) : !isOpaqueKey(apiKey)) return request;
  const token = apiKey === keys.secretKey ? keys.serviceRoleKey : keys.anonKey;
  const headers = new Headers(request.headers);
  headers.set('authorization', `Bearer ${token}`);
  return new Request(request, { headers });
}
