import { createDigits } from '../../../platform/random.ts';
import type { Call } from '../http/call.ts';
import { nowDate, type AuthContext, type Transaction } from '../context.ts';
import { tooManyRequests } from '../http/errors.ts';
import { isHookEnabled } from '../hooks/invoke-hook.ts';
import { sendEmailByHook } from '../hooks/message-hooks.ts';
import { countMail, deliver } from './deliver.ts';
import type { CodeMailKind } from './mail-template.ts';
import { hashCode, pkcePrefix, storeOneTimeToken } from '../rows/one-time-token.ts';
import { redirectTargetOf } from '../http/redirect-url.ts';
import type { User } from '../rows/user.ts';
import { updateUser } from '../rows/users.ts';

/** Whether the redirect of a mail's link contains a code to exchange (RFC 7636) or tokens. */
export type LinkFlow = 'pkce' | 'implicit';

interface OutgoingLetter {
  readonly kind: CodeMailKind;
  readonly to: string;
  readonly code: string;
  readonly tokenHash: string;
  readonly newEmail?: string;
}

/** The verification type of each mail's link; a reauthentication has no link. */
const linkTypes: Readonly<Record<CodeMailKind, string>> = {
  confirmation: 'signup',
  invite: 'invite',
  magic_link: 'magiclink',
  recovery: 'recovery',
  email_change: 'email_change',
  reauthentication: 'reauthentication',
};

/** Throws 429 over_email_send_rate_limit when the last mail was sent too recently. */
export function checkMailFrequency(context: AuthContext, sentAt: Date | null): void {
  checkFrequency(context, sentAt, context.settings.emailMaxFrequencySeconds, 'over_email_send_rate_limit');
}

/** Throws 429 `code` with the seconds left, when `sentAt` is less than `seconds` ago. */
export function checkFrequency(
  context: AuthContext,
  sentAt: Date | null,
  seconds: number,
  code: string,
): void {
  const leftMs = sentAt === null ? 0 : sentAt.getTime() + seconds * 1000 - context.now();
  if (leftMs <= 0) return;
  const left = Math.floor(leftMs / 1000);
  throw tooManyRequests(code, `For security purposes, you can only request this after ${left} seconds.`);
}

