import { post } from '../wire/endpoints.ts';
import type { CallOptions, Send } from '../wire/request.ts';
import { type User, parseUser } from '../wire/responses.ts';
import { object, string } from '../../platform/schema.ts';

interface LinkTarget {
  /** The address of the mail. */
  readonly email: string;
  /** Where the link leads. Default: the project's site URL. */
  readonly redirectTo?: string | undefined;
}

/** The kind of mail to generate a link and a code for. */
export type LinkRequest = LinkTarget &
  (
    | /** Confirms a sign-up, which creates the user. */ {
        readonly type: 'signup';
        readonly password: string;
        readonly data?: object | undefined;
      }
    /** An invitation, or sign-in without a password; both create a user who is missing. */
    | { readonly type: 'invite' | 'magiclink'; readonly data?: object | undefined }
    /** A forgotten password. */
    | { readonly type: 'recovery' }
    /** Confirms an email change, by the mail to the current or the new address. */
    | { readonly type: 'email_change_current' | 'email_change_new'; readonly newEmail: string }
  );

/** The content of a mail, to be sent by other means. The link, the code and the hash each sign in anyone who has them. */
export interface GeneratedLink {
  /** The user that the link signs in. */
  readonly user: User;
  /** The link of the mail. */
  readonly actionLink: string;
  /** The code of the mail. */
  readonly emailOtp: string;
  /** The parameters of `verifyOtp({ tokenHash, type })`, for a link to a page of your own. */
  readonly tokenHash: string;
  /** The `type` of `verifyOtp`: `signup` where a magic link creates the user. */
  readonly verificationType: string;
  /** Where the link leads. */
  readonly redirectTo: string;
}

/** Generates links without sending mails. */
export interface AdminLinks {
  /**
   * Generates the link and the code of a mail without sending it.
   *
   * @throws {AuthError} `email_exists`, `user_not_found`, `validation_failed`, `weak_password`
   */
  generateLink(request: LinkRequest, options?: CallOptions): Promise<GeneratedLink>;
}

const parseLink = object({
  action_link: string,
  email_otp: string,
  hashed_token: string,
  verification_type: string,
  redirect_to: string,
});

export function createAdminLinks(send: Send): AdminLinks {
  return {
    generateLink({ redirectTo, ...request }, options) {
      const { newEmail, ...rest } = { newEmail: undefined, ...request };
      const endpoint = post('/admin/generate_link', {
        ...rest,
        new_email: newEmail,
        redirect_to: redirectTo,
      });
      return send(
        endpoint,
        (body) => {
          const link = parseLink(body);
          return {
            user: parseUser(body),
            actionLink: link.action_link,
            emailOtp: link.email_otp,
            tokenHash: link.hashed_token,
            verificationType: link.verification_type,
            redirectTo: link.redirect_to,
          };
        },
        options,
      );
    },
  };
}
