import type { LocalSupabaseOptions } from './options.ts';

/** The settings that name the application's origin. */
type OriginOptions = Pick<LocalSupabaseOptions, 'siteUrl' | 'auth'>;

const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/**
 * The options for an application that runs on `appPort` of this machine: the site and the origins of passkeys move there
 * from other ports of this machine. Other sites and origins stay; without a site it is the local one.
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
