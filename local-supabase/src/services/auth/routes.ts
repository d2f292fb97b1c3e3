import { listAuditEntries } from './admin/audit.ts';
import { createUserAsAdmin } from './admin/create-user.ts';
import {
  createCustomProvider,
  deleteCustomProvider,
  listCustomProviders,
  readCustomProvider,
  updateCustomProvider,
} from './admin/custom-providers.ts';
import { deleteFactorAsAdmin, listFactorsAsAdmin, updateFactorAsAdmin } from './admin/factors.ts';
import { generateLink } from './admin/generate-link.ts';
import { invite } from './admin/invite.ts';
import {
  createOAuthClient,
  deleteOAuthClient,
  listOAuthClients,
  readOAuthClient,
  regenerateClientSecret,
  registerDynamicClient,
  requireOAuthServer,
  updateOAuthClient,
} from './admin/oauth-clients.ts';
import { deletePasskeyAsAdmin, listPasskeysAsAdmin } from './admin/passkeys.ts';
import {
  createSsoProvider,
  deleteSsoProvider,
  listSsoProviders,
  readSsoProvider,
  updateSsoProvider,
} from './admin/sso-providers.ts';
import { updateUserAsAdmin } from './admin/update-user.ts';
import { deleteUserAsAdmin, listUsers, readUser } from './admin/users.ts';
import type { Call } from './http/call.ts';
import { checkCaptcha } from './sessions/captcha.ts';
import type { AuthContext } from './context.ts';
import { readHealth, readKeySet, readServerMetadata, readSettings } from './http/discovery.ts';
import { challengeFactor } from './factors/challenge.ts';
import { enrollFactor, unenrollFactor } from './factors/enrollment.ts';
import {
  describeRecoveryCodes,
  generateRecoveryCodes,
  regenerateRecoveryCodes,
  unenrollRecoveryCodes,
  verifyRecoveryCode,
} from './factors/recovery-codes.ts';
import { verifyFactor } from './factors/verification.ts';
import { logout } from './sessions/logout.ts';
import { sendMagicLink } from './verification/magic-link.ts';
import { authorize, authorizeLink } from './oauth/authorize.ts';
import { callback } from './oauth/callback.ts';
import { unlinkIdentity } from './oauth/unlink.ts';
import { authorizeClient } from './oauth-server/authorize.ts';
import { decideAuthorization, readAuthorization } from './oauth-server/consent.ts';
import { listGrants, revokeGrant } from './oauth-server/grants.ts';
import { issueClientTokens } from './oauth-server/token.ts';
import { readUserInfo } from './oauth-server/user-info.ts';
import { sendOtp } from './verification/otp.ts';
import { createAuthenticationOptions, verifyPasskeyAuthentication } from './passkeys/authentication.ts';
import { deletePasskey, listPasskeys, renamePasskey, requirePasskeysEnabled } from './passkeys/management.ts';
import { createRegistrationOptions, verifyPasskeyRegistration } from './passkeys/registration.ts';
import { readOwnUser, updateOwnUser } from './users/own-user.ts';
import type { RateLimitName } from './http/rate-limiter.ts';
import { reauthenticate } from './verification/reauthenticate.ts';
import { recover } from './verification/recover.ts';
import { resend } from './verification/resend.ts';
import { signUp } from './users/sign-up.ts';
import { consumeAssertion, showSsoProvider, submitSsoProvider } from './sso/assertion.ts';
import { readServiceMetadata } from './sso/service-metadata.ts';
import { singleSignOn } from './sso/single-sign-on.ts';
import {
  describeProvider,
  issueIdToken,
  readProviderKeys,
  showProvider,
  submitProvider,
} from './test-provider/provider-routes.ts';
import { respondUnknownResource, listNoResources, readServiceProviderConfig, requireScim } from './scim.ts';
import { token } from './grants/token.ts';
import { verifyByLink, verifyByPost } from './verification/verify.ts';

export type Handler = (context: AuthContext, call: Call) => Promise<Response>;

/** A route of the service. `:name` in the path is a parameter. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly handler: Handler;
}

/** The paths that GoTrue also accepts with a trailing slash. */
export const pathsWithOptionalSlash: ReadonlySet<string> = new Set([
  '/callback',
  '/signup',
  '/verify',
  '/user',
  '/user/oauth/grants',
  '/reauthenticate',
  '/factors',
  '/factors/:factor_id',
  '/admin/users',
  '/admin/users/:user_id',
  '/admin/users/:user_id/factors',
  '/admin/users/:user_id/factors/:factor_id',
  '/passkeys',
  '/passkeys/:passkey_id',
  '/admin/users/:user_id/passkeys',
  '/admin/users/:user_id/passkeys/:passkey_id',
  '/admin/audit',
  '/admin/sso/providers',
  '/admin/sso/providers/:idp_id',
  '/admin/custom-providers',
  '/admin/custom-providers/:identifier',
  '/admin/oauth/clients',
  '/admin/oauth/clients/:client_id',
]);

