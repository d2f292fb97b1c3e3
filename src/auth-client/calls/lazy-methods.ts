import {
  type CallbackMethods,
  type CallbackOptions,
  createCallbackMethods,
} from '../callback/callback-methods.ts';
import type { AuthCore } from '../core.ts';
import { type AccountMethods, createAccountMethods } from './account.ts';
import { type SignInMethods, createSignInMethods } from './sign-in.ts';

/** Methods that a page rarely needs once a user is signed in. The first call of one loads their module. */
export type LazyMethods = SignInMethods & AccountMethods & CallbackMethods;

export function createLazyMethods(core: AuthCore, options: CallbackOptions): LazyMethods {
  return {
    ...createSignInMethods(core),
    ...createAccountMethods(core),
    ...createCallbackMethods(core, options),
  };
}
