/** Response headers that a page may read besides the safelisted ones, of the services that send CORS headers. */
const AUTH_HEADERS = 'X-Total-Count, Link, X-Supabase-Api-Version';
const REST_HEADERS =
  'Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit';

const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT';

export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');

/** The gateway responds to preflights itself: any origin, any requested headers. */
export function respondToPreflight({ headers }: Request): Response {
  const requested = headers.get('access-control-request-headers');
  return new Response(null, {
    status: 200,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': METHODS,
      ...(requested !== null && { 'access-control-allow-headers': requested }),
      'access-control-max-age': '3600',
      'content-length': '0',
    },
  });
}

/** Adds the CORS headers of the service itself; storage sets its own. */
export function withServiceCors(response: Response, service: 'auth' | 'rest', request: Request): Response {
  const { method, headers: sent } = request;
  const headers = new Headers(response.headers);
  if (service === 'auth') headers.append('vary', 'Origin');
  if (sent.has('origin') && service === 'auth' && method !== 'HEAD') {
    headers.set('access-control-allow-credentials', 'true');
    headers.set('access-control-expose-headers', AUTH_HEADERS);
  }
  if (sent.has('origin') && service === 'rest' && method !== 'OPTIONS')
    headers.set('access-control-expose-headers', REST_HEADERS);
  return withHeaders(response, headers);
}

/** Lets pages of any origin read the response, as the gateway does. */
export function allowAnyOrigin(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('access-control-allow-origin', '*');
  return withHeaders(response, headers);
}

const withHeaders = ({ body, status, statusText }: Response, headers: Headers): Response =>
  new Response(body, { status, statusText, headers });
