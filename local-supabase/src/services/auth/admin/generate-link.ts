import { createDigits } from '../../../platform/random.ts';
import { parseEmail } from '../rows/address.ts';
import { type Actor, recordAudit } from '../rows/audit.ts';
import { audienceOf, requireAdmin } from '../sessions/authentication.ts';
import { type Call, type JsonObject, readObject, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { invalid, notFound, unprocessable } from '../http/errors.ts';
import { createActionLink } from '../mail/mail.ts';
import { hashCode, type OneTimeTokenType, storeOneTimeToken } from '../rows/one-time-token.ts';
import { checkPasswordStrength, createPassword, hashPassword } from '../rows/password.ts';
import { isRedirectAllowed, redirectTargetOf } from '../http/redirect-url.ts';
import type { Values } from '../rows/rows.ts';
import { encodeUser, type User } from '../rows/user.ts';
import { findUserByEmail, findOtherUserByEmail, mergeUserMetadata, updateUser } from '../rows/users.ts';
import { prepareEmailUser, createEmailUser, type EmailUser } from './invite.ts';

const linkTypes = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email_change_current',
  'email_change_new',
] as const;
type LinkType = (typeof linkTypes)[number];

interface Wanted {
  readonly type: LinkType;
  readonly email: string;
  readonly newEmail: string;
  readonly password: string;
  readonly data: JsonObject | undefined;
  readonly aud: string;
  /** True when no account had the address when the request arrived. */
  readonly isNew: boolean;
}

interface Slot {
  readonly token: OneTimeTokenType;
  readonly changes: (now: Date) => Values;
}

const confirmation: Slot = { token: 'confirmation_token', changes: (now) => ({ confirmation_sent_at: now }) };
const recovery: Slot = { token: 'recovery_token', changes: (now) => ({ recovery_sent_at: now }) };
const slots: Readonly<Record<LinkType, Slot>> = {
  signup: confirmation,
  invite: { ...confirmation, changes: (now) => ({ confirmation_sent_at: now, invited_at: now }) },
  magiclink: recovery,
  recovery,
  email_change_current: {
    token: 'email_change_token_current',
    changes: (now) => ({ email_change_sent_at: now }),
  },
  email_change_new: { token: 'email_change_token_new', changes: (now) => ({ email_change_sent_at: now }) },
};

const isLinkType = (type: string): type is LinkType => (linkTypes as readonly string[]).includes(type);
const isChange = (type: LinkType): boolean => type.startsWith('email_change');

async function parseWanted(context: AuthContext, call: Call, body: JsonObject): Promise<Wanted> {
  const email = parseEmail(readText(body, 'email'));
  const aud = audienceOf(context, call);
  const type = readText(body, 'type');
  if (!isLinkType(type)) throw invalid(`Invalid email action link type requested: ${type}`);
  const isNew = (await findUserByEmail(context.database, email, aud)) === undefined;
  if (isNew && (type === 'recovery' || isChange(type)))
    throw notFound('user_not_found', 'User with this email not found');
  const isMagicSignUp = isNew && type === 'magiclink';
  const password = isMagicSignUp ? createPassword() : readText(body, 'password');
  const resolved = isMagicSignUp ? 'signup' : type;
  if (isNew && resolved === 'signup') {
    if (password === '') throw invalid('Signup requires a valid password');
    checkPasswordStrength(context.settings, password);
  }
  const data = readObject(body, 'data');
  return { type: resolved, email, newEmail: readText(body, 'new_email'), password, data, aud, isNew };
}

async function findOrCreate(
  context: AuthContext,
  tx: Transaction,
  wanted: Wanted,
  prepared: EmailUser | null,
): Promise<User> {
  const { email, aud, type, data } = wanted;
  if (prepared !== null) return createEmailUser(context, tx, prepared);
  const known = await findUserByEmail(tx.sql, email, aud);
  if (known === undefined) throw notFound('user_not_found', 'User with this email not found');
  if ((type === 'signup' || type === 'invite') && known.email_confirmed_at !== null)
    throw unprocessable('email_exists', 'A user with this email address has already been registered');
  return type === 'signup' ? mergeUserMetadata(tx.sql, nowDate(context), known, { ...data }) : known;
}

