import { sha256 } from '@noble/hashes/sha2.js';

import { encodeBase64Url } from '../../../platform/base64.ts';
import { encodeUtf8 } from '../../../platform/bytes.ts';
import { audienceOf, requireAdmin } from '../sessions/authentication.ts';
import { type Call, readFlag, sendJson, readParam } from '../http/call.ts';
import { addPageLinks, readPage } from './pagination.ts';
import { noPendingTokens } from '../users/confirmation.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { invalid, notFound } from '../http/errors.ts';
import { type Actor, recordAudit, userTraits } from '../rows/audit.ts';
import { clearOneTimeTokens } from '../rows/one-time-token.ts';
import { isUuid, updateRow } from '../rows/rows.ts';
import { deleteSessions } from '../rows/session.ts';
import { encodeUser, type User, type UserRow } from '../rows/user.ts';
import { deleteUser, findUserById, updateUser } from '../rows/users.ts';

/** Returns the user of the path and the administrator. Throws 403 not_admin; 404 user_not_found, validation_failed. */
export async function requireUserAsAdmin(
  context: AuthContext,
  call: Call,
): Promise<{ readonly user: User; readonly admin: Actor }> {
  const admin = await requireAdmin(context, call);
  const id = call.param('user_id');
  if (!isUuid(id)) throw notFound('validation_failed', 'user_id must be an UUID');
  const user = await findUserById(context.database, id);
  if (user === undefined) throw notFound('user_not_found', 'User not found');
  return { user, admin };
}

type SortOrder = 'asc' | 'desc';

/** Reads `sort=created_at asc|desc`, in any case; descending by default. Throws 400 validation_failed. */
function readSortOrder(call: Call): SortOrder {
  const [, field = '', given = 'desc'] =
    /^([^ ]*)(?: (.*))?$/s.exec(call.url.searchParams.get('sort') ?? 'created_at') ?? [];
  if (field !== 'created_at') throw invalid(`Bad Sort Parameters: bad field for sort '${field}'`);
  const order = given.toLowerCase();
  if (order !== 'asc' && order !== 'desc')
    throw invalid(`Bad Sort Parameters: bad direction for sort '${given}', only 'asc' and 'desc' allowed`);
  return order;
}

/** GET /admin/users: a page of users, newest first, without identities, as in GoTrue. */
export async function listUsers(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  const aud = audienceOf(context, call);
  const page = readPage(call, 'Database error finding users');
  const order = readSortOrder(call);
  const filter = readParam(call.url.searchParams, 'filter');
  const condition = `aud = $1 and ($2 = '' or email like '%' || $2 || '%'
    or raw_user_meta_data ->> 'full_name' ilike '%' || $2 || '%')`;
  const { database } = context;
  const [count] = await database.query<{ total: number }>(
    `select count(*)::int as total from auth.users where ${condition}`,
    [aud, filter],
  );
  const rows = await database.query<UserRow>(
    `select * from auth.users where ${condition} order by created_at ${order}, id limit $3 offset $4`,
    [aud, filter, page.size, page.offset],
  );
  addPageLinks(call, page, count?.total ?? 0);
  const users = rows.map((row) =>
    Object.assign(encodeUser({ ...row, identities: [], factors: [] }), { identities: null }),
  );
  return sendJson(call, { users, aud });
}

export async function readUser(context: AuthContext, call: Call): Promise<Response> {
  const { user } = await requireUserAsAdmin(context, call);
  return sendJson(call, encodeUser(user));
}

/** Keeps the row, and removes all personal data from it. */
async function obscure(context: AuthContext, tx: Transaction, user: User): Promise<void> {
  const hide = (value: string): string => encodeBase64Url(sha256(encodeUtf8(user.id + value)));
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
  const { user, admin } = await requireUserAsAdmin(context, call);
  const isSoft = (await call.text()) !== '' && readFlag(await call.json(), 'should_soft_delete');
  await inTransaction(context, async (tx) => {
    await recordAudit(context, tx.sql, admin, 'user_deleted', { traits: userTraits(user) });
    if (!isSoft) await deleteUser(tx.sql, user.id);
    else if (user.deleted_at === null) await obscure(context, tx, user);
  });
  return sendJson(call, {});
}
