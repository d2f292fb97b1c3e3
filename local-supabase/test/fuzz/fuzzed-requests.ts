import { Agent, request } from 'node:http';
import * as fc from 'fast-check';

/** A request below a service's path. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly isService: boolean;
}

interface FuzzedServer {
  /** The root URL of a service. */
  readonly url: string;
  readonly anonKey: string;
  readonly serviceKey: string;
}

interface FuzzOptions {
  readonly numRuns: number;
  readonly seed?: number;
}

function encodeSafely(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, ''));
}

/** Keeps characters that a client may leave unescaped, and broken escapes. */
const encodeLightly = (text: string): string =>
  encodeSafely(text).replaceAll(/%(?:2F|40|3A|3F|25)/g, decodeURIComponent);

const ODD_NAMES = [
  '',
  'a.txt',
  'a b',
  'a@b?c',
  '..',
  '.',
  '/',
  '//',
  'ü',
  '😀',
  '%',
  '\u0000',
  'x'.repeat(300),
  "'--",
];

/** Segments of a path: the known names, odd ones and any text. */
export const segmentOf = (...known: readonly string[]): fc.Arbitrary<string> => {
  const name = fc.oneof(
    fc.constantFrom(...known, 'none', ...ODD_NAMES),
    fc.string({ maxLength: 12, unit: 'binary' }),
  );
  return fc.oneof(name.map(encodeSafely), name.map(encodeLightly));
};

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  1e20,
  '',
  'a',
  '\u0000',
  '10mb',
  [],
  {},
  ['a'],
  [[]],
  [null],
];

/** JSON values: the known ones, odd ones and any. */
export const valueOf = (...known: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(fc.constantFrom(...known, ...ODD_VALUES), fc.jsonValue({ maxDepth: 2 }));

/** Bodies: mostly objects of these members. */
export const bodyOf = (
  members: readonly string[],
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<string | undefined> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .dictionary(fc.constantFrom(...members), value, { maxKeys: 6 })
        .map((json) => JSON.stringify(json)),
    },
    { weight: 1, arbitrary: fc.constantFrom('', '{', 'null', '[]', '"x"', '5', '{"__proto__":1}') },
    { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

export const printable = fc.string({
  maxLength: 12,
  unit: fc.constantFrom(...Array.from('abc019:;,=/*-"\\ %+')),
});

export const contentTypes = fc.constantFrom(
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'x',
  '',
);

export const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS');

/** Returns the response's status. Rejects if the connection ends without a response. */
function send(
  server: FuzzedServer,
  { method, path, headers: own, body, isService }: FuzzedRequest,
  agent: Agent,
): Promise<number> {
  const { hostname, port, pathname } = new URL(server.url);
  const key = isService ? server.serviceKey : server.anonKey;
  const options = { hostname, port, method, path: `${pathname}${path}`, agent };
  return new Promise<number>((resolve, reject) => {
    const outgoing = request({ ...options, headers: { apikey: key, ...own } }, (incoming) => {
      incoming.on('error', reject);
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.on('error', reject);
    outgoing.end(method === 'GET' || method === 'HEAD' ? undefined : body);
  });
}

/** Sends generated requests. Fails for a 500 or no response, or if `check` fails after a request. */
export async function fuzzRequests(
  server: FuzzedServer,
  requests: fc.Arbitrary<FuzzedRequest>,
  check: () => Promise<unknown>,
  options: FuzzOptions,
): Promise<void> {
  // The server ends idle connections, such as those of an earlier service, perhaps while a request is sent on one.
  const agent = new Agent({ keepAlive: true });
  const hasResponse = fc.asyncProperty(requests, async (fuzzed) => {
    const status = await send(server, fuzzed, agent).catch((problem: unknown) => String(problem));
    if (typeof status === 'string' || status >= 500)
      throw new Error(`${status} for ${JSON.stringify(fuzzed)}`);
    await check();
  });
  await fc.assert(hasResponse, options).finally(() => agent.destroy());
}
