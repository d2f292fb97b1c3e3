import type { AuthSettings, createLocalSupabase, LocalSupabase, LocalSupabaseOptions } from 'local-supabase';
import { createLocalTarget } from '../bin/local-target.ts';
import { hookNames, hookSecrets, readHookSql, type HookServer } from '../src/target/hook-server.ts';
import type { ConformanceTarget } from '../src/target/target.ts';

export interface AuthServer {
  readonly name: string;
  readonly auth: Partial<AuthSettings>;
  readonly redirectUrls?: readonly string[];
  /** Whether the service calls hooks, which then receive its mails and SMS. */
  readonly hasHooks?: true;
}

const accountChangeMails: AuthSettings['accountChangeMails'] = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
];

export const serverWithHooks: AuthServer = {
  name: 'a server with hooks',
  hasHooks: true,
  auth: { accountChangeMails },
};

export const serverWithChanges: AuthServer = {
  name: 'a server that mails changes of accounts, with rules for passwords and tokens of version 2',
  redirectUrls: [
    'http://localhost:5173/**',
    'https://*.example.com/a?/**',
    'https://one.example.org/[a-c]/[!a-c]/[^z]*.html',
    'https://two.example.org/{x}/\\*/(b+c)$',
    'https://three.example.org/{one,two}',
    'https://example.net:*/port',
    'audit-app://**',
    'https://wallet.example.net/',
  ],
  auth: {
    refreshTokenVersion: 2,
    secureEmailChange: false,
    passwordMinLength: 12,
    passwordRequiredCharacters: [
      'abcdefghijklmnopqrstuvwxyz',
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
      '0123456789',
      '!@#$%^&*_-',
    ],
    passwordUpdateRequiresReauthentication: true,
    passwordUpdateRequiresCurrentPassword: true,
    accountChangeMails,
  },
};

export const serverThatConfirms: AuthServer = {
  name: 'a server that confirms at once',
  auth: {
    mailerAutoconfirm: true,
    phoneAutoconfirm: true,
    externalProviders: ['keycloak'],
    maxCustomProviders: 1,
    web3SolanaEnabled: false,
    oauthDynamicRegistrationEnabled: false,
    smsTestOtp: { '155500001234': '123456' },
  },
};

export const closedServer: AuthServer = {
  name: 'a server whose features are off',
  auth: {
    emailEnabled: false,
    phoneEnabled: false,
    anonymousEnabled: false,
    manualLinkingEnabled: false,
    web3EthereumEnabled: false,
    web3SolanaEnabled: false,
    passkeysEnabled: false,
    oauthServerEnabled: false,
    customProvidersEnabled: false,
    scimEnabled: false,
    ssoConnections: [],
    totpEnrollEnabled: false,
    totpVerifyEnabled: false,
    phoneFactorEnrollEnabled: false,
    phoneFactorVerifyEnabled: false,
    webauthnFactorEnrollEnabled: false,
    webauthnFactorVerifyEnabled: false,
  },
};

export const serverWithCaptcha: AuthServer = {
  name: 'a server with a captcha',
  auth: { captchaToken: 'solved' },
};

export const serverWithShortSessions: AuthServer = {
  name: 'a server with short sessions',
  auth: {
    sessionTimeboxSeconds: 86_400,
    sessionInactivitySeconds: 3600,
    sessionLowAalSeconds: 1800,
    sessionSinglePerUser: true,
  },
};

export const serverWithLimits: AuthServer = {
  name: 'a server with rate limits',
  auth: { rateLimits: { emailSent: 1e6, smsSent: 1e6 } },
};

export const serverWithFewMessages: AuthServer = {
  name: 'a server with few messages in an hour',
  auth: { rateLimits: { emailSent: 2, smsSent: 2 } },
};

export const serverForKnownUsers: AuthServer = {
  name: 'a server that is closed to new users',
  auth: { disableSignup: true, oauthAuthorizationPath: '' },
};

/** Servers whose settings let audits run that those of a default server exclude. */
export const otherAuthServers: readonly AuthServer[] = [
  serverWithHooks,
  serverWithChanges,
  serverWithLimits,
  serverWithFewMessages,
  serverThatConfirms,
  closedServer,
  serverForKnownUsers,
  serverWithCaptcha,
  serverWithShortSessions,
];

/** Starts a server, with its target. */
export async function startAuthServer(
  create: typeof createLocalSupabase,
  { auth, redirectUrls, hasHooks }: AuthServer,
  hooks: HookServer,
  options: LocalSupabaseOptions = {},
): Promise<{ readonly supabase: LocalSupabase; readonly target: ConformanceTarget }> {
  const endpoint = (name: string) => ({
    uri: `http://127.0.0.1:${hooks.port}/${name}`,
    secrets: hookSecrets,
  });
  const targets = Object.fromEntries(hookNames.map((name) => [name, endpoint(name)]));
  const before_user_created = { uri: 'pg-functions://postgres/conformance_hooks/before_user_created' };
  const supabase = await create({
    config: false,
    port: 0,
    mailboxPort: 0,
    ...options,
    ...(redirectUrls && { redirectUrls }),
    auth: {
      bcryptCost: 4,
      ...options.auth,
      ...auth,
      ...(hasHooks && { hooks: { ...targets, before_user_created } }),
    },
  });
  const target = createLocalTarget(supabase);
  if (!hasHooks) return { supabase, target };
  await supabase.database.exec(await readHookSql());
  return { supabase, target: { ...target, hooks, mailboxUrl: null, smsInMailbox: false } };
}
