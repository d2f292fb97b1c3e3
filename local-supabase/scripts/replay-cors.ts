import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { parseArgs } from 'node:util';
import { createTokenKeys } from '../src/keys/keys.ts';
import { createCorsReplay, readRecordedCors, RECORDED_CORS } from '../test/cors/recorded-cors.ts';

/**
 * `npm run replay:cors -- --auth URL --rest URL --realtime URL --storage URL`: sends the recorded requests to real services, without a
 * gateway, and writes their responses into the recordings.
 */
const { values } = parseArgs({
  options: {
    auth: { type: 'string' },
    rest: { type: 'string' },
    realtime: { type: 'string' },
    storage: { type: 'string' },
    /** Realtime selects the tenant by the host. */
    'realtime-host': { type: 'string', default: 'realtime-dev.localhost' },
  },
});

/** Unlike `fetch`, sends TRACE and any `Host` and `Origin`. */
async function send(path: string, { method, headers, body }: RequestInit): Promise<Response> {
  const [, service = '', rest = ''] = /^\/(\w+)\/v1(.*)$/.exec(path) ?? [];
  const base = values[service as 'auth' | 'rest' | 'realtime' | 'storage'];
  if (base === undefined) throw new Error(`--${service} is missing`);
  const { hostname, port } = new URL(base);
  const host = service === 'realtime' ? { host: values['realtime-host'] } : {};
  const sent = { ...(headers as Record<string, string>), ...host };
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: rest, headers: sent }, (incoming) => {
      incoming.resume();
      const received = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
      incoming.on('end', () =>
        resolve(
          new Response(null, { status: incoming.statusCode ?? 0, headers: Object.fromEntries(received) }),
        ),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body as string | undefined);
  });
}

const { anonKey, serviceRoleKey } = await createTokenKeys();
const replay = createCorsReplay({ anonKey, serviceRoleKey, send });
const recorded: string[] = [];
for (const request of readRecordedCors())
  recorded.push(`${JSON.stringify({ ...request, response: await replay(request) })}\n`);
await writeFile(RECORDED_CORS, recorded.join(''));
console.log(`${recorded.length} requests recorded`);
