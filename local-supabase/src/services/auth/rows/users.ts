import type { Sql } from '../../../database/database.ts';
import { listFactors } from './factor.ts';
import { internal } from '../http/errors.ts';
import { listIdentities } from './identity.ts';
import { insertRow, nilUuid, stored, updateRow, type Values } from './rows.ts';
import type { Metadata, User, UserRow } from './user.ts';

export interface NewUser {
  readonly id?: string;
  readonly aud: string;
  readonly email?: string;
  readonly phone?: string;
  /** bcrypt hash. */
  readonly passwordHash?: string;
  readonly userMetadata: Metadata;
  readonly appMetadata: Metadata;
  readonly isAnonymous?: boolean;
  readonly isSsoUser?: boolean;
  readonly role?: string;
}

async function complete(sql: Sql, row: UserRow): Promise<User> {
  return { ...row, identities: await listIdentities(sql, row.id), factors: await listFactors(sql, row.id) };
}

async function findOne(sql: Sql, condition: string, params: readonly unknown[]): Promise<User | undefined> {
  const [row] = await sql.query<UserRow>(`select * from auth.users where ${condition} limit 1`, params);
  return row && complete(sql, row);
}

export const findUserById = async (sql: Sql, id: string): Promise<User | undefined> =>
  findOne(sql, 'id = $1', [id]);

/** Reads a user whose row exists, because another row refers to it. */
export async function loadUser(sql: Sql, id: string): Promise<User> {
  const [row] = await sql.query<UserRow>('select * from auth.users where id = $1', [id]);
  return complete(sql, stored(row, 'auth.users'));
}

export const findUserByEmail = async (sql: Sql, email: string, aud: string): Promise<User | undefined> =>
  findOne(sql, 'lower(email) = $1 and aud = $2 and is_sso_user = false', [email.toLowerCase(), aud]);

export const findUserByPhone = async (sql: Sql, phone: string, aud: string): Promise<User | undefined> =>
  findOne(sql, 'phone = $1 and aud = $2 and is_sso_user = false', [phone, aud]);

export const findUserByPhoneChange = async (
  sql: Sql,
  phone: string,
  aud: string,
): Promise<User | undefined> =>
  findOne(sql, 'phone_change = $1 and aud = $2 and is_sso_user = false', [phone, aud]);

/** Finds another user with `email` as the account's address or in an identity that links by address. */
export async function findOtherUserByEmail(
  sql: Sql,
  email: string,
  aud: string,
  exceptUserId?: string,
): Promise<User | undefined> {
  const holder = await findOne(
    sql,
    `aud = $2 and id is distinct from $3 and id in (
       select user_id from auth.identities where email = $1 and provider not like 'sso:%')`,
    [email.toLowerCase(), aud, exceptUserId ?? null],
  );
  return holder ?? findUserByEmail(sql, email, aud);
}

/**
 * Inserts a user. Throws 500 unexpected_failure with the message `failure` when the database rejects the row: a
 * concurrent sign-up took the address, or a value cannot be stored.
 */
export async function createUser(
  sql: Sql,
  now: Date,
  user: NewUser,
  failure = 'Database error saving new user',
): Promise<User> {
  const row = await insertRow<UserRow>(sql, 'auth.users', userValues(now, user)).catch((cause: unknown) => {
    throw internal(failure, cause);
  });
  return { ...row, identities: [], factors: [] };
}

const userValues = (now: Date, user: NewUser): Values => ({
  instance_id: nilUuid,
  id: user.id ?? crypto.randomUUID(),
  aud: user.aud,
  role: user.role ?? 'authenticated',
  email: user.email?.toLowerCase() || null,
  phone: user.phone || null,
  encrypted_password: user.passwordHash ?? '',
  confirmation_token: '',
  recovery_token: '',
  email_change_token_new: '',
  email_change: '',
  raw_app_meta_data: user.appMetadata,
  raw_user_meta_data: user.userMetadata,
  is_anonymous: user.isAnonymous ?? false,
  is_sso_user: user.isSsoUser ?? false,
  created_at: now,
  updated_at: now,
});

/** Writes `changes` and returns the stored user with fresh identities and factors. */
export async function updateUser(sql: Sql, now: Date, user: UserRow, changes: Values): Promise<User> {
  return complete(sql, await updateRow<UserRow>(sql, 'auth.users', user.id, { ...changes, updated_at: now }));
}

function merge(current: Metadata | null, changes: Metadata): Metadata {
  return Object.fromEntries(Object.entries({ ...current, ...changes }).filter(([, value]) => value !== null));
}

/** Merges `changes` into user_metadata; null removes a key. */
export const mergeUserMetadata = async (sql: Sql, now: Date, user: User, changes: Metadata): Promise<User> =>
  updateUser(sql, now, user, { raw_user_meta_data: merge(user.raw_user_meta_data, changes) });

/** Merges `changes` into app_metadata; null removes a key. */
export const mergeAppMetadata = async (sql: Sql, now: Date, user: User, changes: Metadata): Promise<User> =>
  updateUser(sql, now, user, { raw_app_meta_data: merge(user.raw_app_meta_data, changes) });

/** Sets the providers in app_metadata to those of the user's identities, oldest first. */
export async function refreshProviders(sql: Sql, now: Date, user: User): Promise<User> {
  const providers = [...new Set((await listIdentities(sql, user.id)).map((identity) => identity.provider))];
  const [provider] = providers;
  return mergeAppMetadata(sql, now, user, { providers, ...(provider !== undefined && { provider }) });
}

export async function deleteUser(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from auth.flow_state where user_id = $1', [id]);
  await sql.query('delete from auth.users where id = $1', [id]);
}
