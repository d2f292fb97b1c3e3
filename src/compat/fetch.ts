import type { FetchFunction } from '../platform/platform.ts';

/** A partial response, as the tests of many programs return it. */
interface PartialResponse {
  readonly status?: number;
  readonly ok?: boolean;
  readonly statusText?: string;
  readonly headers?: HeadersInit;
  readonly arrayBuffer?: unknown;
  readonly text?: () => Promise<string>;
  readonly json?: () => Promise<unknown>;
  readonly blob?: () => Promise<Blob>;
}

/** Statuses for which the constructor of `Response` refuses a body. */
const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Completes responses of a program's `fetch`: the tests of many programs return objects with some members, which is enough
 * for the vendor's clients but not for the native ones.
 */
export const completeResponses =
  (fetch: FetchFunction): FetchFunction =>
  async (input, init) =>
    toResponse(await fetch(input, init));

/**
 * Calls a program's `fetch` with headers of the class that the vendor's client passes, because the program may call their
 * methods: `Headers`, but a plain object to the auth service.
 */
export const withVendorHeaders =
  (fetch: FetchFunction): FetchFunction =>
  (input, init) =>
    isForAuth(input) ? fetch(input, init) : fetch(input, { ...init, headers: new Headers(init?.headers) });

const isForAuth = (input: Parameters<FetchFunction>[0]) =>
  (input instanceof Request ? input.url : input.toString()).includes('/auth/v1/');

async function toResponse(response: Response | PartialResponse): Promise<Response> {
  // A response of another library is not an instance of `Response`, but complete.
  if (response instanceof Response || response.arrayBuffer) return response as Response;
  const { ok = true, status = ok ? 200 : 500, statusText = '', headers = {} } = response;
  const body = bodiless.has(status) ? null : await readBody(response);
  return new Response(body, { status, statusText, headers });
}

async function readBody(response: PartialResponse): Promise<string | Blob | null> {
  if (response.text) return response.text();
  if (response.json) return JSON.stringify(await response.json());
  return (await response.blob?.()) ?? null;
}
