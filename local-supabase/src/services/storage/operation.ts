import type { MiddlewareHandler } from 'hono';

const operations = new WeakMap<Request, string>();

export function nameOperation(request: Request, name: string): void {
  operations.set(request, name);
}

/**
 * Names the operation of a route, which policies and triggers read as `storage.operation()`.
 *
 * @param others the names for other methods of the same route.
 */
export const operation =
  (name: string, others: Readonly<Record<string, string>> = {}): MiddlewareHandler =>
  (c, next) => {
    nameOperation(c.req.raw, others[c.req.raw.method] ?? name);
    return next();
  };

export const operationOf = (request: Request): string | undefined => operations.get(request);
