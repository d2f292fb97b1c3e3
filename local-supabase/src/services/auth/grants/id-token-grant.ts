import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { JWTPayload } from 'jose';

import { encodeBase64Url } from '../../../platform/base64.ts';
import { encodeUtf8 } from '../../../platform/bytes.ts';
import { audiencesOf, requireCaller } from '../sessions/authentication.ts';
import { type Call, type JsonObject, readFlag, readText, sendJson } from '../http/call.ts';
import { inTransaction, type AuthContext } from '../context.ts';
import { badRequest, invalid, OAuthError } from '../http/errors.ts';
import { runHookForNewAccount, signInByProvider, linkToUser } from '../oauth/external-account.ts';
import { customPrefix, findCustomProvider } from '../rows/custom-provider.ts';
import { type Profile, parseProfile } from '../rows/provider-profile.ts';
import { signIn } from '../sessions/session-tokens.ts';
import { issuerOf } from '../test-provider/provider-routes.ts';
import { testClientId } from '../test-provider/test-provider.ts';
import type { User } from '../rows/user.ts';

/** The providers of the ID tokens that GoTrue accepts. */
const idTokenProviders: ReadonlySet<string> = new Set([
  'apple',
  'azure',
  'facebook',
  'google',
  'kakao',
  'keycloak',
  'snapchat',
  'vercel_marketplace',
]);

const refused = (description: string): OAuthError => new OAuthError('invalid request', description);

/** The requirements for an ID token of a provider. */
interface TokenProvider {
  readonly name: string;
  readonly clientIds: readonly string[];
  readonly skipsNonce: boolean;
  readonly isEmailOptional: boolean;
}

async function findCustomTokenProvider(context: AuthContext, name: string): Promise<TokenProvider> {
  const { settings, database } = context;
  if (!settings.customProvidersEnabled) throw invalid('Custom OAuth providers are disabled');
  const custom = await findCustomProvider(database, name);
  const quoted = JSON.stringify(name);
  if (custom === undefined) throw invalid(`Custom provider ${quoted} not found`);
  if (!custom.enabled) throw badRequest('provider_disabled', `Custom provider ${quoted} is disabled`);
  if (custom.provider_type !== 'oidc') throw invalid(`Provider ${quoted} is not an OIDC provider`);
  return {
    name,
    clientIds: [testClientId, custom.client_id, ...custom.acceptable_client_ids],
    skipsNonce: custom.skip_nonce_check,
    isEmailOptional: custom.email_optional,
  };
}

async function pickProvider(context: AuthContext, call: Call, body: JsonObject): Promise<TokenProvider> {
  const [provider, issuer] = [readText(body, 'provider'), readText(body, 'issuer')];
  if (provider === '' && (issuer === '' || readText(body, 'client_id') === ''))
    throw refused('provider or client_id and issuer required');
  const enabled = context.settings.externalProviders.filter((name) => idTokenProviders.has(name));
  const byIssuer = enabled.find((name) => issuerOf(call, name) === issuer);
  const name = enabled.includes(provider) ? provider : byIssuer;
  if (name !== undefined)
    return { name, clientIds: [testClientId], skipsNonce: false, isEmailOptional: false };
  if (provider.startsWith(customPrefix)) return findCustomTokenProvider(context, provider);
  if (idTokenProviders.has(provider))
    throw badRequest(
      'provider_disabled',
      `Provider (issuer ${JSON.stringify(issuerOf(call, provider))}) is not enabled`,
    );
  throw invalid(`Custom OIDC provider ${JSON.stringify(provider)} not allowed`);
}

function checkNonce(claims: JWTPayload, nonce: string): void {
  const expected = typeof claims['nonce'] === 'string' ? claims['nonce'] : '';
  if ((expected === '') !== (nonce === ''))
    throw refused('Passed nonce and nonce in id_token should either both exist or not.');
  if (expected !== '' && bytesToHex(sha256(encodeUtf8(nonce))) !== expected)
    throw new OAuthError('invalid nonce', 'Nonces mismatch');
}

function checkAccessToken(claims: JWTPayload, accessToken: string): void {
  const expected = claims['at_hash'];
  if (accessToken === '' || typeof expected !== 'string') return;
  const half = sha256(encodeUtf8(accessToken)).subarray(0, 16);
  if (encodeBase64Url(half) !== expected) throw refused('Bad ID token');
}

/** Reads a claim; '' if it is missing. Throws OAuth `invalid request` for another type, as Go's decoder does. */
function readClaim(claims: JWTPayload, name: string): string {
  const value = claims[name] ?? '';
  if (typeof value !== 'string') throw refused('Bad ID token');
  return value;
}

/** Verifies the ID token, its nonce and its access token (OpenID Connect Core section 3.1.3.7). Throws OAuth errors. */
async function readProfile(context: AuthContext, call: Call, body: JsonObject): Promise<Profile> {
  const provider = await pickProvider(context, call, body);
  const issuer = issuerOf(call, provider.name);
  const claims = await context.testProvider.verifyIdToken(issuer, readText(body, 'id_token'));
  if (claims === null) throw refused('Bad ID token');
  const email = readClaim(claims, 'email').toLowerCase();
  const [name, picture] = [readClaim(claims, 'name'), readClaim(claims, 'picture')];
  checkAccessToken(claims, readText(body, 'access_token'));
  if (!claims.sub) throw refused('Missing sub claim in id_token');
  const audience = audiencesOf(claims);
  if (!audience.some((clientId) => provider.clientIds.includes(clientId)))
    throw refused(`Unacceptable audience in id_token: [${audience.join(' ')}]`);
  if (!provider.skipsNonce) checkNonce(claims, readText(body, 'nonce'));
  const own = {
    iss: issuer,
    sub: claims.sub,
    email,
    email_verified: email !== '' && claims['email_verified'] === true,
    name,
    picture,
  };
  const profile = parseProfile(provider.name, own, provider.isEmailOptional);
  if (provider.name !== 'keycloak' && !provider.name.startsWith(customPrefix)) return profile;
  // GoTrue stores the claims of these providers unchanged, without the copies under other names.
  const known = Object.entries(own).filter(([, value]) => value !== '');
  const { sub, email_verified } = own;
  const times = { iat: claims.iat, exp: claims.exp };
  const data = { ...Object.fromEntries(known), sub, email_verified, phone_verified: false };
  return { ...profile, data: { ...data, aud: audience, ...times } };
}

async function findLinkingTarget(context: AuthContext, call: Call, body: JsonObject): Promise<User | null> {
  if (!readFlag(body, 'link_identity')) return null;
  if (!call.request.headers.has('authorization'))
    throw refused('Linking requires a valid user access token in Authorization');
  return (await requireCaller(context, call)).user;
}

/** POST /token?grant_type=id_token: `{provider, id_token, access_token?, nonce?, link_identity?}`. */
export async function idTokenGrant(context: AuthContext, call: Call): Promise<Response> {
  const body = await call.json();
  if (readText(body, 'id_token') === '') throw refused('id_token required');
  const target = await findLinkingTarget(context, call, body);
  const profile = await readProfile(context, call, body);
  if (target === null) await runHookForNewAccount(context, call, profile);
  const tokens = await inTransaction(context, async (tx) => {
    const user = await (target
      ? linkToUser(context, call, tx, target, profile)
      : signInByProvider(context, call, tx, profile));
    return signIn(context, call, tx.sql, user, 'oauth');
  });
  return sendJson(call, tokens);
}
