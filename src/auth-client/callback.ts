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
}

export interface CallbackScope {
  /** Paths at which callbacks arrive. Default: any, and then only what bears the server's mark is ours. */
  readonly paths?: readonly string[] | undefined;
  /** Whether a flow of ours waits for a code. */
  readonly isFlowPending: boolean;
}

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
  if (code && (paths || isFlowPending)) return { kind: 'code', code };
  const accessToken = hash.get('access_token');
  const refreshToken = hash.get('refresh_token');
  if (accessToken && refreshToken && isMarked) {
    const tokens = { accessToken, refreshToken, providerToken: hash.get('provider_token') };
    return { kind: 'tokens', tokens, isRecovery: hash.get('type') === 'recovery' };
  }
  const message = read('message');
  if (message !== null && read('sb') !== null) return { kind: 'message', message };
  return { kind: 'none' };
}

/** The URL without what the server added: it replaces the whole hash, and adds to the query. */
export function cleanCallbackUrl(href: string): string {
  const url = new URL(href);
  const query = url.searchParams;
  const added = [
    'code',
    'error',
    'error_code',
    'error_description',
    ...(query.has('sb') ? ['sb', 'message'] : []),
  ];
  for (const key of added) query.delete(key);
  if (/[#&](sb|access_token|error|error_code)=/.test(url.hash)) url.hash = '';
  return url.href.replace(/#$/, '');
}
