import type { IdentityData } from '../users/identity.ts';

/** What a provider told of the person who signed in there. */
export interface Profile {
  /** `google`, `web3`, `sso:<connection>` … */
  readonly provider: string;
  /** What the identity keeps; `sub` is the person's id at the provider. */
  readonly data: IdentityData;
  /** '' when the provider gave none. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  /** True when an account without an address is fine. */
  readonly isEmailOptional: boolean;
}

/** Claims of an OpenID provider, as far as a profile takes them. */
export interface ProviderClaims {
  readonly iss: string;
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name?: string | undefined;
  readonly picture?: string | undefined;
}

/** Makes a profile of an OpenID provider's claims. */
export function profileOfClaims(provider: string, claims: ProviderClaims): Profile {
  const { iss, sub, email, email_verified: isEmailVerified, name, picture } = claims;
  const data = {
    iss,
    sub,
    ...(email && { email }),
    email_verified: isEmailVerified,
    phone_verified: false,
    ...(name && { name, full_name: name }),
    ...(picture && { picture, avatar_url: picture }),
    provider_id: sub,
  };
  return { provider, data, email, isEmailVerified, isEmailOptional: false };
}
