/** What a URL says to this client (protocol document §1, GET /verify and /callback). */
export type Callback =
  /** Not ours: nothing may be touched. */
  | { readonly kind: 'none' }
  | { readonly kind: 'code'; readonly code: string }
  /** An implicit link: the tokens themselves. */
  | { readonly kind: 'tokens'; readonly tokens: CallbackTokens; readonly isRecovery: boolean }
  /** The first half of an e-mail change: nothing to do but to tell. */
  | { readonly kind: 'message'; readonly message: string }
  | {
      readonly kind: 'error';
      readonly error: string | null;
      readonly code: string | null;
      readonly message: string;
    };

export interface CallbackTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly providerToken: string | null;
  readonly providerRefreshToken: string | null;
  /** Seconds that the access token lives from its issue, which was just now. */
  readonly expiresIn: number | undefined;
}

export interface CallbackScope {
  /** Paths at which callbacks arrive. Default: any, and then only what bears the server's mark is ours. */
  readonly paths?: readonly string[] | undefined;
  /** Whether a flow of ours waits for a code. */
  readonly isFlowPending: boolean;
}

/** The server's codes are UUIDs; those of other services are rarely. */
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Reads a redirect's query and hash; a foreign `?code=` or `#access_token=` is `none`. */
export function parseCallback(href: string, { paths, isFlowPending }: CallbackScope): Callback {
  const url = new URL(href);
  if (paths && !paths.includes(url.pathname)) return { kind: 'none' };
  const hash = new URLSearchParams(url.hash.slice(1));
  const read = (key: string) => url.searchParams.get(key) ?? hash.get(key);
  const isMarked = !!paths || read('sb') !== null;

  const code = url.searchParams.get('code');
  const error = read('error');
  const errorCode = read('error_code');
  if ((error ?? errorCode) !== null && (isMarked || isFlowPending)) {
    const message = read('error_description') ?? error ?? '';
    return { kind: 'error', error, code: errorCode, message };
  }
  if (code && (paths || (isFlowPending && uuid.test(code)))) return { kind: 'code', code };
  const accessToken = hash.get('access_token');
  const refreshToken = hash.get('refresh_token');
  if (accessToken && refreshToken && isMarked) {
    const tokens = {
      accessToken,
      refreshToken,
      providerToken: hash.get('provider_token'),
      providerRefreshToken: hash.get('provider_refresh_token'),
      expiresIn: Number(hash.get('expires_in')) || undefined,
    };
    return { kind: 'tokens', tokens, isRecovery: hash.get('type') === 'recovery' };
  }
  const message = read('message');
  if (message !== null && read('sb') !== null) return { kind: 'message', message };
  return { kind: 'none' };
}

/** The URL without what the server added: it replaces the whole hash, and adds to the query. The rest stays as it is. */
export function cleanCallbackUrl(href: string): string {
  const url = new URL(href);
  const added = url.searchParams.has('sb')
    ? /^(code|error(_code|_description)?|sb|message)(=|$)/
    : /^(code|error(_code|_description)?)(=|$)/;
  const own = url.search.slice(1).split('&');
  url.search = own.filter((part) => !added.test(part)).join('&');
  if (/[#&](sb|access_token|error|error_code)=/.test(url.hash)) url.hash = '';
  return url.href.replace(/#$/, '');
}
