import type { AuthErrorCode } from '../../../auth-client/index.ts';

/** Whether the link is used up, and with it the code of its mail: only a fresh mail leads on. */
export function isSpentLink(code: AuthErrorCode | undefined): boolean {
  return code !== undefined && /^(otp_exp|flow_state|pkce-ver|bad_code_v)/.test(code);
}
