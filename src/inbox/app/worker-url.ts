/** Trusted Types, which not every browser has. */
interface TrustedTypes {
  createPolicy(
    name: 'worker-url',
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): TrustedScriptURL };
}
type TrustedScriptURL = string;

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;

/**
 * Returns the URL of a worker's script in the form that the page's policy requires (`trusted-types` in
 * scripts/page-headers.ts). A policy of this name can be created once only.
 *
 * @param url of the application's own origin.
 */
export function trustWorkerUrl(url: string): TrustedScriptURL {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy('worker-url', { createScriptURL: (text) => text });
  return policy?.createScriptURL(url) ?? url;
}
