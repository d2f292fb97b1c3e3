import type { AuthContext } from '../context.ts';
import type { Sql } from '../../../database/database.ts';
import { internal } from '../http/errors.ts';
import { findIdentity, type Identity } from '../rows/identity.ts';
import type { User } from '../rows/user.ts';
import { findUserByEmail, findOtherUserByEmail, loadUser } from '../rows/users.ts';
import type { Profile } from '../rows/provider-profile.ts';

/** What a sign-in at a provider does with accounts. `email` is the new address of the account. */
export type Decision =
  | { readonly type: 'known'; readonly user: User; readonly identity: Identity }
  | { readonly type: 'link'; readonly user: User }
  | { readonly type: 'create'; readonly email: string };

const linksByEmail = (provider: string): boolean => !provider.startsWith('sso:');

async function findSimilarUser(sql: Sql, profile: Profile, aud: string): Promise<User | undefined> {
  const rows = await sql.query<{ user_id: string; provider: string }>(
    'select distinct user_id, provider from auth.identities where email = $1',
    [profile.email],
  );
  const isSameDomain = (provider: string): boolean =>
    linksByEmail(profile.provider) ? linksByEmail(provider) : provider === profile.provider;
  const userIds = new Set(rows.filter(({ provider }) => isSameDomain(provider)).map((row) => row.user_id));
  if (userIds.size > 1)
    throw internal(
      'Multiple accounts with the same email address in the same linking domain detected: default',
    );
  const [userId] = userIds;
  if (userId !== undefined) return loadUser(sql, userId);
  return linksByEmail(profile.provider) ? findUserByEmail(sql, profile.email, aud) : undefined;
}

/** Decides whether `profile` is a known identity, belongs to an account with the same verified address, or is new. */
export async function decideLinking(
  context: AuthContext,
  sql: Sql,
  profile: Profile,
  aud: string,
): Promise<Decision> {
  const identity = await findIdentity(sql, profile.data.sub, profile.provider);
  if (identity !== undefined) return { type: 'known', user: await loadUser(sql, identity.user_id), identity };
  const isTrusted = profile.email !== '' && (profile.isEmailVerified || context.settings.mailerAutoconfirm);
  if (isTrusted) {
    const user = await findSimilarUser(sql, profile, aud);
    return user ? { type: 'link', user } : { type: 'create', email: profile.email };
  }
  const isTaken = profile.email !== '' && (await findOtherUserByEmail(sql, profile.email, aud)) !== undefined;
  return { type: 'create', email: isTaken ? '' : profile.email };
}
