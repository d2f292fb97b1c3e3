import {
  type AuthClient,
  createMemoryStore,
  createWebStorageStore,
  type AuthStore,
} from '../auth-client/index.ts';
import { createSharedAuth, type SharedAuth } from '../clients/shared-auth.ts';
import { createPlatform } from '../platform/browser-platform.ts';
import type { Platform } from '../platform/platform.ts';
import { adaptWebSocket, type WebSocketLike } from '../platform/web-socket.ts';
import { createRestClient } from '../rest-client/index.ts';
import type { ArgsOf, DatabaseModel, Model, ReturnsOf } from '../rest-client/types/model.ts';
import { addressOf, type DetectSession } from './auth/address.ts';
import { createAuthMethods, type SupabaseAuthClient } from './auth/auth.ts';
import type { LockFunc } from './auth/locks.ts';
import { completeResponses, withVendorHeaders } from './fetch.ts';
import { FunctionsClient } from './functions.ts';
import type { RealtimeChannel, RealtimeChannelOptions } from './realtime/channel.ts';
import { type RealtimeClientOptions, toNativeOptions, withWorker } from './realtime/options.ts';
import { RealtimeClient } from './realtime/realtime.ts';
import type { PostgrestFilterBuilder } from './rest/filter-builder.ts';
import {
  type FunctionName,
  PostgrestClient,
  type PostgrestQueryBuilderOptions,
  type RelationName,
  type RpcBuilder,
} from './rest/postgrest-client.ts';
import type { PostgrestQueryBuilder, RpcOptions } from './rest/query-builder.ts';
import { createStorage, type SupabaseStorage, type SupabaseStorageOptions } from './storage/storage.ts';
import type { DefaultSchemaOf, Known, SchemaOf, Untyped } from './untyped.ts';

/** Where the vendor's client keeps the session: `localStorage`, or an object with its methods. */
export interface SupportedStorage {
  /** Returns the text under a key; null for an unknown key. */
  getItem(key: string): string | null | Promise<string | null>;
  /** Replaces the text under a key. */
  setItem(key: string, value: string): void | Promise<void>;
  /** Removes a key. */
  removeItem(key: string): void | Promise<void>;
}

/** The options of `createClient`. */
export interface SupabaseClientOptions<Name extends string = string> {
  /** The database: the schema to query, the deadline in milliseconds (default none), and whether failed reads are repeated. */
  db?: { schema?: Name; timeout?: number; urlLengthLimit?: number; retry?: boolean };
  /** The session. Default: kept in `localStorage`, refreshed in the background, found in the page's address. */
  auth?: {
    autoRefreshToken?: boolean;
    persistSession?: boolean;
    /** A function decides whether tokens or an error in the address are for this client. Default true. */
    detectSessionInUrl?: DetectSession;
    storage?: SupportedStorage;
    storageKey?: string;
    /** `pkce` refuses tokens in the fragment of a link; links and providers return codes in any case. */
    flowType?: 'implicit' | 'pkce';
    throwOnError?: boolean;
    /** Not the vendor's: the `iss` that `getClaims()` requires. Default: any. */
    issuer?: string;
    skipAutoInitialize?: boolean;
    debug?: unknown;
    experimental?: object;
    /** No effect: the clients of one storage coordinate themselves. */
    lock?: LockFunc;
    /** No effect, as `lock`. */
    lockAcquireTimeout?: number;
  };
  /** The socket: its parameters, deadline and delays. */
  realtime?: RealtimeClientOptions;
  /** All services: headers, and the `fetch` that sends the requests. */
  storage?: SupabaseStorageOptions;
  /** All services: headers, and what sends the requests. */
  global?: { headers?: Record<string, string>; fetch?: typeof fetch };
  /** Returns the token of another provider; `auth` can then not be used. */
  accessToken?: () => Promise<string | null>;
}

/** The vendor's default: the length in characters from which a failure mentions the length of the URL. */
const URL_LENGTH_LIMIT = 8000;

/**
 * The vendor's client over the native ones. Calls return `{ data, error }`.
 *
 * @see docs/clients/migrating.md
 */
export class SupabaseClient<
  Database = Untyped,
  Name extends SchemaOf<Database> = DefaultSchemaOf<Database>,
  _SchemaName = unknown,
  _Schema = unknown,
