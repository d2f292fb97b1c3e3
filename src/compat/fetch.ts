import type { FetchFunction } from '../platform/platform.ts';

/** What a program's tests answer with in place of a response: some of its members. */
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

/** Statuses of a response without a body, which the constructor of `Response` refuses one for. */
const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * The `fetch` of a program, whose answers may be objects with some members of a response, as in the tests of many programs: the
 * vendor's clients read few of them, the native clients take a response.
 */
export const completeResponses =
  (fetch: FetchFunction): FetchFunction =>
  async (input, init) =>
    toResponse(await fetch(input, init));

async function toResponse(answer: Response | PartialResponse): Promise<Response> {
  // Another library's response is no instance, and is whole.
  if (answer instanceof Response || answer.arrayBuffer) return answer as Response;
  const { ok = true, status = ok ? 200 : 500, statusText = '', headers = {} } = answer;
  const body = bodiless.has(status) ? null : await readBody(answer);
  return new Response(body, { status, statusText, headers });
}

async function readBody(answer: PartialResponse): Promise<string | Blob | null> {
  if (answer.text) return answer.text();
  if (answer.json) return JSON.stringify(await answer.json());
  return (await answer.blob?.()) ?? null;
}
