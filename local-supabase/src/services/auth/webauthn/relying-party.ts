import type { AuthContext } from '../context.ts';
import { internal } from '../http/errors.ts';

/** The application that passkeys belong to (WebAuthn: relying party). */
export interface RelyingParty {
  readonly id: string;
  readonly name: string;
  readonly origins: readonly string[];
}

/** The origin of a web URL, in lower case and without a default port; null for other URLs. */
const webOriginOf = (origin: string): string | null =>
  /^https?:\/\//i.test(origin) && URL.canParse(origin) ? new URL(origin).origin : null;

/** Returns the relying party of the settings, completed from the site's URL. Throws 500 without an id or an origin. */
export function relyingPartyOf({ settings, siteUrl }: AuthContext): RelyingParty {
  const siteOrigin = webOriginOf(siteUrl);
  const id = settings.webauthnRpId ?? (siteOrigin === null ? '' : new URL(siteOrigin).hostname);
  const origins = settings.webauthnRpOrigins ?? (siteOrigin === null ? [] : [siteOrigin]);
  if (id === '' || origins.length === 0) throw internal('Failed to initialize WebAuthn');
  return { id, name: settings.webauthnRpDisplayName, origins };
}

/** True when `origin` is one of `allowed`. Origins of native applications (`android:apk-key-hash:…`) compare exactly. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  const webOrigin = webOriginOf(origin);
  return allowed.some((candidate) =>
    webOrigin === null ? candidate === origin : webOriginOf(candidate) === webOrigin,
  );
}