> {
  /** The project's URL. */
  readonly supabaseUrl: string;
  /** The project's key. */
  readonly supabaseKey: string;
  /** Sign-in, session, account, administration. */
  readonly auth: SupabaseAuthClient;
  /** Channels. */
  readonly realtime: RealtimeClient;
  /** Buckets and objects. */
  readonly storage: SupabaseStorage;
  /** Edge functions. */
  readonly functions: FunctionsClient;
  readonly #rest: PostgrestClient<Database, Name>;

  /** @throws {Error} without a URL or a key, and for a URL that is not http(s). */
  constructor(supabaseUrl: string, supabaseKey: string, options: SupabaseClientOptions<Name> = {}) {
    const url = parseProjectUrl(supabaseUrl);
    if (!supabaseKey) throw new Error('supabaseKey is required.');
    this.supabaseUrl = supabaseUrl;
    this.supabaseKey = supabaseKey;
    const shared = createShared(url, supabaseKey, options);
    const { accessToken: getAccessToken, db } = options;
    const ownToken = getAccessToken && { getAccessToken };
    const restOptions = { ...shared.restOptions, ...ownToken };
    const sendersOf = (own: Partial<typeof restOptions>) => ({
      retrying: createRestClient({ ...restOptions, ...own }),
      once: createRestClient({ ...restOptions, ...own, retry: { limit: 0 } }),
    });
    this.#rest = new PostgrestClient<Database, Name>({
      ...sendersOf({}),
      withFetch: (fetch) => sendersOf({ platform: createOwnPlatform(undefined, fetch) }),
      retries: db?.retry ?? true,
      urlLengthLimit: db?.urlLengthLimit ?? URL_LENGTH_LIMIT,
    });
    if (db?.schema) this.#rest = this.#rest.schema(db.schema);
    this.auth = getAccessToken ? refuseAuth() : createAuth(shared, url, supabaseKey, options);
    this.realtime = new RealtimeClient(
      { ...shared.realtimeOptions, ...ownToken },
      getAccessToken !== undefined,
    );
    const { heartbeatCallback } = options.realtime ?? {};
    if (heartbeatCallback) this.realtime.onHeartbeat(heartbeatCallback);
    const connection = { ...shared.connection, ...ownToken, headers: options.global?.headers ?? {} };
    // The vendor's clients have no deadline.
    this.storage = createStorage({ ...connection, timeoutMs: Infinity }, options.storage);
    this.functions = new FunctionsClient({ ...connection, timeoutMs: Infinity });
  }

  /** Queries a table or view. */
  from<T extends RelationName<Known<Database>[Name]>>(
    relation: T,
    options?: PostgrestQueryBuilderOptions,
  ): PostgrestQueryBuilder<DatabaseModel<Known<Database>, Name, T>> {
    return this.#rest.from(relation, options);
  }

  /** Queries another schema. */
  schema<S extends SchemaOf<Database>>(name: S): PostgrestClient<Database, S> {
    return this.#rest.schema(name);
  }

  /** Calls a function of the database. */
  rpc<F extends FunctionName<Known<Database>[Name]>, const A extends ArgsOf<Known<Database>[Name], F>>(
    name: F,
    args?: A,
    options?: RpcOptions,
  ): RpcBuilder<Known<Database>, Name, F, ReturnsOf<Known<Database>[Name], F, A>> {
    return this.#rest.rpc(name, args, options);
  }

  /** Describes the tables, views and functions that the caller may use. */
  getOpenApiSpec(): PostgrestFilterBuilder<Model, Untyped> {
    return this.#rest.getOpenApiSpec();
  }

  /** The channel of this name. */
  channel(name: string, options?: RealtimeChannelOptions): RealtimeChannel {
    return this.realtime.channel(name, options);
  }

  /** All channels that were not removed. */
  getChannels(): RealtimeChannel[] {
    return this.realtime.getChannels();
  }

  /** Leaves a channel. */
  removeChannel(channel: RealtimeChannel) {
    return this.realtime.removeChannel(channel);
  }

  /** Leaves all channels. */
  removeAllChannels() {
    return this.realtime.removeAllChannels();
  }
}

/**
 * Creates the vendor's client over the native ones, so that a project of `@supabase/supabase-js` changes one import and then
 * moves call by call. It restores the session at once, as the vendor's does.
 *
 * @throws {Error} without a URL or a key, and for a URL that is not http(s).
 * @example
 * ```ts
 * import { createClient } from 'supabase-protocol-clients/compat';
 *
 * const supabase = createClient<Database>(url, apiKey);
 * const { data, error } = await supabase.from('notifications').select('id, status').eq('status', 'unread');
 * if (error) console.log(error.code);
 * else console.log(data.length);
 * ```
 */
export function createClient<Database = Untyped, Name extends SchemaOf<Database> = DefaultSchemaOf<Database>>(
  supabaseUrl: string,
  supabaseKey: string,
  options?: SupabaseClientOptions<Name>,
): SupabaseClient<Database, Name> {
  return new SupabaseClient<Database, Name>(supabaseUrl, supabaseKey, options);
}