/** A check that runs for `path` and every path below it, before routing. Throws an HTTP error. */
export interface SubtreeCheck {
  readonly path: string;
  readonly check: (context: AuthContext) => void;
}

/** As in GoTrue's router, these paths only group routes: every method responds 404. */
export const groupPaths: readonly string[] = ['/passkeys/registration', '/passkeys/authentication'];

export const subtreeChecks: readonly SubtreeCheck[] = [
  { path: '/passkeys', check: requirePasskeysEnabled },
  { path: '/scim/v2', check: requireScim },
  { path: '/oauth', check: requireOAuthServer },
];

/** The handlers of subtree paths without a route. */
export const subtreeFallbacks: readonly { readonly path: string; readonly handler: Handler }[] = [
  { path: '/scim/v2', handler: respondUnknownResource },
];

const withCaptcha =
  (handler: Handler): Handler =>
  async (context, call) => {
    await checkCaptcha(context, call);
    return handler(context, call);
  };

const limited =
  (name: RateLimitName, handler: Handler): Handler =>
  async (context, call) => {
    context.limiter.count(name, call.ip);
    return handler(context, call);
  };

const guarded = (name: RateLimitName, handler: Handler): Handler => limited(name, withCaptcha(handler));

/** Responds no sooner than `mailResponseMs`, because requests for an existing account take longer. */
const evenly =
  (handler: Handler): Handler =>
  async (context, call) => {
    const { settings, transport } = context;
    const [response] = await Promise.allSettled([
      handler(context, call),
      transport.sleep(settings.mailResponseMs, new AbortController().signal),
    ]);
    if (response.status === 'rejected') throw response.reason;
    return response.value;
  };

