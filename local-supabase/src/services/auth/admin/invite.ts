import { parseEmail } from '../rows/address.ts';
import { recordAudit } from '../rows/audit.ts';
import { audienceOf, requireAdmin } from '../sessions/authentication.ts';
import { type Call, readObject, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { prepareUser } from '../hooks/before-user-created.ts';
import { unprocessable } from '../http/errors.ts';
import { createIdentity, ownIdentityData } from '../rows/identity.ts';
import { sendConfirmation } from '../mail/mail.ts';
import { encodeUser, type Metadata, type User } from '../rows/user.ts';
import { createUser, findUserByEmail, type NewUser, updateUser } from '../rows/users.ts';

/** An account by email that the project's hook accepted. */
export interface EmailUser extends NewUser {
  readonly id: string;
  readonly email: string;
}

/** Calls the project's hook for a new account by email. Throws the hook's error. */
export async function prepareEmailUser(
  context: AuthContext,
  call: Call,
  wanted: {
    readonly email: string;
    readonly aud: string;
    readonly userMetadata: Metadata;
    readonly passwordHash?: string;
  },
): Promise<EmailUser> {
  return prepareUser(context, call, { ...wanted, appMetadata: { provider: 'email', providers: ['email'] } });
}

export async function createEmailUser(
  context: AuthContext,
  tx: Transaction,
  wanted: EmailUser,
): Promise<User> {
  const now = nowDate(context);
  const user = await createUser(tx.sql, now, wanted);
  await createIdentity(tx.sql, now, user.id, 'email', ownIdentityData(user.id, { email: wanted.email }));
  return updateUser(tx.sql, now, user, {});
}

/** POST /invite: mails an invitation, to a new account or one that was never confirmed. */
export async function invite(context: AuthContext, call: Call): Promise<Response> {
  const admin = await requireAdmin(context, call);
  const body = await call.json();
  const email = parseEmail(readText(body, 'email'));
  const userMetadata = { ...readObject(body, 'data') };
  const aud = audienceOf(context, call);
  const known = await findUserByEmail(context.database, email, aud);
  const invitee = known ?? (await prepareEmailUser(context, call, { email, aud, userMetadata }));
  const user = await inTransaction(context, async (tx) => {
    if (known?.email_confirmed_at != null)
      throw unprocessable('email_exists', 'A user with this email address has already been registered');
    const invited = 'identities' in invitee ? invitee : await createEmailUser(context, tx, invitee);
    const traits = { user_id: invited.id, user_email: invited.email };
    await recordAudit(context, tx.sql, admin, 'user_invited', { traits });
    return sendConfirmation(context, call, tx, invited, 'implicit', 'invite');
  });
  return sendJson(call, encodeUser(user));
}
