import { audienceOf } from '../sessions/authentication.ts';
import type { Call, JsonObject } from '../http/call.ts';
import { recordAudit } from '../rows/audit.ts';
import { confirmEmail, removeUnconfirmed } from '../users/confirmation.ts';
import { nowDate, type AuthContext, type Transaction } from '../context.ts';
import { badRequest, CommitThenThrow, forbidden, notFound, unprocessable } from '../http/errors.ts';
import { isHookEnabled } from '../hooks/invoke-hook.ts';
import { prepareUser } from '../hooks/before-user-created.ts';
import { createIdentity, findIdentity, type Identity } from '../rows/identity.ts';
import { notifyOfChange } from '../mail/account-change.ts';
import { sendConfirmation } from '../mail/mail.ts';
import { findUserByOneTimeToken } from '../rows/one-time-token.ts';
import { updateRow } from '../rows/rows.ts';
import { isBanned, type User } from '../rows/user.ts';
import { createUser, loadUser, type NewUser, mergeUserMetadata, refreshProviders } from '../rows/users.ts';
import { type Decision, decideLinking } from './linking.ts';
import { adoptEmailOfIdentities } from './primary-email.ts';
import type { Profile } from '../rows/provider-profile.ts';

interface Account {
  readonly user: User;
  readonly identity: Identity;
}

/** The values of a new account. Throws 422 signup_disabled. */
function newAccountOf(
  { settings }: AuthContext,
  { provider, data }: Profile,
  email: string,
  aud: string,
): NewUser {
  if (settings.disableSignup) throw unprocessable('signup_disabled', 'Signups not allowed for this instance');
  const appMetadata = { provider, providers: [provider] };
  return { aud, email, userMetadata: data, appMetadata, isSsoUser: provider.startsWith('sso:') };
}

/**
 * Calls the project's hook for the account that `signInByProvider` is about to create, if any. Throws the hook's error;
 * 422 signup_disabled.
 *
 * @param tx the current transaction, if the hook cannot run before it.
 */
export async function runHookForNewAccount(
  context: AuthContext,
  call: Call,
  profile: Profile,
  tx?: Transaction,
): Promise<void> {
  if (!isHookEnabled(context, 'before_user_created')) return;
  const aud = audienceOf(context, call);
  const decision = await decideLinking(context, tx?.sql ?? context.database, profile, aud);
  if (decision.type === 'create')
    await prepareUser(context, call, newAccountOf(context, profile, decision.email, aud), tx?.sql);
}

async function createAccount(
  context: AuthContext,
  tx: Transaction,
  profile: Profile,
  email: string,
  aud: string,
): Promise<Account> {
  const now = nowDate(context);
  const created = await createUser(tx.sql, now, newAccountOf(context, profile, email, aud));
  const identity = await createIdentity(tx.sql, now, created.id, profile.provider, profile.data);
  return { user: await loadUser(tx.sql, created.id), identity };
}

const identityTraits = ({ id, provider, provider_id }: Identity): JsonObject => ({
  identity_id: id,
  provider,
  provider_id,
});

async function applyDecision(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  profile: Profile,
  decision: Decision,
  aud: string,
): Promise<Account> {
  const now = nowDate(context);
  if (decision.type === 'create') return createAccount(context, tx, profile, decision.email, aud);
  const identity =
    decision.type === 'link'
      ? await createIdentity(tx.sql, now, decision.user.id, profile.provider, profile.data)
      : await updateRow<Identity>(tx.sql, 'auth.identities', decision.identity.id, {
          identity_data: profile.data,
          last_sign_in_at: now,
          updated_at: now,
        });
  const user = await mergeUserMetadata(tx.sql, now, decision.user, profile.data);
  const updated = await refreshProviders(tx.sql, now, user);
  const details = { traits: identityTraits(identity), ip: call.ip };
  if (decision.type === 'link') await recordAudit(context, tx.sql, updated, 'identity_linked', details);
  return { user: updated, identity };
}

