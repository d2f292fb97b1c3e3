import { type AuthClient, AuthError } from 'supabase-protocol-clients/auth-client';

export interface SignInMail {
  readonly email: string;
  readonly redirectTo: string;
  readonly captchaToken: string | undefined;
}

/**
 * Requests a sign-in link and code for an existing account. As with the mails of a sign-up and a reset, the result does not
 * reveal whether the address has an account.
 */
export async function sendSignInMail(auth: AuthClient, mail: SignInMail): Promise<void> {
  try {
    await auth.signInWithOtp({ ...mail, createUser: false });
  } catch (problem) {
    if (!(problem instanceof AuthError) || problem.code !== 'otp_disabled') throw problem;
  }
}
