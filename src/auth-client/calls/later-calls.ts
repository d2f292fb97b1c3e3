import { type AccountCalls, createAccount } from './account.ts';
import type { AuthCore } from '../core.ts';
import { type CallbackOptions, type Redirects, createRedirects } from '../callback/redirects.ts';
import { type SignInCalls, createSignIn } from './sign-in.ts';

/** What a page of somebody who is signed in does not need: loaded with the first call of it. */
export type LaterCalls = SignInCalls & AccountCalls & Redirects;

export function createLaterCalls(core: AuthCore, options: CallbackOptions): LaterCalls {
  return { ...createSignIn(core), ...createAccount(core), ...createRedirects(core, options) };
}
