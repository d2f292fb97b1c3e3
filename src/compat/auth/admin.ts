import type { AdminClient } from '../../auth-client/admin/admin.ts';
import type { CustomProviderAttributes, NewCustomProvider } from '../../auth-client/admin/providers.ts';
import type { OAuthClientAttributes } from '../../auth-client/admin/oauth-clients.ts';
import type { LinkRequest } from '../../auth-client/admin/links.ts';
import { AuthError as NativeAuthError } from '../../auth-client/index.ts';
import type { Settle } from '../outcome.ts';
import { toAuthError, type AuthError } from './auth-error.ts';
import type { AdminUserAttributes } from './credentials.ts';
import { toPasskeyItem } from './passkeys.ts';
import { type Factor, toUser } from './session.ts';
import { requireScope } from './sign-out-scopes.ts';

export interface LinkParams {
  type: LinkRequest['type'];
  email: string;
  password?: string | undefined;
  newEmail?: string | undefined;
  options?: { data?: object | undefined; redirectTo?: string | undefined } | undefined;
}

export interface OAuthClientParams {
  client_name?: string;
  client_uri?: string;
  logo_uri?: string;
  redirect_uris?: string[];
  grant_types?: ('authorization_code' | 'refresh_token')[];
  token_endpoint_auth_method?: 'none' | 'client_secret_basic' | 'client_secret_post';
}

/** Administration, in the vendor's form. The first call creates the native client, and fails if that throws. */
export function createAdmin(create: () => AdminClient, settle: Settle<AuthError>) {
  let created: AdminClient | undefined;
  const admin = () => (created ??= create());
  const ofUser = { user: null };
  return {
    createUser: (attributes: AdminUserAttributes) =>
      settle(async () => ({ user: toUser(await admin().createUser(toAttributes(attributes))) }), ofUser),
    getUserById: (userId: string) =>
      settle(async () => ({ user: toUser(await admin().getUser({ userId })) }), ofUser),
    updateUserById: (userId: string, attributes: AdminUserAttributes) =>
      settle(
        async () => ({ user: toUser(await admin().updateUser({ userId, ...toAttributes(attributes) })) }),
        ofUser,
      ),
    deleteUser: (userId: string, shouldSoftDelete = false) =>
      settle(async () => {
        await admin().deleteUser({ userId, keepsRow: shouldSoftDelete });
        return { user: null };
      }, ofUser),
    listUsers: ({ page = 1, perPage = 50 }: { page?: number; perPage?: number } = {}) =>
      settle(
        async () => {
          const { users, total, nextPage } = await admin().listUsers({ page, perPage });
          const lastPage = Math.max(1, Math.ceil(total / perPage));
          return { users: users.map(toUser), aud: 'authenticated', total, lastPage, nextPage };
        },
        { users: [] },
      ),
    inviteUserByEmail: (email: string, options: { data?: object; redirectTo?: string } = {}) =>
      settle(async () => ({ user: toUser(await admin().inviteUser({ email, ...options })) }), ofUser),
    generateLink: ({ options, ...params }: LinkParams) =>
      settle(
        async () => {
          const link = await admin().generateLink({ ...params, ...options } as LinkRequest);
          const properties = {
            action_link: link.actionLink,
            email_otp: link.emailOtp,
            hashed_token: link.tokenHash,
            redirect_to: link.redirectTo,
            verification_type: link.verificationType,
          };
          return { properties, user: toUser(link.user) };
        },
        { properties: null, user: null },
      ),
    /** @throws {Error} for another scope. */
    async signOut(jwt: string, scope: 'global' | 'local' | 'others' = 'global') {
      requireScope(scope);
      const { error } = await settle(() => admin().signOut({ accessToken: jwt, scope }));
      return { data: null, error };
    },
    mfa: createFactorAdmin(admin, settle),
    passkey: createPasskeyAdmin(admin, settle),
    oauth: createOAuthAdmin(admin, settle),
    customProviders: createProviderAdmin(admin, settle),
  };
}

