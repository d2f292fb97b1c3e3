const names: Readonly<Record<string, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  azure: 'Microsoft',
  linkedin_oidc: 'LinkedIn',
  linkedin: 'LinkedIn',
  slack_oidc: 'Slack',
  workos: 'WorkOS',
  x: 'X',
};

/** A provider's display name: `google` → Google. */
export function providerName(provider: string): string {
  return names[provider] ?? provider.charAt(0).toUpperCase() + provider.slice(1);
}

/** Entries of the auth server's `external` settings that are not social providers. */
const notSocial: ReadonlySet<string> = new Set(['email', 'phone', 'anonymous_users', 'saml', 'web3']);

export function isSocialProvider(name: string): boolean {
  return !notSocial.has(name);
}
