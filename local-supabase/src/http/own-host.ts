/** Host names that only this machine resolves to itself. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Distinguishes requests of this machine from those that a page of another host causes. */
export interface OwnHosts {
  /**
   * Whether the Host header names this server. After DNS rebinding, a foreign page reaches it by another name and
   * shares its origin.
   */
  isHost(host: string | null): boolean;
  /** Whether the browser's headers show that a page of another host sent the request. */
  isForeign(headers: Pick<Headers, 'get'>): boolean;
  /** Whether a WebSocket may be opened: browsers let every page open one, with cookies. */
  admits(request: {
    readonly headers: { readonly host?: string | undefined; readonly origin?: string | undefined };
  }): boolean;
}

/** @param allowed host names besides loopback ones: of a tunnel or a container. */
export function createOwnHosts(allowed: readonly string[] = []): OwnHosts {
  const isOwn = (url: string) => {
    if (!URL.canParse(url)) return false;
    const { hostname } = new URL(url);
    return LOOPBACK.test(hostname) || allowed.includes(hostname);
  };
  const isHost = (host: string | null) => host === null || isOwn(`http://${host}`);
  const isForeign = (headers: Pick<Headers, 'get'>) => {
    const origin = headers.get('origin');
    if (origin !== null) return !isOwn(origin);
    // Forms, images and links send no origin, but the browser sends `Sec-Fetch-Site`.
    return /^(?:cross-site|same-site)$/.test(headers.get('sec-fetch-site') ?? '');
  };
  return {
    isHost,
    isForeign,
    admits: ({ headers: { host = null, origin } }) => isHost(host) && (origin === undefined || isOwn(origin)),
  };
}
