import { parseEmail } from '../rows/address.ts';
import { recordAudit } from '../rows/audit.ts';
import { audienceOf } from '../sessions/authentication.ts';
import { type Call, readObject, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext } from '../context.ts';
import { unprocessable } from '../http/errors.ts';
import { createFlowState, parseCodeChallenge } from '../rows/flow-state.ts';
import { sendRecovery } from '../mail/mail.ts';
import { createPassword } from '../rows/password.ts';
import { signUpWith } from '../users/sign-up.ts';
import { findUserByEmail } from '../rows/users.ts';

/** POST /magiclink, and POST /otp with an email: a link and code to sign in; unknown addresses are signed up. */
export async function sendMagicLink(context: AuthContext, call: Call): Promise<Response> {
  const { settings, database } = context;
  if (!settings.emailEnabled) throw unprocessable('email_provider_disabled', 'Email logins are disabled');
  if (!settings.magicLinkEnabled)
    throw unprocessable('email_provider_disabled', 'Login with magic link is disabled');
  const body = await call.firstJson();
  if (readText(body, 'email') === '')
    throw unprocessable('validation_failed', 'Password recovery requires an email');
  const email = parseEmail(readText(body, 'email'));
  const codeChallenge = parseCodeChallenge(
    readText(body, 'code_challenge'),
    readText(body, 'code_challenge_method'),
  );
  const aud = audienceOf(context, call);
  const known = await findUserByEmail(database, email, aud);
  if (known?.email_confirmed_at == null) {
    const data = { ...readObject(body, 'data') };
    const password = createPassword();
    await signUpWith(context, call, {
      provider: 'email',
      email,
      phone: '',
      password,
      data,
      channel: '',
      codeChallenge,
    });
    if (!settings.mailerAutoconfirm) return sendJson(call, {});
  }
  await inTransaction(context, async (tx) => {
    const user = await findUserByEmail(tx.sql, email, aud);
    if (user === undefined) return;
    await recordAudit(context, tx.sql, user, 'user_recovery_requested');
    const flow = { provider: 'magiclink', method: 'magiclink', codeChallenge, userId: user.id } as const;
    if (codeChallenge !== null) await createFlowState(tx.sql, nowDate(context), flow);
    await sendRecovery(context, call, tx, user, codeChallenge === null ? 'implicit' : 'pkce', 'magic_link');
  });
  return sendJson(call, {});
}
