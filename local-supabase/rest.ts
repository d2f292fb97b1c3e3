import { App } from '@supabase/lite';
import type { PgliteConnection } from '@supabase/lite/pglite';
import { statusOfDatabaseError } from './database/database-error.ts';
import type { DatabaseError } from './database/database-error.ts';
import type { PgliteDatabase } from './database/pglite-database.ts';
import type { Claims } from './keys/keys.ts';
import { quietly } from './quietly.ts';
import { prepareRequest, withListsForValues } from './rest-request.ts';
import { watchSession } from './rest-session.ts';

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

/** How the vendor's implementation refuses, before it asks the database, a value that it took for JSON. */
const MISREAD = 'Invalid input for string type';

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
  const session = watchSession(connection);
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
      const prepared = await prepareRequest(request);
      const answer = async (inner: Request) => {
        callers.set(inner, claims);
        session.begin(prepared);
        return quietly(async () => app.fetch(inner));
      };
      const { response, failure } = await database.exclusive(async () => {
        const again = prepared.request.clone();
        const first = await answer(prepared.request);
        const isMisread = first.status === 500 && (await first.clone().text()).includes(MISREAD);
        const second = isMisread ? await answer(new Request(withListsForValues(again.url), again)) : first;
        return { response: second, failure: session.failure() };
      });
      const isHead = request.method === 'HEAD';
      return response.status < 300
        ? finish(response, request.method)
        : refuse(response, isHead, claims, failure);
    },
    close: stopListening,
  };
}

/** An update tells which rows it changed, as a read does. */
function finish(response: Response, method: string): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  const [, count] = /^\*\/([1-9]\d*)$/.exec(headers.get('content-range') ?? '') ?? [];
  if (method === 'PATCH' && count) headers.set('content-range', `0-${Number(count) - 1}/${count}`);
  return new Response(method === 'HEAD' ? null : response.body, { status, statusText, headers });
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

function readErrorCode(text: string): string | null {
  try {
    const { code } = JSON.parse(text) as { code?: unknown };
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}
