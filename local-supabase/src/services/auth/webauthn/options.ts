import { encodeBase64Url } from '../../../platform/base64.ts';
import { algorithms } from './verification.ts';

/** The timeout of the browser's prompt, as go-webauthn sets it. */
export const promptTimeoutMs = 300_000;

/** The key types that an authenticator may create, the preferred one first. */
export const credentialParameters: readonly { readonly type: 'public-key'; readonly alg: number }[] =
  algorithms.map((alg) => ({ type: 'public-key', alg }));

export function describeCredential(
  id: Uint8Array,
  transports: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  return {
    type: 'public-key',
    id: encodeBase64Url(id),
    ...(transports.length > 0 && { transports }),
  };
}
