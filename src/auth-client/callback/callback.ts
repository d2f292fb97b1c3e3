import { isServerErrorCode } from '../wire/server-error-codes.ts';
import { parametersOf } from './callback-parameters.ts';

/** The parsed result of a redirect from the auth server. */
export type Callback =
  /** Not from the auth server: the URL stays unchanged. */
  | { readonly type: 'none' }
  /** The authorization code of a PKCE flow. */
  | {
      readonly type: 'code';
      readonly code: string;
      /** The flow that the vendor's clients name in the URL; undefined if none is named. */
      readonly flowId?: string | undefined;
    }
  /** The tokens themselves, in the fragment: the implicit flow. */
  | { readonly type: 'tokens'; readonly tokens: CallbackTokens; readonly isRecovery: boolean }
  /** A message without a session, for example after the first half of an email change. */
  | { readonly type: 'message'; readonly message: string }
  | {
      readonly type: 'error';
      /** OAuth's `error`. */
      readonly error: string | null;
      /** GoTrue's `error_code`. */
      readonly code: string | null;
      readonly message: string;
    };

export interface CallbackTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly providerToken: string | null;
  readonly providerRefreshToken: string | null;
  /** Lifetime of the access token in seconds, from its issue a moment ago. */
  readonly expiresInSeconds: number | undefined;
}

export interface CallbackScope {
  /** Paths at which callbacks arrive. Default: any path, where a callback must show that it is the auth server's. */
  readonly paths?: readonly string[] | undefined;
  /** Whether a PKCE flow of this client waits for its code. */
  readonly isFlowPending: boolean;
}

/** The parameter in which a client names the flow of a redirect, as the vendor's clients do. */
const flowIdParameter = 'sb_flow_id';

/** The auth server's codes are UUIDs; those of other services rarely are. */
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Reads the query and fragment of a redirect; another service's `?code=` or `#access_token=` is `none`. */
export function parseCallback(href: string, { paths, isFlowPending }: CallbackScope): Callback {
  const url = new URL(href);
  if (paths && !paths.includes(url.pathname)) return { type: 'none' };
  const { query, fragment } = parametersOf(url);
  const read = (name: string) => query.get(name) ?? fragment.get(name);
  // The auth server marks its redirects with an empty `sb` parameter.
  const hasServerMark = read('sb') !== null;
  const isOurs = !!paths || hasServerMark;

  const error = read('error');
  const errorCode = read('error_code');
  // Without the mark, as after a lost OAuth state and from older servers, the code must be one of the auth server's.
  const isErrorOfFlow = isFlowPending && errorCode !== null && isServerErrorCode(errorCode);
  if ((error !== null || errorCode !== null) && (isOurs || isErrorOfFlow)) {
    const message = read('error_description') ?? error ?? '';
    return { type: 'error', error, code: errorCode, message };
  }
  const code = query.get('code');
  if (code && (paths || (isFlowPending && uuid.test(code)))) {
    const flowId = query.get(flowIdParameter);
    return { type: 'code', code, ...(flowId !== null && { flowId }) };
  }
  const tokens = readTokens(fragment);
  if (tokens && isOurs) return { type: 'tokens', tokens, isRecovery: fragment.get('type') === 'recovery' };
  const message = read('message');
  if (message !== null && hasServerMark) return { type: 'message', message };
  return { type: 'none' };
}

function readTokens(fragment: URLSearchParams): CallbackTokens | null {
  const accessToken = fragment.get('access_token');
  const refreshToken = fragment.get('refresh_token');
  if (!accessToken || !refreshToken) return null;
  return {
    accessToken,
    refreshToken,
    providerToken: fragment.get('provider_token'),
    providerRefreshToken: fragment.get('provider_refresh_token'),
    expiresInSeconds: Number(fragment.get('expires_in')) || undefined,
  };
}

const addedToQuery = ['code', 'error', 'error_code', 'error_description', flowIdParameter];
const addedWithServerMark = ['sb', 'message'];
const addedToFragment = ['sb', 'access_token', 'error', 'error_code'];

/** Removes the auth server's parameters from the query, and the whole fragment. */
export function cleanCallbackUrl(href: string): string {
  const url = new URL(href);
  const { query, fragment } = parametersOf(url);
  const added = new Set([...addedToQuery, ...(query.has('sb') ? addedWithServerMark : [])]);
  // URLSearchParams would encode the application's own parameters again.
  url.search = url.search
    .slice(1)
    .split('&')
    .filter((pair) => !added.has(pair.split('=')[0] ?? ''))
    .join('&');
  if (addedToFragment.some((name) => fragment.has(name))) url.hash = '';
  return url.href.replace(/#$/, '');
}
