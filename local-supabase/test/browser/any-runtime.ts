/**
 * Runs the core of a project in the current runtime: Node, Bun, Deno or a worker thread. Argument: a folder of
 * `buildBrowserAssets`. Prints the results as JSON.
 */
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { Secret, TOTP } from 'otpauth';
import {
  archiveOf,
  MANIFEST,
  POSTGRES_FILES,
  POSTGRES_MODULE,
  SNAPSHOT_FILE,
} from '../../src/server/assets.ts';
import type { ProjectAssets } from '../../src/server/assets.ts';
import { createCore } from '../../src/server/core.ts';
import { connectPglite, resetSession } from '../../src/database/connect.ts';
import { extensionNames } from '../../src/database/extension-files.ts';
import { createPgliteDatabase } from '../../src/database/pglite-database.ts';
import { createSkewedClock } from '../../src/server/faults/faults.ts';
import { createExpirableKeys } from '../../src/keys/expirable-keys.ts';
import { createTokenKeys } from '../../src/keys/keys.ts';
import { createMailbox } from '../../src/mail/mailbox.ts';
import type { ServerSocket, SocketEvents } from '../../src/services/realtime/socket/server-socket.ts';
import { createMemoryStore } from '../../src/services/storage/object-store.ts';

const folder = pathToFileURL(`${isMainThread ? process.argv[2] : String(workerData)}/`);
const open = async (name: string) => new Uint8Array(gunzipSync(await readFile(new URL(name, folder))));
const project = JSON.parse(await readFile(new URL(MANIFEST, folder), 'utf8')) as ProjectAssets;

const pglite = await connectPglite({
  pgliteWasmModule: await WebAssembly.compile(await open(POSTGRES_MODULE)),
  fsBundle: new Blob([await open(POSTGRES_FILES)]),
  loadDataDir: new Blob([await open(SNAPSHOT_FILE)]),
  bundled: Object.fromEntries(project.bundled.map((name) => [name, new URL(archiveOf(name), folder)])),
  files: project.extensionFiles,
});
await resetSession(pglite);
const url = 'http://local-supabase.test';
const clock = createSkewedClock(Date.now);
const keys = createExpirableKeys(await createTokenKeys({ now: clock.now }), clock.now);
const database = createPgliteDatabase(pglite);
const core = await createCore({
  ...project.settings,
  database,
  setAhead: () => Promise.resolve(),
  standIns: extensionNames(project.extensionFiles),
  keys,
  clock,
  mailbox: createMailbox(),
  objects: createMemoryStore(),
  readTemplate: () => Promise.resolve({ subject: null, html: null }),
  url: () => url,
  hookFetch: (request) => fetch(request),
  functionRuntime: () => Promise.resolve({ env: {}, fetch, now: clock.now }),
  isForeign: () => false,
  report: (problem) => console.error(problem),
});

async function call<T>(method: string, path: string, body?: unknown, token = keys.anonKey): Promise<T> {
  const headers = {
    apikey: keys.anonKey,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  };
  const request = new Request(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await core.handle(request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

interface Session {
  readonly access_token: string;
  readonly user: { readonly id: string; readonly email: string };
}
const credentials = { email: 'ada@example.com', password: 'inbox-development' };
const { access_token: token, user } = await call<Session>(
  'POST',
  '/auth/v1/token?grant_type=password',
  credentials,
);
const rows = await call<unknown[]>('GET', '/rest/v1/notifications?select=id', undefined, token);

/** Joins a channel over an in-process socket, adds a row, and waits for its change. */
async function receiveChange(content: string): Promise<string> {
  let events: SocketEvents | undefined;
  let resolve: (content: string) => void = () => undefined;
  const arrival = new Promise<string>((settle) => (resolve = settle));
  const socket: ServerSocket = {
    isOpen: true,
    bufferedBytes: 0,
    send(message) {
      const [, , , event, payload] = JSON.parse(String(message)) as [
        unknown,
        unknown,
        unknown,
        string,
        Payload,
      ];
      if (event === 'system' && payload.status === 'ok')
        void database.query('insert into public.notifications (recipient_id, content) values ($1, $2)', [
          user.id,
          content,
        ]);
      if (event === 'postgres_changes') resolve(payload.data?.record.content ?? '');
    },
    close: () => events?.onClose(),
    terminate: () => events?.onClose(),
    listen: (listeners) => (events = listeners),
  };
  const address = new URL(`${url}/realtime/v1/websocket?vsn=2.0.0&apikey=${keys.anonKey}`);
  const refusal = await core.services.realtime.accept(address, socket);
  if (refusal) throw new Error(`The handshake is refused: ${refusal.error}`);
  const changes = [{ event: 'INSERT', schema: 'public', table: 'notifications' }];
  const join = { config: { postgres_changes: changes }, access_token: token };
  events?.onMessage(JSON.stringify(['1', '1', 'realtime:changes', 'phx_join', join]));
  return arrival;
}
interface Payload {
  readonly status?: string;
  readonly data?: { readonly record: { readonly content: string } };
}

const arrived = await receiveChange('seen here');
interface Factor {
  readonly id: string;
  readonly totp: { readonly secret: string };
}
const factor = await call<Factor>('POST', '/auth/v1/factors', { factor_type: 'totp' }, token);
const challenge = await call<{ id: string }>('POST', `/auth/v1/factors/${factor.id}/challenge`, {}, token);
const proof = {
  challenge_id: challenge.id,
  code: new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate(),
};
const raised = await call<Session>('POST', `/auth/v1/factors/${factor.id}/verify`, proof, token);
const { aal } = JSON.parse(atob(raised.access_token.split('.')[1] ?? '')) as { aal: string };
const bucket = await call<{ name: string }>(
  'POST',
  '/storage/v1/bucket',
  { id: 'files', name: 'files' },
  keys.serviceRoleKey,
);
const object = await call<{ Key: string }>(
  'POST',
  '/storage/v1/object/files/a.json',
  { a: 1 },
  keys.serviceRoleKey,
);
const read = await call('GET', '/storage/v1/object/files/a.json', undefined, keys.serviceRoleKey);

await core.drain();
await core.services.close();
await database.close();
const outcome = {
  email: user.email,
  rows: rows.length,
  arrived,
  aal,
  bucket: bucket.name,
  key: object.Key,
  read,
};
if (parentPort) parentPort.postMessage(outcome, []);
else console.log(JSON.stringify(outcome));
