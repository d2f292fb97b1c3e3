import { type AuthClient, AuthError } from 'supabase-protocol-clients/auth-client';

export interface SignInMail {
  readonly email: string;
  readonly redirectTo: string;
  readonly captchaToken: string | undefined;
}

/**
 * Requests a sign-in link and code, for accounts alone: /signup creates one. As the mails of a sign-up and of a reset, it does not tell
 * whether the address has an account.
 */
export async function sendSignInMail(auth: AuthClient, mail: SignInMail): Promise<void> {
  try {
    await auth.signInWithOtp({ ...mail, createUser: false });
  } catch (problem) {
    if (!(problem instanceof AuthError) || problem.code !== 'otp_disabled') throw problem;
  }
}
