import { invalidRequest } from './storage-error.ts';

/** The body as JSON; whether it is what `Body` says is left to the use of it. */
export async function readJsonBody<Body extends object>(request: Request): Promise<Body> {
  const body: unknown = await request.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null) throw invalidRequest('The body is no JSON object');
  return body as Body;
}
