import { adoptTokens } from './adopt.ts';
import { type Callback, cleanCallbackUrl, parseCallback } from './callback.ts';
import type { AuthCore } from '../core.ts';
import { token } from '../wire/endpoints.ts';
import { AuthError, type AuthErrorCode } from '../errors.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseSession } from '../wire/responses.ts';
import type { Entry } from '../session/session-keeper.ts';
import type { Session } from '../session/session.ts';
import { listFlows, removeFlow } from './verifier-slots.ts';

/** The page's address, as the callback needs it. */
export interface Address {
  /** The whole URL. */
  href(): string;
  /** Puts another URL in its place without navigating (`history.replaceState`). */
  replace(url: string): void;
}

export interface CallbackOptions {
  /** The page's address, read at `start()` for a callback and then cleaned. Default: no callback is looked for. */
  readonly address?: Address | undefined;
  /**
   * Paths at which links and providers return, such as `/home`. Callbacks at other paths are left alone. Default: any
   * path, and then only what the server's mark (`sb`), or its form of a code while a flow is pending, shows to be ours.
   */
  readonly callbackPaths?: readonly string[] | undefined;
}

export interface Redirects {
  /** What a URL brings; if it is the page's own, it is cleaned. Null: nothing of ours. */
  consume(href: string): Promise<Entry | null>;
  /** Finishes a PKCE flow by hand. */
  exchangeCodeForSession(details: { readonly code: string }, options?: CallOptions): Promise<Session>;
}

export function createRedirects(
  core: AuthCore,
  { address, callbackPaths: paths }: CallbackOptions,
): Redirects {
  const exchange = async (code: string, options?: CallOptions): Promise<Entry> => {
    const flows = await listFlows(core.slots);
    let problem = new AuthError(
      'pkce-verifier-missing',
      'Another browser asked for this link: go on with the code of a mail',
    );
    for (const { verifier, isRecovery } of flows) {
      try {
        const endpoint = token('pkce', { auth_code: code, code_verifier: verifier });
        const reply = await core.send(endpoint, parseSession, options);
        await removeFlow(core.slots, verifier);
        return { reply, as: isRecovery ? 'PASSWORD_RECOVERY' : 'SIGNED_IN', reason: 'callback' };
      } catch (failure) {
        problem = failure as AuthError;
        // A wrong verifier does not burn the code: the link may belong to an older flow.
        if (problem.code !== 'bad_code_verifier') break;
      }
    }
    throw problem;
  };

  const enter = async (callback: Callback): Promise<Entry | null> => {
    switch (callback.kind) {
      case 'none':
        return null;
      case 'message':
        core.keeper.note({ callbackMessage: callback.message });
        return null;
      case 'error': {
        const { code, error, message } = callback;
        throw new AuthError((code ?? 'oauth-error') as AuthErrorCode, message, {
          reasons: error ? [error] : [],
        });
      }
      case 'code':
        return exchange(callback.code);
      case 'tokens': {
        const { tokens, isRecovery } = callback;
        // Anybody can write a URL: the server says whose tokens these are.
        const { accessToken, refreshToken, expiresIn } = tokens;
        const reply = {
          ...(await adoptTokens(core, accessToken, refreshToken, {}, expiresIn)),
          provider_token: tokens.providerToken,
          provider_refresh_token: tokens.providerRefreshToken,
        };
        return { reply, as: isRecovery ? 'PASSWORD_RECOVERY' : 'SIGNED_IN', reason: 'callback' };
      }
    }
  };

  const consume = async (href: string): Promise<Entry | null> => {
    const isFlowPending = (await listFlows(core.slots)).length > 0;
    const callback = parseCallback(href, { paths, isFlowPending });
    if (callback.kind === 'none') return null;
    // First of all, so that no reload, bookmark or Referer repeats it.
    if (address?.href() === href) address.replace(cleanCallbackUrl(href));
    core.keeper.note({ callbackError: null, callbackMessage: null });
    try {
      return await enter(callback);
    } catch (problem) {
      core.keeper.note({ callbackError: problem as AuthError });
      return null;
    }
  };

  return {
    consume,
    exchangeCodeForSession: async ({ code }, options) => core.keeper.enter(await exchange(code, options)),
  };
}
