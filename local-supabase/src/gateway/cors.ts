/** The response headers of each service that browsers may read, besides the safelisted ones. */
const EXPOSED_HEADERS: Readonly<Record<string, string>> = {
  auth: 'X-Total-Count, Link, X-Supabase-Api-Version',
  rest: 'Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit',
};

const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT';

/** In storage only the tus server exposes headers (4fa61fb, `src/app.ts:24` and `src/http/routes/tus/index.ts`). */
const TUS_HEADERS =
  'Authorization, Content-Type, Location, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Concat, Upload-Defer-Length, Upload-Length, Upload-Metadata, Upload-Offset, X-HTTP-Method-Override, X-Requested-With, X-Forwarded-Host, X-Forwarded-Proto, Forwarded,';
const TUS_ROUTE = /^\/storage\/v1\/upload\/resumable(?:\/|$)/;

export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');

/** The gateway responds to preflights itself: any origin, any requested headers. */
export function answerPreflight({ headers }: Request): Response {
  return new Response(null, {
    status: 200,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': headers.get('access-control-request-headers') ?? '',
      'access-control-max-age': '3600',
      'content-length': '0',
      vary: 'Access-Control-Request-Headers',
    },
  });
}

/** @param path the path of the request. */
export function withCors(response: Response, service: string, path: string): Response {
  const headers = new Headers(response.headers);
  for (const name of response.headers.keys()) {
    if (name.startsWith('access-control-')) headers.delete(name);
  }
  headers.set('access-control-allow-origin', '*');
  const exposed = TUS_ROUTE.test(path) ? TUS_HEADERS : EXPOSED_HEADERS[service];
  if (exposed) headers.set('access-control-expose-headers', exposed);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
