import { assert } from '../target/assertion.ts';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createAuditRun, metadataOf, type AuditRun } from '../target/run.ts';

import type { HookServer } from '../target/hook-server.ts';
import { createMailReader, toVerifyLink, type MailReader, type ReceivedMail } from '../target/mailbox.ts';
import { NotRunError, type ConformanceTarget } from '../target/target.ts';
import {
  assertStatus,
  at,
  createWire,
  jwtPartOf,
  textAt,
  type Wire,
  type WireFetch,
  type WireResponse,
} from '../target/wire.ts';

/** A signed-in user of the target. */
export interface AuditUser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: { readonly code_challenge: string; readonly code_challenge_method: 's256' };
}

/** The clients and helpers of an audit. */
export interface AuditContext {
  readonly run: AuditRun;
  readonly target: ConformanceTarget;
  readonly auth: Wire;
  /** The REST service. @throws NotRunError if the target has none. */
  readonly rest: Wire;
  /** Receives the calls of the auth service's hooks. @throws NotRunError if they lead elsewhere. */
  readonly hooks: HookServer;
  /** Returns an unused email address. */
  newEmail(): string;
  newPhone(): string;
  newPkce(): Pkce;
  /** Waits for the next message to an address (or to a phone number, when SMS arrive in the mailbox). */
  mail(address: string): Promise<ReceivedMail>;
  /** Returns the messages to an address so far, newest first. */
  mails(address: string): Promise<readonly ReceivedMail[]>;
  /** Waits for the code in the next message. @throws NotRunError if the target's template contains no code. */
  mailedCode(address: string): Promise<string>;
  /** Creates a confirmed account and signs in, with the fewest steps that the target allows. */
  newUser(): Promise<AuditUser>;
  signIn(email: string, password: string): Promise<WireResponse>;
  /** Runs SQL in the target's database. @throws NotRunError without access to it. */
  query(text: string, values?: readonly unknown[]): Promise<unknown>;
  /** Signs changed claims of a user's token with the legacy secret. @throws NotRunError if the secret is unknown. */
  signAgain(token: string, claims: Readonly<Record<string, unknown>>): string;
  /** Calls an admin route with the service key. */
  admin(method: string, path: string, body?: unknown): Promise<WireResponse>;
}

/** The public secret of the vendor's local stack. */
const DEMO_SECRET = 'super-secret-jwt-token-with-at-least-32-characters-long';

const hmac = (text: string, secret: string): string =>
  createHmac('sha256', secret).update(text).digest('base64url');

/** Selects error bodies with string codes. */
export const apiVersion = { 'X-Supabase-Api-Version': '2024-01-01' } as const;

function newPkce(): Pkce {
  const verifier = randomBytes(48).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, challenge: { code_challenge, code_challenge_method: 's256' } };
}

/**
 * Waits until the server signs a different access token for the same session: RS256 and HS256 give equal signatures for
 * equal claims, and `iat` is in seconds.
 */
export const nextTokenSecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_100));

