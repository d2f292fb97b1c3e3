import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { openDatabase } from '../../src/project/open-database.ts';
import type { PgliteDatabase } from '../../src/database/pglite-database.ts';
import { createGateway } from '../../src/server/gateway.ts';
import { listen } from '../../src/http/http-server.ts';
import { createOwnHosts } from '../../src/http/own-host.ts';
import { createTokenKeys } from '../../src/keys/keys.ts';
import type { Claims, TokenKeys } from '../../src/keys/keys.ts';
import { createRestService } from '../../src/services/rest/rest-service.ts';
import type { RestSettings } from '../../src/services/rest/settings.ts';
import { RECORDED } from './recorded-case.ts';
import type { RecordedCase, TokenRecipe } from './recorded-case.ts';

export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A gateway on a port, with the schema of the recordings in its database. */
export interface ReplayWorld {
  readonly database: PgliteDatabase;
  /** Restores the recorded data. */
  reset(): Promise<void>;
  /** All rows of the recorded tables, by table. */
  snapshot(): Promise<Readonly<Record<string, string>>>;
  /** Sends a case byte for byte. */
  send(recorded: RecordedCase): Promise<PlainResponse>;
  close(): Promise<void>;
}

export const LEGACY_SECRET = 'super-secret-jwt-token-with-at-least-32-characters-long';

const NO_SERVICE = { handle: () => Promise.resolve(new Response(null, { status: 404 })) };

export async function createReplayWorld(settings: Partial<RestSettings> = {}): Promise<ReplayWorld> {
  const { database } = await openDatabase({
    project: new URL('./no-project/', import.meta.url),
    seed: false,
  });
  for (const file of ['schema.sql', 'seed.sql']) {
    await database.exec(await readFile(new URL(file, RECORDED), 'utf8'));
  }
  // The responses were recorded without pg_safeupdate.
  await database.exec('alter role authenticator reset session_preload_libraries');
  const keys = await createTokenKeys();
  // The recorded responses are those of version 14.
  const rest = await createRestService({ database, settings: { version: 14, ...settings } });
  const hosts = createOwnHosts();
  const gateway = createGateway({
    keys,
    rest,
    auth: NO_SERVICE,
    realtime: NO_SERVICE,
    functions: NO_SERVICE,
    storage: NO_SERVICE,
    isForeign: hosts.isForeign,
  });
  const server = await listen(0, hosts, gateway.handle);
  const agent = new Agent({ keepAlive: true });
  return {
    database,
    reset: async () => void (await database.query('select z_hidden.reset()')),
    snapshot: () => snapshot(database),
    send: async (recorded) => send(server.url, agent, recorded, await credentials(recorded, keys)),
    async close() {
      agent.destroy();
      await server.close();
      await rest.close();
      await database.close();
    },
  };
}

async function snapshot(database: PgliteDatabase): Promise<Readonly<Record<string, string>>> {
  const tables = await database.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
  const parts = tables.map(
    ({ name }) =>
      `select '${name}' as name, coalesce(jsonb_agg(to_jsonb(t) order by t::text collate "C"), '[]')::text as rows from public."${name}" t`,
  );
  const rows = await database.query<{ name: string; rows: string }>(parts.join(' union all '));
  return Object.fromEntries(rows.map(({ name, rows: all }) => [name, all]));
}

interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
}

async function credentials({ role, token, apikey }: RecordedCase, keys: TokenKeys): Promise<Credentials> {
  if (apikey !== undefined) return apiKeyOf(apikey, keys);
  switch (role) {
    case 'service':
      return { headers: { apikey: keys.serviceRoleKey, authorization: `Bearer ${keys.serviceRoleKey}` } };
    case 'anon':
      return { headers: { apikey: keys.anonKey, authorization: `Bearer ${keys.anonKey}` } };
    case 'none':
      return { headers: { apikey: keys.anonKey } };
    case 'authenticated:ada':
      return { headers: { apikey: keys.anonKey, authorization: `Bearer ${await keys.sign(adaClaims())}` } };
    default: {
      const authorization = token && (await authorizationOf(token, keys));
      return { headers: { apikey: keys.anonKey, ...(authorization !== undefined && { authorization }) } };
    }
  }
}

function apiKeyOf(kind: string, keys: TokenKeys): Credentials {
  const { publishableKey, secretKey, anonKey } = keys;
  switch (kind) {
    case 'query':
      return { headers: {}, query: `apikey=${anonKey}` };
    case 'secret':
      return { headers: { apikey: secretKey } };
    case 'publishable-bearer':
      return { headers: { apikey: publishableKey, authorization: `Bearer ${publishableKey}` } };
    default:
      return { headers: { apikey: publishableKey } };
  }
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

const adaClaims = (): Claims => ({
  sub: 'ada00000-0000-4000-8000-000000000001',
  role: 'authenticated',
  aud: 'authenticated',
  exp: nowSeconds() + 7200,
  iat: nowSeconds() - 5,
  email: 'ada@example.com',
  aal: 'aal1',
});

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

async function authorizationOf(recipe: TokenRecipe, keys: TokenKeys): Promise<string> {
  if (recipe.raw !== undefined) return recipe.raw;
  const payload = JSON.stringify(fillTimes(recipe.claims));
  let [header = '', body = '', signature = ''] = (
    recipe.alg === 'ES256' && !recipe.header
      ? await keys.sign(JSON.parse(payload) as Claims)
      : signByHmac(payload, recipe)
  ).split('.');
  if (recipe.signature !== undefined) signature = recipe.signature;
  if (recipe.payloadAfterSigning !== undefined) {
    body = base64url(JSON.stringify(fillTimes(recipe.payloadAfterSigning)));
  }
  const parts = recipe.parts === 2 ? [header, body] : [header, body, signature];
  if (recipe.parts === 4) parts.push('x');
  return (recipe.authorization ?? 'Bearer {jwt}').replace('{jwt}', parts.join('.'));
}

function signByHmac(payload: string, { header, secret }: TokenRecipe): string {
  const head = base64url(JSON.stringify(header ?? { alg: 'HS256', typ: 'JWT' }));
  const key = secret === 'other' ? 'another-secret-that-is-at-least-32-characters' : LEGACY_SECRET;
  const hash = header?.['alg'] === 'HS512' ? 'sha512' : 'sha256';
  const signed = `${head}.${base64url(payload)}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
}

/** Replaces `now+60` with a number, and `text:now+60` with a string. */
function fillTimes(claims: unknown): unknown {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return claims;
  return Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, fillTime(value)]));
}

function fillTime(value: unknown): unknown {
  const [, isText, offset] = typeof value === 'string' ? (/^(text:)?now([+-][\d.]+)$/.exec(value) ?? []) : [];
  if (offset === undefined) return value;
  const seconds = nowSeconds() + Number(offset);
  return isText ? String(seconds) : seconds;
}

function send(
  url: string,
  agent: Agent,
  recorded: RecordedCase,
  { headers, query }: Credentials,
): Promise<PlainResponse> {
  const { method, path, body } = recorded;
  const joint = path.includes('?') ? '&' : '?';
  const target = `/rest/v1${path}${query === undefined ? '' : joint + query}`;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: hostname, port, method, path: target, agent, headers: { ...recorded.headers, ...headers } },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
            ),
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    if (body !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(body));
    outgoing.end(body);
  });
}
