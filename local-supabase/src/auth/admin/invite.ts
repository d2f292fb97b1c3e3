import { parseEmail } from '../rows/address.ts';
import { audienceOf, requireAdmin } from '../sessions/authentication.ts';
import { type Call, readObject, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext, type Transaction } from '../context.ts';
import { unprocessable } from '../http/errors.ts';
import { createIdentity, ownIdentityData } from '../rows/identity.ts';
import { sendConfirmation } from '../mail/mail.ts';
import { encodeUser, type Metadata, type User } from '../rows/user.ts';
import { createUser, findUserByEmail, updateUser } from '../rows/users.ts';

/** Creates an unconfirmed account by email, with or without a password. */
export async function createEmailUser(
  context: AuthContext,
  tx: Transaction,
  wanted: {
    readonly email: string;
    readonly aud: string;
    readonly userMetadata: Metadata;
    readonly passwordHash?: string;
  },
): Promise<User> {
  const now = nowDate(context);
  const appMetadata = { provider: 'email', providers: ['email'] };
  const user = await createUser(tx.sql, now, { ...wanted, appMetadata });
  await createIdentity(tx.sql, now, user.id, 'email', ownIdentityData(user.id, { email: wanted.email }));
  return updateUser(tx.sql, now, user, {});
}

/** POST /invite: mails an invitation, to a new account or one that was never confirmed. */
export async function invite(context: AuthContext, call: Call): Promise<Response> {
  await requireAdmin(context, call);
  const body = await call.json();
  const email = parseEmail(readText(body, 'email'));
  const userMetadata = { ...readObject(body, 'data') };
  const aud = audienceOf(context, call);
  const user = await inTransaction(context, async (tx) => {
    const known = await findUserByEmail(tx.sql, email, aud);
    if (known?.email_confirmed_at != null)
      throw unprocessable('email_exists', 'A user with this email address has already been registered');
    const invited = known ?? (await createEmailUser(context, tx, { email, aud, userMetadata }));
    return sendConfirmation(context, call, tx, invited, 'implicit', 'invite');
  });
  return sendJson(call, encodeUser(user));
}