function signAgain(
  { anonKey, jwtSecret = DEMO_SECRET }: ConformanceTarget,
  token: string,
  claims: Readonly<Record<string, unknown>>,
): string {
  const [header = '', payload = '', signature] = anonKey.split('.');
  if (signature !== hmac(`${header}.${payload}`, jwtSecret))
    throw new NotRunError('the legacy secret is not known (--jwt-secret)');
  const encode = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ ...(jwtPartOf(token) as object), ...claims })}`;
  return `${signed}.${hmac(signed, jwtSecret)}`;
}

/** Sends requests to the auth service that select the current form of errors. */
export function createAuthWire(
  { authUrl, anonKey }: ConformanceTarget,
  fetch: WireFetch,
  headers: Readonly<Record<string, string>> = {},
): Wire {
  const bare = createWire(authUrl, anonKey, fetch);
  return {
    ...bare,
    send: (method, path, request = {}) =>
      bare.send(method, path, { ...request, headers: { ...apiVersion, ...headers, ...request.headers } }),
  };
}

/** @param run Default: a new run. */
export function createAuditContext(
  target: ConformanceTarget,
  run: AuditRun = createAuditRun(),
): AuditContext {
  const auth = createAuthWire(target, target.fetch);
  const reader: MailReader | null = target.mailboxUrl === null ? null : createMailReader(target.mailboxUrl);
  const context: AuditContext = {
    run,
    target,
    auth,
    get rest() {
      if (target.restUrl === null) throw new NotRunError('the target has no REST service');
      return createWire(target.restUrl, target.anonKey, target.fetch);
    },
    get hooks() {
      if (!target.hooks)
        throw new NotRunError('the hooks of the service do not lead to the audits (--hooks-port)');
      return target.hooks;
    },
    newEmail: run.newEmail,
    newPhone: run.newPhone,
    newPkce,
    async mail(address) {
      if (!reader) throw new NotRunError('no mailbox was given');
      const mail = await reader.next(address);
      const links = mail.links.flatMap((link) => [link, toVerifyLink(link, target.authUrl) ?? []].flat());
      return { ...mail, links };
    },
    async mails(address) {
      if (!reader) throw new NotRunError('no mailbox was given');
      return reader.all(address);
    },
    async mailedCode(address) {
      const { code, links } = await context.mail(address);
      assert.ok(code !== null || links.length > 0, 'the message has a code or a link');
      if (code === null) throw new NotRunError("the target's mail template shows no code");
      return code;
    },
    newUser: () => createUser(context),
    signIn: (email, password) =>
      auth.send('POST', '/token', { query: { grant_type: 'password' }, body: { email, password } }),
    async query(text, values) {
      if (!target.query) throw new NotRunError('no access to the database was given');
      return target.query(text, values);
    },
    signAgain: (token, claims) => signAgain(target, token, claims),
    async admin(method, path, body) {
      const { serviceKey } = target;
      if (serviceKey === null) throw new NotRunError('no service key was given');
      return auth.send(method, `/admin${path}`, {
        headers: target.restUrl === null ? {} : { apikey: serviceKey },
        token: serviceKey,
        ...(body === undefined ? {} : { body }),
      });
    },
  };
  return context;
}

async function createUser(context: AuditContext): Promise<AuditUser> {
  const email = context.newEmail();
  const password = `Secret-1${randomBytes(6).toString('hex')}`;
  const session = await createSignedInUser(context, email, password);
  return {
    id: textAt(session, 'user', 'id'),
    email,
    password,
    accessToken: textAt(session, 'access_token'),
    refreshToken: textAt(session, 'refresh_token'),
  };
}

async function createSignedInUser(
  context: AuditContext,
  email: string,
  password: string,
): Promise<WireResponse> {
  if (context.target.serviceKey !== null) {
    const created = await context.admin('POST', '/users', { email, password, email_confirm: true });
    assertStatus(created, 200);
    return assertSession(await context.signIn(email, password));
  }
  const signedUp = await context.auth.send('POST', '/signup', { body: { email, password } });
  assertStatus(signedUp, 200);
  if (at(signedUp.json, 'access_token') !== undefined) return signedUp;
  if (context.target.mailboxUrl === null) {
    throw new NotRunError('accounts need confirmation, and neither a mailbox nor a service key was given');
  }
  const token = await context.mailedCode(email);
  assertStatus(await context.auth.send('POST', '/verify', { body: { type: 'signup', email, token } }), 200);
  return assertSession(await context.signIn(email, password));
}

/** Asserts that a response is a session (protocol/auth.md#session) and returns it. */
export function assertSession(response: WireResponse): WireResponse {
  assertStatus(response, 200);
  textAt(response, 'access_token');
  textAt(response, 'refresh_token');
  textAt(response, 'user', 'id');
  assert.equal(at(response.json, 'token_type'), 'bearer', 'token_type of the response');
  const expiresIn = at(response.json, 'expires_in');
  const expiresAt = at(response.json, 'expires_at');
  assert.ok(typeof expiresIn === 'number' && expiresIn > 0, 'expires_in is a positive number');
  assert.ok(
    typeof expiresAt === 'number' && expiresAt > 1_600_000_000,
    'expires_at is in seconds since the epoch',
  );
  return response;
}

/** The session of a new anonymous user. @throws NotRunError if the project has none. */
export async function newAnonymousUser(
  { auth, run }: Pick<AuditContext, 'auth' | 'run'>,
  data: Readonly<Record<string, unknown>> = metadataOf(run),
): Promise<WireResponse> {
  const response = await auth.send('POST', '/signup', { body: { data } });
  if (at(response.json, 'code') === 'anonymous_provider_disabled')
    throw new NotRunError('anonymous sign-ins are disabled');
  return assertSession(response);
}
