import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { PGlite } from '@electric-sql/pglite';
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto';

import { createAuthService } from '../../src/services/auth/auth-service.ts';
import type { AuthService, AuthServiceOptions } from '../../src/services/auth/auth-service.ts';
import type { OutgoingMail, OutgoingSms } from '../../src/services/auth/context.ts';
import type { AuthSettings } from '../../src/services/auth/settings.ts';
import type { Database } from '../../src/database/database.ts';
import { closeToArchive, MemoryFiles } from '../../src/database/memory-files.ts';
import { createPgliteDatabase } from '../../src/database/pglite-database.ts';
import { createTokenKeys } from '../../src/keys/keys.ts';
import { loadSnapshot } from '../../src/project/snapshot.ts';
import type { CreationOptions, RequestOptions } from '../../../test/support/software-authenticator.ts';
import type { TokenKeys } from '../../src/keys/keys.ts';

/** The fields that tests read from responses; a test asserts which of them are present. */
export interface ResponseBody {
  readonly id: string;
  readonly code: string;
  readonly message: string;
  readonly url: string;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_at: number;
  readonly expires_in: number;
  readonly user: ResponseUser;
  readonly totp: { readonly qr_code: string; readonly secret: string; readonly uri: string };
  readonly keys: readonly Record<string, string>[];
  readonly users: readonly ResponseUser[];
  readonly id_token: string;
  readonly action_link: string;
  readonly email_otp: string;
  readonly hashed_token: string;
  readonly external: Readonly<Record<string, boolean>>;
  readonly challenge_id: string;
  readonly options: CreationOptions & RequestOptions;
  readonly friendly_name: string;
  readonly codes: readonly string[];
  readonly webauthn: {
    readonly type: 'create' | 'request';
    readonly credential_options: { readonly publicKey: CreationOptions & RequestOptions };
  };
}

export interface ResponseUser {
  readonly id: string;
  readonly email: string;
  readonly email_confirmed_at: string;
  readonly phone_confirmed_at: string;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  readonly app_metadata: Readonly<Record<string, unknown>>;
  readonly identities: readonly { readonly identity_id: string; readonly provider: string }[];
}

export interface AuthResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ResponseBody;
  readonly location: URL;
}

export interface AskOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the current error form. */
  readonly apiVersion?: string | null;
}

/** An auth service with a manual clock, on a database that the test file shares. */
export interface AuthWorld {
  readonly service: AuthService;
  readonly database: Database;
  readonly keys: TokenKeys;
  readonly mails: OutgoingMail[];
  readonly texts: OutgoingSms[];
  advance(seconds: number): void;
  nowMs(): number;
  ask(method: string, path: string, body?: unknown, options?: AskOptions): Promise<AuthResponse>;
  post(path: string, body?: unknown, options?: AskOptions): Promise<AuthResponse>;
  get(path: string, options?: AskOptions): Promise<AuthResponse>;
  mailTo(to: string): { readonly code: string; readonly link: URL; readonly mail: OutgoingMail };
  codeTo(phone: string): string;
  /** Signs up a confirmed user with a password and returns its session. */
  signedUp(email?: string, password?: string): Promise<ResponseBody>;
}

export const origin = 'http://project.test';
export const siteUrl = 'http://localhost:5173';
export const password = 'correct horse';

/** A verifier and its challenge (RFC 7636). */
export function createVerifier(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(40).toString('hex');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The payload of a JSON Web Token, unverified. */
export function readClaims(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
}

let counter = 0;
export const freshEmail = (): string => `person-${(counter += 1)}@example.com`;
export const freshPhone = (): string => `1555${String(1_000_000 + (counter += 1))}`;

let shared: Promise<Database> | undefined;

/** Initializing PostgreSQL takes three seconds of a processor, so the workers share an archive of the database. */
async function openDatabase(): Promise<Database> {
  const schema = await readFile(new URL('../../src/services/auth/schema.sql', import.meta.url), 'utf8');
  const data = await loadSnapshot(
    `auth-${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`,
    async () => {
      const pglite = await PGlite.create({ extensions: { pgcrypto } });
      await pglite.exec(
        'create schema if not exists extensions; create extension pgcrypto with schema extensions',
      );
      await pglite.exec(schema);
      return closeToArchive(pglite);
    },
  );
  const pglite = await PGlite.create({ fs: new MemoryFiles(data), extensions: { pgcrypto } });
  // The role that calls the hooks of a hosted project.
  await pglite.exec('create role supabase_auth_admin');
  return createPgliteDatabase(pglite);
}

async function readResponse(response: Response): Promise<AuthResponse> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  const location = response.headers.get('location');
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : { text }) as ResponseBody,
    location: new URL(location ?? 'about:blank'),
  };
}

function encodeRequest(method: string, path: string, body: unknown, options: AskOptions): Request {
  const { token, apiVersion = '2024-01-01', headers } = options;
  return new Request(path.startsWith('http') ? path : `${origin}/auth/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
      ...(apiVersion && { 'x-supabase-api-version': apiVersion }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Creates a world; all worlds of a test file share one database. */
export async function openAuthWorld(
  settings: Partial<AuthSettings> = {},
  redirectUrls: readonly string[] = ['https://app.example.com/**'],
  options: Partial<AuthServiceOptions> = {},
): Promise<AuthWorld> {
  shared ??= openDatabase();
  const database = await shared;
  let timeMs = Date.parse('2026-01-01T00:00:00Z');
  const now = (): number => timeMs;
  const keys = await createTokenKeys({ now });
  const mails: OutgoingMail[] = [];
  const texts: OutgoingSms[] = [];
  const service = await createAuthService({
    database,
    keys,
    now,
    siteUrl,
    redirectUrls,
    settings: { bcryptCost: 4, ...settings },
    mailer: { send: (mail) => void mails.push(mail) },
    smsBox: { send: (text) => void texts.push(text) },
    report: (error) => console.error(error),
    ...options,
  });
  const ask: AuthWorld['ask'] = async (method, path, body, options = {}) =>
    readResponse(await service.handle(encodeRequest(method, path, body, options)));
  const world: AuthWorld = {
    service,
    database,
    keys,
    mails,
    texts,
    advance: (seconds) => void (timeMs += seconds * 1000),
    nowMs: now,
    ask,
    post: async (path, body, options) => ask('POST', path, body ?? {}, options),
    get: async (path, options) => ask('GET', path, undefined, options),
    mailTo(to) {
      const mail = mails.findLast((candidate) => candidate.to === to);
      if (mail === undefined) throw new Error(`No mail to ${to}`);
      const [, code = ''] = /Code: (\d+)/.exec(mail.text) ?? [];
      const [link = 'about:blank'] = /http\S+/.exec(mail.text) ?? [];
      return { mail, code, link: new URL(link) };
    },
    codeTo(phone) {
      const text = texts.findLast((candidate) => candidate.to === phone)?.text ?? '';
      return /\d{6,}/.exec(text)?.[0] ?? '';
    },
    async signedUp(email = freshEmail(), secret = password) {
      await world.post('/signup', { email, password: secret });
      const { code } = world.mailTo(email);
      const { body } = await world.post('/verify', { type: 'signup', email, token: code });
      return body;
    },
  };
  return world;
}

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Encodes the address of a Solana wallet. */
export function encodeBase58(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = base58.charAt(Number(value % 58n)) + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros) + text;
}
