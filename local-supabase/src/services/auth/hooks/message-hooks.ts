import type { Sql } from '../../../database/database.ts';
import type { AuthContext } from '../context.ts';
import type { Call } from '../http/call.ts';
import { redirectTargetOf } from '../http/redirect-url.ts';
import { encodeUser, type User } from '../rows/user.ts';
import { invokeHook } from './invoke-hook.ts';

/** The data from which a project's hook writes the mail. An absent string is ''. */
export interface EmailData {
  /** `signup`, `recovery`, `password_changed_notification`, … */
  readonly email_action_type: string;
  readonly token?: string;
  readonly token_hash?: string;
  readonly token_new?: string;
  readonly token_hash_new?: string;
  readonly old_email?: string;
  readonly old_phone?: string;
  readonly provider?: string;
  readonly factor_type?: string;
}

/** Passes a mail to the project's hook instead of sending it. */
export async function sendEmailByHook(
  context: AuthContext,
  call: Call,
  user: User,
  data: EmailData,
  sql?: Sql,
): Promise<void> {
  const email_data = {
    token: '',
    token_hash: '',
    redirect_to: redirectTargetOf(context, call),
    site_url: call.authUrl,
    token_new: '',
    token_hash_new: '',
    old_email: '',
    old_phone: '',
    provider: '',
    factor_type: '',
    ...data,
  };
  await invokeHook(context, call, 'send_email', { user: encodeUser(user), email_data }, sql);
}

/** Passes a text message to the project's hook instead of sending it. */
export async function sendSmsByHook(
  context: AuthContext,
  call: Call,
  user: User,
  sms: { readonly otp: string; readonly phone: string; readonly sms_type?: 'mfa' },
  sql?: Sql,
): Promise<void> {
  await invokeHook(context, call, 'send_sms', { user: encodeUser(user), sms }, sql);
}
