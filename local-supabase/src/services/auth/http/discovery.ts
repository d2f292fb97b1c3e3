import { type Call, sendJson } from './call.ts';
import type { AuthContext } from '../context.ts';

export const knownProviders: readonly string[] = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'snapchat',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'keycloak',
  'kakao',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'spotify',
  'slack',
  'slack_oidc',
  'workos',
  'twitch',
  'twitter',
  'zoom',
];

/** GET /settings: the enabled sign-in methods. */
export async function readSettings({ settings }: AuthContext, call: Call): Promise<Response> {
  const enabled = new Set(settings.externalProviders);
  const names = [...new Set([...knownProviders, ...enabled])];
  return sendJson(call, {
    external: {
      anonymous_users: settings.anonymousEnabled,
      ...Object.fromEntries(names.map((name) => [name, enabled.has(name)])),
      email: settings.emailEnabled,
      phone: settings.phoneEnabled,
    },
    disable_signup: settings.disableSignup,
    mailer_autoconfirm: settings.mailerAutoconfirm,
    phone_autoconfirm: settings.phoneAutoconfirm,
    sms_provider: 'twilio',
    saml_enabled: settings.ssoConnections.length > 0,
    saml_private_key_next_configured: false,
    passkeys_enabled: settings.passkeysEnabled,
  });
}

export async function readHealth(_: AuthContext, call: Call): Promise<Response> {
  return sendJson(call, {
    version: 'local-supabase',
    name: 'GoTrue',
    description: 'GoTrue is a user registration and authentication API',
  });
}

const cacheFor = (call: Call): void => call.responseHeaders.set('Cache-Control', 'public, max-age=600');

/** GET /.well-known/jwks.json (RFC 7517). */
export async function readKeySet({ keys }: AuthContext, call: Call): Promise<Response> {
  cacheFor(call);
  return sendJson(call, await keys.jwks());
}

/** GET /.well-known/openid-configuration (OpenID Connect Discovery 1.0) and /.well-known/oauth-authorization-server (RFC 8414). */
export async function readServerMetadata({ settings }: AuthContext, call: Call): Promise<Response> {
  cacheFor(call);
  const issuer = call.authUrl;
  return sendJson(call, {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    ...(settings.oauthServerEnabled &&
      settings.oauthDynamicRegistrationEnabled && {
        registration_endpoint: `${issuer}/oauth/clients/register`,
      }),
    scopes_supported: ['openid', 'profile', 'email', 'phone', 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    claims_supported: [
      'sub',
      'aud',
      'iss',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'email',
      'email_verified',
      'phone_number',
      'phone_number_verified',
      'name',
      'picture',
      'preferred_username',
      'updated_at',
    ],
    code_challenge_methods_supported: ['S256', 'plain'],
  });
}