/** @throws {Error} with the vendor's messages. */
function parseProjectUrl(text: string): string {
  const url = text?.trim();
  if (!url) throw new Error('supabaseUrl is required.');
  if (!/^https?:\/\//i.test(url)) throw new Error('Invalid supabaseUrl: Must be a valid HTTP or HTTPS URL.');
  try {
    // React Native lacks `URL.canParse`.
    void new URL(url);
  } catch (cause) {
    throw new Error('Invalid supabaseUrl: Provided URL is malformed.', { cause });
  }
  return url.replace(/^https?/i, (scheme) => scheme.toLowerCase());
}

function createShared(url: string, apiKey: string, options: SupabaseClientOptions): SharedAuth {
  const { auth = {}, db = {}, realtime = {}, global = {} } = options;
  const store = createStore(auth);
  const deadlineMs = db.timeout !== undefined && db.timeout > 0 ? db.timeout : Infinity;
  const { authorization: _authorization, ...headersOfAuth } = Object.fromEntries(
    Object.entries(global.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const ownPlatform = createOwnPlatform(realtime.transport, global.fetch);
  const platform = realtime.worker ? withWorker(ownPlatform) : ownPlatform;
  return createSharedAuth({
    url,
    apiKey,
    platform,
    ...(store && { store }),
    auth: {
      // A caller's own `Authorization` header is for the other services: the auth service gets the session's token.
      headers: headersOfAuth,
      autoRefresh: auth.autoRefreshToken ?? true,
      acceptImplicitFlow: auth.flowType !== 'pkce',
      ...(auth.storageKey && { storageKey: auth.storageKey }),
      ...addressOf(auth.detectSessionInUrl, platform.report),
    },
    rest: {
      ...(global.headers && { headers: global.headers }),
      timeoutMs: deadlineMs,
      attemptTimeoutMs: deadlineMs,
      // A long URL is sent: the vendor's client only names its length in the hint of a failure.
      maxUrlLength: Infinity,
    },
    realtime: { ...toNativeOptions(realtime), ...(global.headers && { headers: global.headers }) },
  });
}

function createOwnPlatform(
  transport: (new (url: string) => object) | undefined,
  fetch: typeof globalThis.fetch | undefined,
): Platform {
  return createPlatform({
    fetch: fetch
      ? completeResponses(withVendorHeaders(fetch))
      : completeResponses((input, init) => globalThis.fetch(input, init)),
    ...(transport && { openSocket: (url) => adaptWebSocket(new transport(url) as WebSocketLike) }),
  });
}

/**
 * Returns undefined outside of a page, where each native client keeps its session in memory: Deno and Node have one `localStorage` for
 * all requests of a process.
 */
function createStore({
  storage,
  persistSession = true,
}: NonNullable<SupabaseClientOptions['auth']>): AuthStore | undefined {
  if (storage && persistSession)
    return {
      get: (key) => storage.getItem(key),
      set: (key, value) => storage.setItem(key, value),
      remove: (key) => storage.removeItem(key),
    };
  if (typeof document === 'undefined') return undefined;
  return persistSession && hasLocalStorage()
    ? createWebStorageStore(() => localStorage)
    : createMemoryStore();
}

/** A browser that blocks storage throws at the mere access, and an Android web view without it has null. */
function hasLocalStorage(): boolean {
  try {
    return typeof localStorage === 'object' && localStorage !== null;
  } catch {
    return false;
  }
}

function createAuth(
  { auth, connection }: SharedAuth,
  url: string,
  secretKey: string,
  {
    auth: { throwOnError = false, skipAutoInitialize = false, issuer } = {},
    global = {},
  }: SupabaseClientOptions,
): SupabaseAuthClient {
  const { platform } = connection;
  const { report } = platform;
  if (!skipAutoInitialize) auth.start().catch(report);
  return createAuthMethods({
    auth: withOwnToken(auth, global.headers),
    async loadAdminClient() {
      const { createAdminClient } = await import('../auth-client/admin/admin.ts');
      return () => createAdminClient({ url, secretKey, platform });
    },
    throwOnError,
    issuer,
  });
}

/** `getUser()` of a client with a caller's `Authorization` header returns that caller's user. */
function withOwnToken(auth: AuthClient, headers: Readonly<Record<string, string>> = {}): AuthClient {
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization');
  const accessToken = /^Bearer (.+)$/i.exec(header?.[1] ?? '')?.[1];
  if (accessToken === undefined) return auth;
  return {
    ...auth,
    getUser: (options) => auth.getUser({ ...options, accessToken: options?.accessToken ?? accessToken }),
  };
}

/** A client with tokens of another provider has no session. */
function refuseAuth(): SupabaseAuthClient {
  return new Proxy({} as SupabaseAuthClient, {
    get(_target, name) {
      throw new Error(
        `Supabase Client is configured with the accessToken option, accessing supabase.auth.${String(name)} is not possible`,
      );
    },
  });
}