export const routes: readonly Route[] = [
  { method: 'GET', path: '/health', handler: readHealth },
  { method: 'GET', path: '/settings', handler: readSettings },
  { method: 'GET', path: '/.well-known/jwks.json', handler: readKeySet },
  { method: 'GET', path: '/.well-known/openid-configuration', handler: readServerMetadata },
  {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    handler: async (context, call) => {
      requireOAuthServer(context);
      return readServerMetadata(context, call);
    },
  },
  { method: 'POST', path: '/signup', handler: withCaptcha(signUp) },
  { method: 'POST', path: '/token', handler: withCaptcha(token) },
  { method: 'POST', path: '/otp', handler: guarded('otp', evenly(sendOtp)) },
  { method: 'POST', path: '/magiclink', handler: guarded('magiclink', evenly(sendMagicLink)) },
  { method: 'POST', path: '/recover', handler: guarded('recover', evenly(recover)) },
  { method: 'POST', path: '/resend', handler: guarded('resend', evenly(resend)) },
  { method: 'GET', path: '/verify', handler: limited('verify', verifyByLink) },
  { method: 'POST', path: '/verify', handler: limited('verify', verifyByPost) },
  { method: 'GET', path: '/user', handler: readOwnUser },
  { method: 'PUT', path: '/user', handler: updateOwnUser },
  { method: 'GET', path: '/reauthenticate', handler: reauthenticate },
  { method: 'POST', path: '/logout', handler: logout },
  { method: 'GET', path: '/authorize', handler: authorize },
  { method: 'GET', path: '/callback', handler: callback },
  { method: 'POST', path: '/callback', handler: callback },
  { method: 'GET', path: '/user/identities/authorize', handler: authorizeLink },
  { method: 'DELETE', path: '/user/identities/:identity_id', handler: unlinkIdentity },
  { method: 'POST', path: '/sso', handler: guarded('sso', singleSignOn) },
  { method: 'GET', path: '/sso/saml/metadata', handler: readServiceMetadata },
  { method: 'GET', path: '/sso/saml/acs', handler: consumeAssertion },
  { method: 'POST', path: '/sso/saml/acs', handler: consumeAssertion },
  { method: 'GET', path: '/factors/recovery-codes', handler: describeRecoveryCodes },
  { method: 'POST', path: '/factors/recovery-codes', handler: generateRecoveryCodes },
  { method: 'DELETE', path: '/factors/recovery-codes', handler: unenrollRecoveryCodes },
  { method: 'POST', path: '/factors/recovery-codes/verify', handler: verifyRecoveryCode },
  { method: 'POST', path: '/factors/recovery-codes/regenerate', handler: regenerateRecoveryCodes },
  { method: 'POST', path: '/factors', handler: enrollFactor },
  { method: 'POST', path: '/factors/:factor_id/challenge', handler: challengeFactor },
  { method: 'POST', path: '/factors/:factor_id/verify', handler: verifyFactor },
  { method: 'DELETE', path: '/factors/:factor_id', handler: unenrollFactor },
  { method: 'POST', path: '/passkeys/registration/options', handler: createRegistrationOptions },
  { method: 'POST', path: '/passkeys/registration/verify', handler: verifyPasskeyRegistration },
  {
    method: 'POST',
    path: '/passkeys/authentication/options',
    handler: guarded('passkeys', createAuthenticationOptions),
  },
  { method: 'POST', path: '/passkeys/authentication/verify', handler: verifyPasskeyAuthentication },
  { method: 'GET', path: '/passkeys', handler: listPasskeys },
  { method: 'PATCH', path: '/passkeys/:passkey_id', handler: renamePasskey },
  { method: 'DELETE', path: '/passkeys/:passkey_id', handler: deletePasskey },
  { method: 'POST', path: '/invite', handler: invite },
  { method: 'GET', path: '/admin/users', handler: listUsers },
  { method: 'POST', path: '/admin/users', handler: createUserAsAdmin },
  { method: 'GET', path: '/admin/users/:user_id', handler: readUser },
  { method: 'PUT', path: '/admin/users/:user_id', handler: updateUserAsAdmin },
  { method: 'DELETE', path: '/admin/users/:user_id', handler: deleteUserAsAdmin },
  { method: 'GET', path: '/admin/users/:user_id/factors', handler: listFactorsAsAdmin },
  { method: 'PUT', path: '/admin/users/:user_id/factors/:factor_id', handler: updateFactorAsAdmin },
  { method: 'DELETE', path: '/admin/users/:user_id/factors/:factor_id', handler: deleteFactorAsAdmin },
  { method: 'GET', path: '/admin/users/:user_id/passkeys', handler: listPasskeysAsAdmin },
  {
    method: 'DELETE',
    path: '/admin/users/:user_id/passkeys/:passkey_id',
    handler: deletePasskeyAsAdmin,
  },
  { method: 'POST', path: '/admin/generate_link', handler: generateLink },
  { method: 'GET', path: '/admin/audit', handler: listAuditEntries },
  { method: 'GET', path: '/admin/sso/providers', handler: listSsoProviders },
  { method: 'POST', path: '/admin/sso/providers', handler: createSsoProvider },
  { method: 'GET', path: '/admin/sso/providers/:idp_id', handler: readSsoProvider },
  { method: 'PUT', path: '/admin/sso/providers/:idp_id', handler: updateSsoProvider },
  { method: 'DELETE', path: '/admin/sso/providers/:idp_id', handler: deleteSsoProvider },
  { method: 'GET', path: '/admin/custom-providers', handler: listCustomProviders },
  { method: 'POST', path: '/admin/custom-providers', handler: createCustomProvider },
  { method: 'GET', path: '/admin/custom-providers/:identifier', handler: readCustomProvider },
  { method: 'PUT', path: '/admin/custom-providers/:identifier', handler: updateCustomProvider },
  { method: 'DELETE', path: '/admin/custom-providers/:identifier', handler: deleteCustomProvider },
  { method: 'GET', path: '/admin/oauth/clients', handler: listOAuthClients },
  { method: 'POST', path: '/admin/oauth/clients', handler: createOAuthClient },
  { method: 'GET', path: '/admin/oauth/clients/:client_id', handler: readOAuthClient },
  { method: 'PUT', path: '/admin/oauth/clients/:client_id', handler: updateOAuthClient },
  { method: 'DELETE', path: '/admin/oauth/clients/:client_id', handler: deleteOAuthClient },
  {
    method: 'POST',
    path: '/admin/oauth/clients/:client_id/regenerate_secret',
    handler: regenerateClientSecret,
  },
  {
    method: 'POST',
    path: '/oauth/clients/register',
    handler: limited('oauth_client_register', registerDynamicClient),
  },
  { method: 'GET', path: '/oauth/authorize', handler: authorizeClient },
  { method: 'GET', path: '/oauth/authorizations/:authorization_id', handler: readAuthorization },
  { method: 'POST', path: '/oauth/authorizations/:authorization_id/consent', handler: decideAuthorization },
  { method: 'POST', path: '/oauth/token', handler: issueClientTokens },
  { method: 'GET', path: '/oauth/userinfo', handler: readUserInfo },
  { method: 'GET', path: '/user/oauth/grants', handler: listGrants },
  { method: 'DELETE', path: '/user/oauth/grants', handler: revokeGrant },
  { method: 'GET', path: '/scim/v2/ServiceProviderConfig', handler: readServiceProviderConfig },
  { method: 'GET', path: '/scim/v2/ResourceTypes', handler: listNoResources },
  { method: 'GET', path: '/scim/v2/Schemas', handler: listNoResources },
  { method: 'GET', path: '/test-provider/sso/:connection', handler: showSsoProvider },
  { method: 'POST', path: '/test-provider/sso/:connection', handler: submitSsoProvider },
  { method: 'GET', path: '/test-provider/:provider/authorize', handler: showProvider },
  { method: 'POST', path: '/test-provider/:provider/authorize', handler: submitProvider },
  { method: 'POST', path: '/test-provider/:provider/id_token', handler: issueIdToken },
  { method: 'GET', path: '/test-provider/:provider/jwks', handler: readProviderKeys },
  {
    method: 'GET',
    path: '/test-provider/:provider/.well-known/openid-configuration',
    handler: describeProvider,
  },
];