/** The link of a mail. As in GoTrue, the target is encoded only if it contains `&`, `=` or `#`. */
export function createActionLink(call: Call, tokenHash: string, type: string, redirectTo: string): string {
  const target = /[&=#]/.test(redirectTo) ? encodeURIComponent(redirectTo) : redirectTo;
  return `${call.authUrl}/verify?token=${encodeURIComponent(tokenHash)}&type=${type}&redirect_to=${target}`;
}

async function post(context: AuthContext, call: Call, user: User, letter: OutgoingLetter): Promise<void> {
  const redirectTo = redirectTargetOf(context, call);
  const { kind, to, code, tokenHash, newEmail } = letter;
  const fields = {
    SiteURL: context.siteUrl,
    Email: user.email ?? '',
    Token: code,
    Data: user.raw_user_meta_data ?? {},
    ...(kind !== 'reauthentication' && {
      TokenHash: tokenHash,
      ConfirmationURL: createActionLink(call, tokenHash, linkTypes[kind], redirectTo),
      RedirectTo: redirectTo,
    }),
    ...(newEmail !== undefined && { NewEmail: newEmail, SendingTo: to }),
  };
  await deliver(context, kind, to, fields);
}

/** Sends the mail, through the project's hook if it has one. */
async function send(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  letter: OutgoingLetter,
): Promise<void> {
  if (!isHookEnabled(context, 'send_email')) return post(context, call, user, letter);
  countMail(context);
  const { kind, code, tokenHash } = letter;
  const data = { email_action_type: linkTypes[kind], token: code, token_hash: tokenHash };
  return sendEmailByHook(context, call, user, data, tx.sql);
}

const withFlow = (hash: string, flow: LinkFlow): string => (flow === 'pkce' ? pkcePrefix + hash : hash);

/** Mails the link and code that confirm a new account. */
export async function sendConfirmation(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  flow: LinkFlow,
  kind: 'confirmation' | 'invite' = 'confirmation',
): Promise<User> {
  if (kind === 'confirmation') checkMailFrequency(context, user.confirmation_sent_at);
  const now = nowDate(context);
  const email = user.email ?? '';
  const code = createDigits(context.settings.otpLength);
  const tokenHash = withFlow(hashCode(email, code), flow);
  await send(context, call, tx, user, { kind, to: email, code, tokenHash });
  await storeOneTimeToken(tx.sql, now, user.id, email, tokenHash, 'confirmation_token');
  return updateUser(tx.sql, now, user, {
    confirmation_token: tokenHash,
    confirmation_sent_at: now,
    ...(kind === 'invite' && { invited_at: now }),
  });
}

/** Mails a link and code to sign in, or to set a new password. */
export async function sendRecovery(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  flow: LinkFlow,
  kind: 'recovery' | 'magic_link',
): Promise<void> {
  checkMailFrequency(context, user.recovery_sent_at);
  const now = nowDate(context);
  const email = user.email ?? '';
  const code = createDigits(context.settings.otpLength);
  const tokenHash = withFlow(hashCode(email, code), flow);
  await send(context, call, tx, user, { kind, to: email, code, tokenHash });
  await updateUser(tx.sql, now, user, { recovery_token: tokenHash, recovery_sent_at: now });
  await storeOneTimeToken(tx.sql, now, user.id, email, tokenHash, 'recovery_token');
}

/** Mails the code that `PUT /user` accepts as a nonce. */
export async function sendReauthentication(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
): Promise<void> {
  checkMailFrequency(context, user.reauthentication_sent_at);
  const now = nowDate(context);
  const email = user.email ?? '';
  const code = createDigits(context.settings.otpLength);
  const tokenHash = hashCode(email, code);
  await send(context, call, tx, user, { kind: 'reauthentication', to: email, code, tokenHash });
  await updateUser(tx.sql, now, user, { reauthentication_token: tokenHash, reauthentication_sent_at: now });
  await storeOneTimeToken(tx.sql, now, user.id, email, tokenHash, 'reauthentication_token');
}

interface ChangeCode {
  readonly to: string;
  readonly code: string;
  readonly tokenHash: string;
}

/** Sends the codes of a change of email; `current` is null when the old address does not have to confirm. */
async function sendChangeCodes(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  fresh: ChangeCode,
  current: ChangeCode | null,
): Promise<void> {
  if (!isHookEnabled(context, 'send_email')) {
    for (const half of current === null ? [fresh] : [fresh, current])
      await post(context, call, user, { kind: 'email_change', ...half, newEmail: fresh.to });
    return;
  }
  countMail(context);
  // As in GoTrue, each code is paired with the hash of the other address's code.
  const data = {
    email_action_type: linkTypes.email_change,
    token: (current ?? fresh).code,
    token_hash: fresh.tokenHash,
    ...(current !== null && { token_new: fresh.code, token_hash_new: current.tokenHash }),
  };
  await sendEmailByHook(context, call, { ...user, email_change: fresh.to }, data, tx.sql);
}

/** Mails both addresses, each with its own link and code; only the new one when the old does not have to confirm. */
export async function sendEmailChange(
  context: AuthContext,
  call: Call,
  tx: Transaction,
  user: User,
  newEmail: string,
  flow: LinkFlow,
): Promise<User> {
  checkMailFrequency(context, user.email_change_sent_at);
  const now = nowDate(context);
  const oldEmail = user.email ?? '';
  const createChangeCode = (to: string): ChangeCode => {
    const code = createDigits(context.settings.otpLength);
    return { to, code, tokenHash: withFlow(hashCode(to, code), flow) };
  };
  const fresh = createChangeCode(newEmail);
  const asksOld = context.settings.secureEmailChange && oldEmail !== '';
  const current = asksOld ? createChangeCode(oldEmail) : null;
  await sendChangeCodes(context, call, tx, user, fresh, current);
  await storeOneTimeToken(tx.sql, now, user.id, newEmail, fresh.tokenHash, 'email_change_token_new');
  if (current !== null)
    await storeOneTimeToken(tx.sql, now, user.id, oldEmail, current.tokenHash, 'email_change_token_current');
  return updateUser(tx.sql, now, user, {
    email_change: newEmail,
    email_change_token_new: fresh.tokenHash,
    email_change_token_current: current?.tokenHash ?? user.email_change_token_current,
    email_change_sent_at: now,
    email_change_confirm_status: 0,
  });
}
