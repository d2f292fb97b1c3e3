import type { AuthContext } from '../context.ts';
import { AuthHttpError } from '../http/errors.ts';
import type { User } from '../rows/user.ts';
import { deliver } from './deliver.ts';
import type { AccountChange, MailFields } from './mail-template.ts';

/**
 * Mails that the account of `user` has changed, where the project enables this mail. A mail that cannot be sent is
 * reported and never undoes the change.
 *
 * @param details further fields of the template, such as `OldEmail`.
 * @param to the address. Default: the user's own.
 */
export async function notifyOfChange(
  context: AuthContext,
  change: AccountChange,
  user: User,
  details: MailFields = {},
  to: string = user.email ?? '',
): Promise<void> {
  if (!context.settings.accountChangeMails.includes(change) || to === '') return;
  const fields = {
    SiteURL: context.siteUrl,
    Email: user.email ?? '',
    Data: user.raw_user_meta_data ?? {},
    ...details,
  };
  try {
    await deliver(context, `${change}_notification`, to, fields);
  } catch (error) {
    if (!(error instanceof AuthHttpError)) throw error;
    if (error.status < 500) context.report(new Error(`No mail about ${change} was sent`, { cause: error }));
  }
}
