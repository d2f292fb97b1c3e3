import { decodeJwtClaims } from './jwt.ts';
import { configurationProblem } from './service.ts';

/** Hosts of this machine, of its container network, such as `kong`, and of tests (RFC 6761). */
const nearbyHost = /^(?:[a-z0-9-]+|127(?:\.\d+){3}|\[::1\]|host\.docker\.internal|.+\.(?:localhost|test))$/i;

/**
 * Describes the invalid option of a client with the project's secret key; null if all are valid. The key grants all rights: a
 * publishable key is refused, and http to a host on a network.
 */
export function secretKeyProblem(options: {
  readonly url: string;
  readonly secretKey: string;
}): string | null {
  const { url, secretKey } = options;
  const problem = configurationProblem({ url, apiKey: secretKey });
  if (problem) return problem.replace('apiKey', 'secretKey');
  if (secretKey.startsWith('sb_publishable_') || decodeJwtClaims(secretKey)?.['role'] === 'anon')
    return 'secretKey is a publishable key: the secret one is needed';
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || nearbyHost.test(hostname)
    ? null
    : 'url is http: the secret key would be sent in the clear';
}

/** Whether users could read a key of this program: in a page, in a worker of a page, and in an app. */
export function isReadableByUsers(): boolean {
  const { userAgent = '', product = '' } = typeof navigator === 'undefined' ? {} : navigator;
  // Runtimes of servers have workers, too, with names such as `Deno/2` and `Cloudflare-Workers`.
  const isPageWorker = 'WorkerGlobalScope' in globalThis && userAgent.startsWith('Mozilla/');
  return typeof document !== 'undefined' || isPageWorker || product === 'ReactNative';
}
