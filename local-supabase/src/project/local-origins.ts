import type { LocalSupabaseOptions } from './options.ts';

/** The settings that name the application's origin. */
type OriginOptions = Pick<LocalSupabaseOptions, 'siteUrl' | 'auth'>;

const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/**
 * Returns the options for an application on `appPort` of this machine: moves the site and the passkey origins from
 * other local ports there. Keeps other sites and origins; the default site is the local one.
 */
export function moveToLocalPort<Options extends OriginOptions>(
  options: Options,
  appPort: number,
): Options & { readonly siteUrl: string } {
  const local = `http://localhost:${appPort}`;
  const move = (url: string): string =>
    !URL.canParse(url) || localHosts.has(new URL(url).hostname) ? local : url;
  const origins = options.auth?.webauthnRpOrigins;
  return {
    ...options,
    siteUrl: options.siteUrl === undefined ? local : move(options.siteUrl),
    ...(origins && { auth: { ...options.auth, webauthnRpOrigins: origins.map(move) } }),
  };
}
