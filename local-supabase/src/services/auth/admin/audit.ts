import type { AuthContext } from '../context.ts';
import { type Call, type JsonObject, sendJson, readParam } from '../http/call.ts';
import { invalid } from '../http/errors.ts';
import { requireAdmin } from '../sessions/authentication.ts';
import { addPageLinks, readPage } from './pagination.ts';

interface AuditRow {
  readonly id: string;
  readonly payload: JsonObject;
  readonly created_at: Date;
  readonly ip_address: string;
}

/** The members of an entry that each scope of a query searches. */
const searchedMembers: ReadonlyMap<string, readonly string[]> = new Map([
  ['author', ['actor_username', 'actor_name']],
  ['action', ['action']],
  ['type', ['log_type']],
]);

interface Search {
  readonly members: readonly string[];
  readonly text: string;
}

/** Reads `query=<scope>:<text>`. Throws 400 validation_failed for an unknown scope. */
function readSearch(call: Call): Search {
  const query = readParam(call.url.searchParams, 'query');
  if (query === '') return { members: [], text: '' };
  const colon = query.indexOf(':');
  const members = searchedMembers.get(query.slice(0, colon));
  if (members === undefined || colon < 0) throw invalid(`Invalid query scope: ${query}`);
  return { members, text: query.slice(colon + 1) };
}

/** GET /admin/audit: a page of the recorded actions, newest first; `query=author|action|type:<text>` searches. */
export async function listAuditEntries(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  const { database } = context;
  const page = readPage(call, 'Error searching for audit logs');
  const { members, text } = readSearch(call);
  const matches = members.map((member) => `payload ->> '${member}' ilike '%' || $1 || '%'`);
  const condition = [`$1 = ''`, ...matches].join(' or ');
  const [count] = await database.query<{ total: number }>(
    `select count(*)::int as total from auth.audit_log_entries where ${condition}`,
    [text],
  );
  // Entries of one moment are in the order in which they were written.
  const entries = await database.query<AuditRow>(
    `select id, payload, created_at, ip_address from auth.audit_log_entries where ${condition}
     order by created_at desc, xmin::text::bigint desc, cmin::text::bigint desc, ctid desc limit $2 offset $3`,
    [text, page.size, page.offset],
  );
  addPageLinks(call, page, count?.total ?? 0);
  return sendJson(call, entries);
}
