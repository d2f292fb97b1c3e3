/** Host names that only this machine resolves to itself. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Tells requests of this machine from those that a page of another host makes a browser send. */
export interface OwnHosts {
  /**
   * Whether the Host header names this server. By DNS rebinding, a foreign page reaches it under a name of its own, and
   * shares its origin.
   */
  isHost(host: string | null): boolean;
  /** Whether a page of another host sent the request, as far as the browser says so. */
  isForeign(headers: Pick<Headers, 'get'>): boolean;
  /** Whether a websocket may be opened: browsers send it with the cookies and the reach of any page. */
  admits(request: {
    readonly headers: { readonly host?: string | undefined; readonly origin?: string | undefined };
  }): boolean;
}

/** @param allowed host names beside the loopback ones: of a tunnel, or of a container. */
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
    // A form, an image or a link sends no origin, but the browser says where it comes from.
    return /^(?:cross-site|same-site)$/.test(headers.get('sec-fetch-site') ?? '');
  };
  return {
    isHost,
    isForeign,
    admits: ({ headers: { host = null, origin } }) => isHost(host) && (origin === undefined || isOwn(origin)),
  };
}