function createFactorAdmin(admin: () => AdminClient, settle: Settle<AuthError>) {
  return {
    listFactors: (request: { userId: string }) =>
      settle(async () => ({
        factors: (await admin().listFactors(request)) as readonly unknown[] as Factor[],
      })),
    deleteFactor: ({ userId, id }: { userId: string; id: string }) =>
      settle(async () => {
        await admin().deleteFactor({ userId, factorId: id });
        return { id };
      }),
  };
}

function createPasskeyAdmin(admin: () => AdminClient, settle: Settle<AuthError>) {
  return {
    listPasskeys: (request: { userId: string }) =>
      settle(async () => (await admin().listPasskeys(request)).map(toPasskeyItem)),
    deletePasskey: (request: { userId: string; passkeyId: string }) =>
      settle(() => admin().deletePasskey(request).then(toNull)),
  };
}

function createOAuthAdmin(admin: () => AdminClient, settle: Settle<AuthError>) {
  return {
    listClients: () =>
      settle(async () => ({ clients: await admin().listOAuthClients(), aud: 'authenticated' }), {
        clients: [],
      }),
    createClient: (params: OAuthClientParams & { redirect_uris: string[] }) =>
      settle(() =>
        admin().createOAuthClient({ ...toClientAttributes(params), redirectUris: params.redirect_uris }),
      ),
    getClient: (clientId: string) => settle(() => admin().getOAuthClient({ clientId })),
    updateClient: (clientId: string, params: OAuthClientParams) =>
      settle(() => admin().updateOAuthClient({ clientId, ...toClientAttributes(params) })),
    deleteClient: (clientId: string) => settle(() => admin().deleteOAuthClient({ clientId }).then(toNull)),
    regenerateClientSecret: (clientId: string) =>
      settle(() => admin().regenerateOAuthClientSecret({ clientId })),
  };
}

function createProviderAdmin(admin: () => AdminClient, settle: Settle<AuthError>) {
  return {
    listProviders: ({ type }: { type?: 'oidc' | 'oauth2' } = {}) =>
      settle(async () => ({ providers: await admin().listProviders(type && { providerType: type }) }), {
        providers: [],
      }),
    createProvider: (params: SnakeCased<NewCustomProvider>) =>
      settle(() => admin().createProvider(toCamelCase(params) as NewCustomProvider)),
    getProvider: (identifier: string) => settle(() => admin().getProvider({ identifier })),
    updateProvider: (identifier: string, params: SnakeCased<CustomProviderAttributes>) =>
      settle(() => admin().updateProvider({ identifier, ...toCamelCase(params) })),
    deleteProvider: (identifier: string) => settle(() => admin().deleteProvider({ identifier }).then(toNull)),
  };
}

const toNull = () => null;

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';
type SnakeCased<T> = { [K in keyof T as SnakeCase<K & string>]: K extends 'identifier' ? string : T[K] };

/** The vendor's names are those of the wire; the native ones are the same in camelCase. */
const toCamelCase = (params: object): object =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

const toClientAttributes = (params: OAuthClientParams): OAuthClientAttributes => ({
  name: params.client_name,
  uri: params.client_uri,
  logoUri: params.logo_uri,
  redirectUris: params.redirect_uris,
  grantTypes: params.grant_types,
  tokenEndpointAuthMethod: params.token_endpoint_auth_method,
});

function toAttributes({
  user_metadata: userMetadata,
  app_metadata: appMetadata,
  email_confirm,
  phone_confirm,
  ban_duration,
  password_hash: passwordHash,
  ...attributes
}: AdminUserAttributes) {
  return {
    ...attributes,
    userMetadata,
    appMetadata,
    passwordHash,
    isEmailConfirmed: email_confirm || undefined,
    isPhoneConfirmed: phone_confirm || undefined,
    ...(ban_duration !== undefined && {
      banForMs: ban_duration === 'none' ? null : readDurationMs(ban_duration),
    }),
  };
}

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration as Go writes it, such as `1h30m`, in milliseconds. */
function readDurationMs(text: string): number {
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  if (parts.map(([part]) => part).join('') !== text || text === '')
    throw toAuthError(new NativeAuthError('invalid-argument', `Not a duration: ${text}`));
  return parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitsMs[unit as keyof typeof unitsMs],
    0,
  );
}
