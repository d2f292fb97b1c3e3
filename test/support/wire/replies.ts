/** A reply with a JSON body. Default status: 200. */
export function json(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** An error in the form that all services share; `more` has the fields that only one of them sends. */
export const refusal = (
  status: number,
  code: string,
  more: Readonly<Record<string, unknown>> = {},
): Response => json({ code, message: `Refused with ${code}`, ...more }, { status });

/** The page that a proxy sends instead of the service's response. */
export const page = (status: number): Response =>
  new Response('<html><body>Bad gateway</body></html>', { status, headers: { 'Content-Type': 'text/html' } });

export const never = (): Promise<Response> => new Promise<Response>(() => undefined);

/** A user as the auth service describes one. */
export const userOf = (id: string, more: object = {}) => ({
  id,
  email: `${id}@example.com`,
  app_metadata: {},
  user_metadata: {},
  identities: [],
  ...more,
});

/** The body of a reply with tokens; the access token's payload names the user. */
export function sessionReply(id: string, serial: number | string, more: object = {}) {
  return {
    access_token: tokenOf(id, serial),
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: 1_767_229_200,
    refresh_token: `refresh-${id}-${serial}`,
    user: userOf(id),
    ...more,
  };
}

/** An access token whose signature is never checked. */
export function tokenOf(sub: string, serial: number | string, claims: object = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub, serial, ...claims })}.c2ln`;
}

/** A promise with its `resolve` and `reject`. */
export function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (problem: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
