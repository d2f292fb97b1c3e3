import type { AuthContext, Transaction } from '../context.ts';
import { isHookEnabled } from '../hooks/invoke-hook.ts';
import { sendEmailByHook } from '../hooks/message-hooks.ts';
import type { Call } from '../http/call.ts';
import { AuthHttpError } from '../http/errors.ts';
import type { User } from '../rows/user.ts';
import { countMail, deliver } from './deliver.ts';
import type { AccountChange, MailFields } from './mail-template.ts';

/** A change of an account that is reported by mail. */
export interface AccountNotice {
  readonly change: AccountChange;
  readonly user: User;
  readonly oldEmail?: string;
  readonly phone?: string;
  readonly oldPhone?: string;
  readonly provider?: string;
  readonly factorType?: string;
  /** The transaction of the change, if it is still open. */
  readonly tx?: Transaction;
}

const templateFieldsOf = (notice: AccountNotice): MailFields => ({
  OldEmail: notice.oldEmail,
  Phone: notice.phone,
  OldPhone: notice.oldPhone,
  Provider: notice.provider,
  FactorType: notice.factorType,
});

async function sendNotice(
  context: AuthContext,
  call: Call,
  notice: AccountNotice,
  to: string,
): Promise<void> {
  const { change, user } = notice;
  const type = `${change}_notification` as const;
  if (!isHookEnabled(context, 'send_email')) {
    const account = {
      SiteURL: context.siteUrl,
      Email: user.email ?? '',
      Data: user.raw_user_meta_data ?? {},
    };
    return deliver(context, type, to, { ...account, ...templateFieldsOf(notice) });
  }
  countMail(context);
  const data = {
    email_action_type: type,
    old_email: notice.oldEmail ?? '',
    old_phone: notice.oldPhone ?? '',
    provider: notice.provider ?? '',
    factor_type: notice.factorType ?? '',
  };
  return sendEmailByHook(context, call, user, data, notice.tx?.sql);
}

/**
 * Mails that an account has changed, if the project enables this mail; to the former address when the address changed.
 * A failure to send is reported and does not undo the change.
 */
export async function notifyOfChange(context: AuthContext, call: Call, notice: AccountNotice): Promise<void> {
  const { change, user, oldEmail } = notice;
  const to = oldEmail ?? user.email ?? '';
  if (!context.settings.accountChangeMails.includes(change) || to === '') return;
  try {
    await sendNotice(context, call, notice, to);
  } catch (error) {
    if (!(error instanceof AuthHttpError)) throw error;
    if (error.status < 500) context.report(new Error(`No mail about ${change} was sent`, { cause: error }));
  }
}