async function confirmOrRefuse(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  { user, identity }: Account,
  profile: Profile,
): Promise<User> {
  const now = nowDate(context);
  const cleaned = await removeUnconfirmed(tx.sql, now, user, identity);
  const { provider } = profile;
  if (profile.isEmailVerified || context.settings.mailerAutoconfirm) {
    await recordAudit(context, tx.sql, cleaned, 'user_signedup', { traits: { provider } });
    return confirmEmail(tx.sql, now, cleaned);
  }
  const hasEmail = Boolean(cleaned.email);
  const mailed = hasEmail ? await sendConfirmation(context, call, tx, cleaned, 'implicit') : cleaned;
  if (context.settings.allowUnverifiedEmailSignIns) return mailed;
  const way = hasEmail
    ? `A confirmation email has been sent to your ${provider} email`
    : `Verify the email with ${provider} in order to sign in`;
  throw new CommitThenThrow(
    unprocessable('provider_email_needs_verification', `Unverified email with ${provider}. ${way}`),
  );
}

/** Signs in with a provider's profile: finds, links or creates the account. */
export async function signInByProvider(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  profile: Profile,
): Promise<User> {
  const aud = audienceOf(context, call);
  const decision = await decideLinking(context, tx.sql, profile, aud);
  const account = await applyDecision(context, call, tx, profile, decision, aud);
  if (isBanned(account.user, context.now())) throw forbidden('user_banned', 'User is banned');
  const isWithoutEmail = profile.isEmailOptional && profile.email === '';
  if (!isWithoutEmail && account.user.email_confirmed_at === null)
    return confirmOrRefuse(context, call, tx, account, profile);
  await recordAudit(context, tx.sql, account.user, 'login', { traits: { provider: profile.provider } });
  return account.user;
}

/** Links a provider's identity to a signed-in user. Throws 422 identity_already_exists, email_not_confirmed. */
export async function linkToUser(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  target: User,
  profile: Profile,
): Promise<User> {
  const now = nowDate(context);
  const { provider, data, isEmailVerified } = profile;
  const existing = await findIdentity(tx.sql, data.sub, provider);
  if (existing !== undefined) {
    const whose = existing.user_id === target.id ? '' : ' to another user';
    throw unprocessable('identity_already_exists', `Identity is already linked${whose}`);
  }
  const identity = await createIdentity(tx.sql, now, target.id, provider, data);
  const details = { traits: identityTraits(identity), ip: call.ip };
  await recordAudit(context, tx.sql, target, 'identity_linked', details);
  let user = await loadUser(tx.sql, target.id);
  if (!user.email) {
    user = await adoptEmailOfIdentities(context, tx, user, () =>
      badRequest('email_exists', 'A user with this email address has already been registered'),
    );
    if (!isEmailVerified) {
      await sendConfirmation(context, call, tx, user, 'implicit');
      const message = `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`;
      throw new CommitThenThrow(unprocessable('email_not_confirmed', message));
    }
    user = await confirmEmail(tx.sql, now, user);
    await updateRow(tx.sql, 'auth.users', user.id, { is_anonymous: false });
    user = await loadUser(tx.sql, user.id);
  }
  const linked = await refreshProviders(tx.sql, now, user);
  await notifyOfChange(context, call, { change: 'identity_linked', user: linked, provider, tx });
  return linked;
}

/** Accepts an invitation by signing in at a provider with the invited address. Throws 404 invite_not_found. */
export async function acceptInvite(
  context: AuthContext,
  tx: Transaction,
  inviteToken: string,
  profile: Profile,
): Promise<User> {
  const now = nowDate(context);
  const invited = await findUserByOneTimeToken(tx.sql, inviteToken, ['confirmation_token']);
  if (invited === undefined) throw notFound('invite_not_found', 'Invite not found');
  if (invited.email !== profile.email)
    throw badRequest('validation_failed', 'Invited email does not match emails from external provider');
  const details = { traits: { provider: profile.provider } };
  await recordAudit(context, tx.sql, invited, 'invite_accepted', details);
  const identity = await createIdentity(tx.sql, now, invited.id, profile.provider, profile.data);
  const user = await removeUnconfirmed(tx.sql, now, await loadUser(tx.sql, invited.id), identity);
  return confirmEmail(tx.sql, now, user);
}
