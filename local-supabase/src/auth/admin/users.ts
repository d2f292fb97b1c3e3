import { createHash } from 'node:crypto';

import { audienceOf, requireAdmin } from '../sessions/authentication.ts';
import { type Call, readFlag, sendJson } from '../http/call.ts';
import { noPendingTokens } from '../users/confirmation.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { internal, invalid, notFound } from '../http/errors.ts';
import { clearOneTimeTokens } from '../rows/one-time-token.ts';
import { isUuid, updateRow } from '../rows/rows.ts';
import { deleteSessions } from '../rows/session.ts';
import { encodeUser, type User, type UserRow } from '../rows/user.ts';
import { deleteUser, findUserById, updateUser } from '../rows/users.ts';

const usualPageSize = 50;

/** Returns the user that the path names, to an administrator. Throws 403 not_admin; 404 user_not_found, validation_failed. */
export async function requireUserAsAdmin(context: AuthContext, call: Call): Promise<User> {
  await requireAdmin(context, call);
  const id = call.params['user_id'] ?? '';
  if (!isUuid(id)) throw notFound('validation_failed', 'user_id must be an UUID');
  const user = await findUserById(context.database, id);
  if (user === undefined) throw notFound('user_not_found', 'User not found');
  return user;
}

/** The largest unsigned 64-bit number: Go parses page numbers as `uint64`. */
const maxUint64 = 2n ** 64n - 1n;

function readNumber(call: Call, name: string, fallback: number): number {
  const text = call.url.searchParams.get(name) ?? '';
  if (text === '') return fallback;
  const refuse = (reason: string): Error =>
    invalid(`Bad Pagination Parameters: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${reason}`);
  if (!/^\d+$/.test(text)) throw refuse('invalid syntax');
  if (BigInt(text) > maxUint64) throw refuse('value out of range');
  return Number(text);
}

type SortOrder = 'asc' | 'desc';

/** Reads `sort=created_at asc|desc`; descending by default. Throws 400 validation_failed. */
function readSortOrder(call: Call): SortOrder {
  const [field = '', order = 'desc'] = (call.url.searchParams.get('sort') ?? 'created_at').split(' ');
  if (field !== 'created_at') throw invalid(`Bad Sort Parameters: bad field for sort '${field}'`);
  if (order !== 'asc' && order !== 'desc')
    throw invalid(`Bad Sort Parameters: bad direction for sort '${order}', only 'asc' and 'desc' allowed`);
  return order;
}

function addPageLinks(call: Call, page: number, pageSize: number, total: number): void {
  const pages = Math.ceil(total / pageSize);
  const linkTo = (target: number, rel: string): string => {
    const query = new URLSearchParams(call.url.search);
    query.set('page', String(target));
    query.sort();
    return `<${call.url.pathname.replace(/^\/auth\/v1/, '')}?${query.toString()}>; rel="${rel}"`;
  };
  const links = [...(pages > page ? [linkTo(page + 1, 'next')] : []), linkTo(pages, 'last')];
  call.answerHeaders.set('Link', links.join(', '));
  call.answerHeaders.set('X-Total-Count', String(total));
}

/** GET /admin/users: a page of users, newest first, without identities, as in GoTrue. */
export async function listUsers(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  const aud = audienceOf(context, call);
  const page = readNumber(call, 'page', 1);
  const pageSize = readNumber(call, 'per_page', usualPageSize);
  const order = readSortOrder(call);
  if (pageSize === 0) throw internal('Internal Server Error');
  const offset = Math.max(page - 1, 0) * pageSize;
  if (offset > Number.MAX_SAFE_INTEGER) throw internal('Database error finding users');
  const filter = call.url.searchParams.get('filter') ?? '';
  const condition = `aud = $1 and ($2 = '' or email like '%' || $2 || '%'
    or raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')`;
  const { database } = context;
  const [count] = await database.query<{ total: number }>(
    `select count(*)::int as total from auth.users where ${condition}`,
    [aud, filter],
  );
  const rows = await database.query<UserRow>(
    `select * from auth.users where ${condition} order by created_at ${order}, id limit $3 offset $4`,
    [aud, filter, Math.min(pageSize, Number.MAX_SAFE_INTEGER), offset],
  );
  addPageLinks(call, page, pageSize, count?.total ?? 0);
  const users = rows.map((row) =>
    Object.assign(encodeUser({ ...row, identities: [], factors: [] }), { identities: null }),
  );
  return sendJson(call, { users, aud });
}

/** GET /admin/users/:user_id. */
export async function readUser(context: AuthContext, call: Call): Promise<Response> {
  return sendJson(call, encodeUser(await requireUserAsAdmin(context, call)));
}

/** Keeps the row and removes everything that identifies the person. */
async function obscure(context: AuthContext, tx: Transaction, user: User): Promise<void> {
  const hide = (value: string): string =>
    createHash('sha256')
      .update(user.id + value)
      .digest('base64url');
  for (const identity of user.identities)
    await updateRow(tx.sql, 'auth.identities', identity.id, {
      identity_data: {},
      provider_id: hide(`${identity.provider}:${identity.provider_id}`),
    });
  await updateUser(tx.sql, nowDate(context), user, {
    ...noPendingTokens,
    email: hide(user.email ?? ''),
    phone: hide(user.phone ?? '').slice(0, 15),
    email_change: hide(user.email_change ?? ''),
    phone_change: hide(user.phone_change ?? '').slice(0, 15),
    encrypted_password: null,
    raw_user_meta_data: {},
    raw_app_meta_data: {},
    deleted_at: nowDate(context),
  });
  await clearOneTimeTokens(tx.sql, user.id);
  await tx.sql.query('delete from auth.mfa_factors where user_id = $1', [user.id]);
  await tx.sql.query('delete from auth.webauthn_credentials where user_id = $1', [user.id]);
  await deleteSessions(tx.sql, { userId: user.id });
}

/** DELETE /admin/users/:user_id: `{should_soft_delete?}`. */
export async function deleteUserAsAdmin(context: AuthContext, call: Call): Promise<Response> {
  const user = await requireUserAsAdmin(context, call);
  const isSoft = (await call.text()) !== '' && readFlag(await call.json(), 'should_soft_delete');
  await inTransaction(context, async (tx) => {
    if (!isSoft) await deleteUser(tx.sql, user.id);
    else if (user.deleted_at === null) await obscure(context, tx, user);
  });
  return sendJson(call, {});
}
