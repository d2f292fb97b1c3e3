import { parseEmail } from '../rows/address.ts';
import { recordAudit } from '../rows/audit.ts';
import { audienceOf } from '../sessions/authentication.ts';
import { type Call, readText, sendJson } from '../http/call.ts';
import { inTransaction, nowDate, type AuthContext } from '../context.ts';
import { badRequest, invalid } from '../http/errors.ts';
import { createFlowState, parseCodeChallenge } from '../rows/flow-state.ts';
import { sendRecovery } from '../mail/mail.ts';
import { findUserByEmail } from '../rows/users.ts';

/**
 * POST /recover: mails a link and code to set a new password. For an unknown address the response is the same, without
 * a mail.
 */
export async function recover(context: AuthContext, call: Call): Promise<Response> {
  if (!context.settings.emailEnabled)
    throw badRequest('email_provider_disabled', 'Email logins are disabled');
  const body = await call.json();
  if (readText(body, 'email') === '') throw invalid('Password recovery requires an email');
  const email = parseEmail(readText(body, 'email'));
  const codeChallenge = parseCodeChallenge(
    readText(body, 'code_challenge'),
    readText(body, 'code_challenge_method'),
  );
  await inTransaction(context, async (tx) => {
    const user = await findUserByEmail(tx.sql, email, audienceOf(context, call));
    if (user === undefined) return;
    await recordAudit(context, tx.sql, user, 'user_recovery_requested');
    const flow = { provider: 'recovery', method: 'recovery', codeChallenge, userId: user.id } as const;
    if (codeChallenge !== null) await createFlowState(tx.sql, nowDate(context), flow);
    await sendRecovery(context, call, tx, user, codeChallenge === null ? 'implicit' : 'pkce', 'recovery');
  });
  return sendJson(call, {});
}