async function parseNewEmail(
  context: AuthContext,
  tx: Transaction,
  user: User,
  wanted: Wanted,
): Promise<string> {
  if (!context.settings.secureEmailChange && wanted.type === 'email_change_current')
    throw invalid('Enable secure email change to generate link for current email');
  const newEmail = parseEmail(wanted.newEmail);
  if (await findOtherUserByEmail(tx.sql, newEmail, user.aud, user.id))
    throw unprocessable('email_exists', 'A user with this email address has already been registered');
  return newEmail;
}

interface Link {
  readonly user: User;
  readonly code: string;
  readonly tokenHash: string;
}

async function recordLink(
  context: AuthContext,
  admin: Actor,
  tx: Transaction,
  user: User,
  type: LinkType,
): Promise<void> {
  if (type === 'magiclink' || type === 'recovery')
    await recordAudit(context, tx.sql, user, 'user_recovery_requested');
  if (type !== 'invite') return;
  const traits = { user_id: user.id, user_email: user.email };
  await recordAudit(context, tx.sql, admin, 'user_invited', { traits });
}

async function createLink(
  context: AuthContext,
  admin: Actor,
  tx: Transaction,
  wanted: Wanted,
  prepared: EmailUser | null,
): Promise<Link> {
  const now = nowDate(context);
  const user = await findOrCreate(context, tx, wanted, prepared);
  await recordLink(context, admin, tx, user, wanted.type);
  const newEmail = isChange(wanted.type) ? await parseNewEmail(context, tx, user, wanted) : '';
  const address = wanted.type === 'email_change_new' ? newEmail : wanted.email;
  const code = createDigits(context.settings.otpLength);
  const tokenHash = hashCode(address, code);
  const slot = slots[wanted.type];
  await storeOneTimeToken(tx.sql, now, user.id, address, tokenHash, slot.token);
  const change = newEmail === '' ? {} : { email_change: newEmail, email_change_confirm_status: 0 };
  const updated = await updateUser(tx.sql, now, user, {
    ...slot.changes(now),
    ...change,
    [slot.token]: tokenHash,
  });
  return { user: updated, code, tokenHash };
}

async function prepareAccount(
  context: AuthContext,
  call: Call,
  { email, aud, data, password }: Wanted,
): Promise<EmailUser> {
  const passwordHash = password === '' ? undefined : await hashPassword(context.settings, password);
  const account = { email, aud, userMetadata: { ...data }, ...(passwordHash && { passwordHash }) };
  return prepareEmailUser(context, call, account);
}

/** POST /admin/generate_link: the link and code of a mail, without the mail. */
export async function generateLink(context: AuthContext, call: Call): Promise<Response> {
  const admin = await requireAdmin(context, call);
  const body = await call.json();
  const wanted = await parseWanted(context, call, body);
  const prepared = wanted.isNew ? await prepareAccount(context, call, wanted) : null;
  const requested = readText(body, 'redirect_to');
  const redirectTo = isRedirectAllowed(context, requested) ? requested : redirectTargetOf(context, call);
  const { user, code, tokenHash } = await inTransaction(context, async (tx) =>
    createLink(context, admin, tx, wanted, prepared),
  );
  const type = isChange(wanted.type) ? 'email_change' : wanted.type;
  return sendJson(call, {
    ...encodeUser(user),
    action_link: createActionLink(call, tokenHash, type, redirectTo),
    email_otp: code,
    hashed_token: hashCode(wanted.email, code),
    verification_type: wanted.type,
    redirect_to: redirectTo,
  });
}
