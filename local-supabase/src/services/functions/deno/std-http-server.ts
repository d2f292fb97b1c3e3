/**
 * Replaces `https://deno.land/std@…/http/server.ts`, which calls functions that Deno 2 lacks. The vendor's examples
 * imported it for years.
 */
type Handler = (request: Request, info: unknown) => Response | Promise<Response>;

interface DenoServe {
  serve(options: object, handler: Handler): { readonly finished: Promise<void> };
}

export function serve(handler: Handler, options: object = {}): Promise<void> {
  const { Deno: deno } = globalThis as unknown as { readonly Deno: DenoServe };
  return deno.serve(options, handler).finished;
}
