import type { IdentityData } from './identity.ts';

/** The profile that a provider returns for a signed-in person. */
export interface Profile {
  /** `google`, `web3`, `sso:<connection>` … */
  readonly provider: string;
  /** The stored `identity_data`; `sub` is the person's id at the provider. */
  readonly data: IdentityData;
  /** '' if the provider returned none. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  /** True when the provider allows accounts without an address. */
  readonly isEmailOptional: boolean;
}

/** The claims of an OpenID provider that a profile uses. */
export interface ProviderClaims {
  readonly iss: string;
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name?: string | undefined;
  readonly picture?: string | undefined;
}

export function parseProfile(provider: string, claims: ProviderClaims, isEmailOptional: boolean): Profile {
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
    ...(provider === 'keycloak' && { custom_claims: {} }),
  };
  return { provider, data, email, isEmailVerified, isEmailOptional };
}
