import { App } from '@supabase/lite';
import type { PgliteConnection } from '@supabase/lite/pglite';
import { isDatabaseError, statusOfDatabaseError } from './database-error.ts';
import type { DatabaseError } from './database-error.ts';
import type { PgliteDatabase } from './database/pglite-database.ts';
import type { Claims } from './keys.ts';
import { quietly } from './quietly.ts';

/** The data service under /rest/v1. */
export interface RestService {
  /** @param claims of the caller's verified token; its `role` becomes the role in the database. */
  handle(request: Request, claims: Claims): Promise<Response>;
  close(): Promise<void>;
}

export interface RestServiceOptions {
  readonly database: PgliteDatabase;
  readonly connection: PgliteConnection;
  /** Most rows of one answer. Default 1000, as on a hosted project. */
  readonly maxRows?: number;
}

/**
 * PostgREST's interface by the vendor's implementation, on our session of the database.
 *
 * Its transactions are plain BEGIN and COMMIT on the shared session, so a request has the session for itself from
 * first to last; its body is read before. It takes the caller from the claims that are passed in, and checks no
 * token on its own.
 */
export async function createRestService(options: RestServiceOptions): Promise<RestService> {
  const { database, connection, maxRows = 1000 } = options;
  // Left to itself it would grant every role everything on every table with row-level security.
  Object.assign(connection, { rlsState: 'active' });
  const failures = watchFailures(connection);
  const callers = new WeakMap<Request, Claims>();
  const app = new App({
    connection,
    api: {
      enabled: true,
      schemas: ['public'],
      extra_search_path: ['public', 'extensions'],
      max_rows: maxRows,
    },
    auth: { enabled: false },
    studio: { enabled: false },
    options: {
      server: {
        disableStudio: true,
        apiKeys: {
          resolver: (_apiKey, context) =>
            Promise.resolve({
              type: 'publishable',
              claims: { role: 'anon', ...callers.get(context.req.raw) },
            }),
        },
      },
    },
  });
  await app.init();
  const stopListening = await database.listen('pgrst', () => void connection.clearSchemaCache());

  return {
    async handle(request, claims) {
      const inner = await prepare(request);
      callers.set(inner, claims);
      const { response, failure } = await database.exclusive(async () => {
        failures.forget();
        return { response: await quietly(async () => app.fetch(inner)), failure: failures.last() };
      });
      const isHead = request.method === 'HEAD';
      return response.status < 400 ? finish(response, isHead) : refuse(response, isHead, claims, failure);
    },
    close: stopListening,
  };
}

/** A HEAD is worked on as the GET that it stands for, so that its error is known. */
async function prepare(request: Request): Promise<Request> {
  const headers = new Headers(request.headers);
  headers.delete('authorization');
  headers.set('apikey', 'checked-by-the-gateway');
  const { method, url } = request;
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method: 'GET', headers });
  return new Request(url, { method, headers, body: await request.arrayBuffer() });
}

function finish(response: Response, isHead: boolean): Response {
  const { status, statusText, headers } = response;
  return isHead ? new Response(null, { status, statusText, headers }) : response;
}

/**
 * An error as PostgREST sends it. The vendor's implementation knows some of PostgreSQL's errors and calls the others
 * by a code of its own.
 */
async function refuse(
  response: Response,
  isHead: boolean,
  { role = 'anon' }: Claims,
  failure: DatabaseError | undefined,
): Promise<Response> {
  let text = await response.text();
  let { status } = response;
  let code = readErrorCode(text);
  if (failure && (code === 'SUP' || code === failure.code)) {
    const { message, detail = null, hint = null } = failure;
    code = failure.code;
    status = statusOfDatabaseError(failure, role);
    text = JSON.stringify({ code, details: detail, hint, message });
  }
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8' });
  // It is all that the answer to a HEAD can say.
  if (code) headers.set('proxy-status', `PostgREST; error=${code}`);
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  return new Response(isHead ? null : text, { status, headers });
}

interface Failures {
  forget(): void;
  last(): DatabaseError | undefined;
}

/** Remembers what PostgreSQL last refused on this connection. */
function watchFailures({ driver }: PgliteConnection): Failures {
  let last: DatabaseError | undefined;
  const query = driver.query.bind(driver);
  driver.query = async (text, params, options) => {
    try {
      return await query(text, params, options);
    } catch (problem) {
      if (isDatabaseError(problem)) last = problem;
      throw problem;
    }
  };
  return {
    forget() {
      last = undefined;
    },
    last: () => last,
  };
}

function readErrorCode(text: string): string | null {
  try {
    const { code } = JSON.parse(text) as { code?: unknown };
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}
