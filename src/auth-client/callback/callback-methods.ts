import type { AuthCore } from '../core.ts';
import { AuthError } from '../errors.ts';
import type { NewSession } from '../session/session-state.ts';
import type { Session } from '../session/session.ts';
import { token } from '../wire/endpoints.ts';
import type { CallOptions } from '../wire/request.ts';
import { parseTokenResponse } from '../wire/responses.ts';
import { toServerErrorCode } from '../wire/server-error-codes.ts';
import { type Callback, type CallbackTokens, cleanCallbackUrl, parseCallback } from './callback.ts';
import { listPendingFlows, removePendingFlow } from './pending-flows.ts';
import { sessionFromTokens } from './session-from-tokens.ts';

/** The page's address. */
export interface Address {
  /** Returns the whole URL. */
  href(): string;
  /** Replaces the URL without navigating (`history.replaceState`). */
  replace(url: string): void;
}

/** Where callbacks arrive, and which are accepted. */
export interface CallbackOptions {
  /** The page's address, read at `start()` for a callback, which is then removed from it. Default: none is looked for. */
  readonly address?: Address | undefined;
  /**
   * Paths at which links and providers return, for example `/home`; callbacks at other paths are ignored. Default: any path,
   * where a callback must carry the auth server's mark (`sb`), or a code in its form while a flow is pending.
   */
  readonly callbackPaths?: readonly string[] | undefined;
  /**
   * Whether tokens in the fragment of a callback URL sign in (the implicit flow). Such a link can sign a person in to an
   * account of an attacker, so it is refused with `implicit-flow-disabled` by default. Default false.
   */
  readonly acceptImplicitFlow?: boolean | undefined;
}

export interface CallbackMethods {
  /**
   * Reads a callback URL and, if it is the page's own, removes the callback from it. Returns null if it brought no session.
   *
   * @throws {AuthError} what the callback says, or why its code or tokens were refused.
   */
  consume(href: string): Promise<NewSession | null>;
  /**
   * Exchanges the authorization code of a PKCE flow that this browser began. `start()` does it for the page's own address.
   *
   * @param request `flowId`: the flow, as `signInWithOAuth` returned it or as `sb_flow_id` names it in the URL. Default: the
   * verifiers of all pending flows are tried, newest first.
   * @throws {AuthError} `pkce-verifier-missing`, `bad_code_verifier`, `flow_state_expired`, …
   */
  exchangeCodeForSession(
    request: { readonly code: string; readonly flowId?: string | undefined },
    options?: CallOptions,
  ): Promise<Session>;
}

export function createCallbackMethods(
  core: AuthCore,
  { address, callbackPaths: paths, acceptImplicitFlow = false }: CallbackOptions,
): CallbackMethods {
  const exchange = async (
    { code, flowId }: { readonly code: string; readonly flowId?: string | undefined },
    options?: CallOptions,
  ): Promise<NewSession> => {
    let problem: unknown = new AuthError(
      'pkce-verifier-missing',
      'The link was requested by another browser: use the code in the email instead',
    );
    for (const { verifier, isRecovery } of await listPendingFlows(core.pendingFlows, flowId)) {
      try {
        const endpoint = token('pkce', { auth_code: code, code_verifier: verifier });
        const response = await core.send(endpoint, parseTokenResponse, options);
        await removePendingFlow(core.pendingFlows, verifier);
        return { response, name: eventOf(isRecovery), reason: 'callback' };
      } catch (failure) {
        problem = failure;
        // The server keeps the code after a wrong verifier: an older flow may have begun this one.
        const isOtherFlow = failure instanceof AuthError && failure.code === 'bad_code_verifier';
        if (!isOtherFlow) break;
      }
    }
    throw problem;
  };

  return {
    async consume(href) {
      const isFlowPending = (await listPendingFlows(core.pendingFlows)).length > 0;
      const callback = parseCallback(href, { paths, isFlowPending });
      if (callback.type === 'none') return null;
      // Before anything else, so that no reload, bookmark or Referer repeats the callback.
      if (address?.href() === href) address.replace(cleanCallbackUrl(href));
      const callbackMessage = callback.type === 'message' ? callback.message : null;
      core.session.setNotes({ callbackError: null, callbackMessage });
      switch (callback.type) {
        case 'message':
          return null;
        case 'error':
          throw callbackError(callback);
        case 'code':
          return exchange(callback);
        case 'tokens':
          return signInWithTokens(core, callback.tokens, callback.isRecovery, acceptImplicitFlow);
      }
    },
    exchangeCodeForSession: async (request, options) => core.session.signIn(await exchange(request, options)),
  };
}

async function signInWithTokens(
  core: AuthCore,
  tokens: CallbackTokens,
  isRecovery: boolean,
  acceptImplicitFlow: boolean,
): Promise<NewSession> {
  if (!acceptImplicitFlow)
    throw new AuthError(
      'implicit-flow-disabled',
      'The link carries tokens, which this client refuses; acceptImplicitFlow allows them',
    );
  // Any site can write such a URL: read the tokens' user from the server.
  const imported = await sessionFromTokens(core, tokens);
  const { providerToken: provider_token, providerRefreshToken: provider_refresh_token } = tokens;
  const response = { ...imported.response, provider_token, provider_refresh_token };
  return { ...imported, response, name: eventOf(isRecovery), reason: 'callback' };
}

const eventOf = (isRecovery: boolean | undefined) => (isRecovery ? 'PASSWORD_RECOVERY' : 'SIGNED_IN');

/** Any site can write such a URL. */
function callbackError({ code, error, message }: Extract<Callback, { readonly type: 'error' }>): AuthError {
  const known = code === null ? 'oauth-error' : toServerErrorCode(code);
  return new AuthError(known, message, { serverCode: code ?? error });
}
