import type { Claims } from '../../keys/keys.ts';
import { requestLineOf } from '../../http/request-line.ts';
import { statusTexts } from '../../http/status-text.ts';
import type { RestResponse } from './response/response.ts';
import { createPostgRest } from './postgrest.ts';
import type { PostgRestOptions } from './postgrest.ts';

export interface RestService {
  /** @param claims the claims of the caller's verified token; `role` becomes the database role. */
  handle(request: Request, claims: Claims): Promise<Response>;
  close(): Promise<void>;
}

const ROOT = /^\/rest\/v1/;

export async function createRestService(options: PostgRestOptions): Promise<RestService> {
  const postgrest = await createPostgRest(options);
  return {
    async handle(request, claims) {
      const { method, target } = requestLineOf(request);
      const body = new Uint8Array(await request.arrayBuffer());
      const raw = { method, target: target.replace(ROOT, ''), headers: [...request.headers], body };
      return toResponse(await postgrest.handle(raw, claims), method);
    },
    close: postgrest.close,
  };
}

/** Statuses without a response body. */
const BODILESS = new Set([204, 205, 304]);

function toResponse({ status, headers, body }: RestResponse, method: string): Response {
  const hasBody = method !== 'HEAD' && !BODILESS.has(status);
  const known = status >= 200 && status <= 599 ? status : 500;
  const statusText = statusTexts[known] ?? '';
  const response = new Response(hasBody ? bytesOf(body) : null, { status: known, statusText });
  for (const [name, value] of headers) response.headers.append(name, value);
  return response;
}

/** Bytes, because `Response` would add a content type to a string. */
const bytesOf = (body: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
