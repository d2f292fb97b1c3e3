/**
 * The vendor's names for the parameters and results of the auth methods. The types are those of the methods themselves,
 * so that both cannot differ.
 */
import type { SupabaseClientOptions } from '../client.ts';
import type { Outcome } from '../outcome.ts';
import type { AuthResponse } from './auth-calls.ts';
import type { AuthError, AuthWeakPasswordError } from './auth-error.ts';
import type { SupabaseAuthClient } from './auth.ts';
import type { VerifyOtpParams } from './credentials.ts';
import type { EnrolledKey, EnrolledPhone, EnrolledTotp } from './mfa.ts';
import type { AuthChangeEvent, Factor, Session } from './session.ts';

type Admin = SupabaseAuthClient['admin'];
interface OfType<Type extends string> {
  type: Type;
}

// The client and the session.
/** The options of the auth client. */
export type GoTrueClientOptions = NonNullable<SupabaseClientOptions['auth']>;
/** How links and providers return. */
export type AuthFlowType = NonNullable<GoTrueClientOptions['flowType']>;
/** The result of a call. */
export type RequestResult<Data, Problem extends Error = AuthError> = Outcome<Data, Problem>;
/** The result of `initialize`. */
export type InitializeResult = Awaited<ReturnType<SupabaseAuthClient['initialize']>>;
/** The result of a refresh. */
export type CallRefreshTokenResult = Outcome<Session, AuthError>;
/** The event of a second factor. */
export type AuthChangeEventMFA = Extract<AuthChangeEvent, 'MFA_CHALLENGE_VERIFIED'>;
/** The result of `signUp` with a password. */
export type AuthResponsePassword = AuthResponse;
/** The result of `signInWithSSO`. */
export type SSOResponse = Awaited<ReturnType<SupabaseAuthClient['signInWithSSO']>>;
/** Why a password is too weak. */
export type WeakPasswordReasons = AuthWeakPasswordError['reasons'][number];
/** What is wrong with a password. */
export type WeakPassword = Pick<AuthWeakPasswordError, 'reasons' | 'message'>;
/** The parameters of `signOut`. */
export type SignOut = NonNullable<Parameters<SupabaseAuthClient['signOut']>[0]>;
/** Which sessions `signOut` ends. */
export type SignOutScope = NonNullable<SignOut['scope']>;
/** The parameters of `verifyOtp` for a code in a message to a phone. */
export type VerifyMobileOtpParams = Extract<VerifyOtpParams, { phone: string }>;
/** The parameters of `verifyOtp` for a code in a mail. */
export type VerifyEmailOtpParams = Extract<VerifyOtpParams, { email: string }>;
/** The parameters of `verifyOtp` for a link. */
export type VerifyTokenHashParams = Extract<VerifyOtpParams, { token_hash: string }>;
/** The header of an access token. */
export type JwtHeader = NonNullable<Awaited<ReturnType<SupabaseAuthClient['getClaims']>>['data']>['header'];

// Second factors.
/** `auth.mfa`. */
export type GoTrueMFAApi = SupabaseAuthClient['mfa'];
/** `auth.mfa.recoveryCodes`. */
export type AuthMFARecoveryCodesApi = GoTrueMFAApi['recoveryCodes'];
/** The types of factors. */
export type FactorType = Factor['factor_type'];
/** The parameters of `mfa.enroll`. */
export type MFAEnrollParams = Parameters<GoTrueMFAApi['enroll']>[0];
/** The parameters of `mfa.enroll` for the type `totp`. */
export type MFAEnrollTOTPParams = Extract<MFAEnrollParams, { factorType: 'totp' }>;
/** The parameters of `mfa.enroll` for the type `phone`. */
export type MFAEnrollPhoneParams = Extract<MFAEnrollParams, { factorType: 'phone' }>;
/** The parameters of `mfa.enroll` for the type `webauthn`. */
export type MFAEnrollWebauthnParams = Extract<MFAEnrollParams, { factorType: 'webauthn' }>;
/** The parameters of `mfa.unenroll`. */
export type MFAUnenrollParams = Parameters<GoTrueMFAApi['unenroll']>[0];
/** The parameters of `mfa.verify`. */
export type MFAVerifyParams = Parameters<GoTrueMFAApi['verify']>[0];
/** The parameters of `mfa.verify` for the code of an app. */
export type MFAVerifyTOTPParams = Extract<MFAVerifyParams, { code: string }>;
/** The parameters of `mfa.verify` for a code in a message. */
export type MFAVerifyPhoneParams = MFAVerifyTOTPParams;
/** The parameters of `mfa.verify` for a security key. */
export type MFAVerifyWebauthnParams = Extract<MFAVerifyParams, { webauthn: object }>;
/** The parameters of `mfa.challenge`. */
export type MFAChallengeParams = Parameters<GoTrueMFAApi['challenge']>[0];
/** The parameters of `mfa.challenge` for an app. */
export type MFAChallengeTOTPParams = Pick<MFAChallengeParams, 'factorId'>;
/** The parameters of `mfa.challenge` for a phone. */
export type MFAChallengePhoneParams = MFAChallengeParams;
/** The parameters of `mfa.challengeAndVerify`. */
export type MFAChallengeAndVerifyParams = Parameters<GoTrueMFAApi['challengeAndVerify']>[0];
/** The parameters of `mfa.recoveryCodes.generate`. */
export type MFARecoveryCodesGenerateParams = NonNullable<Parameters<AuthMFARecoveryCodesApi['generate']>[0]>;
/** The parameters of `mfa.recoveryCodes.verify`. */
export type MFARecoveryCodesVerifyParams = Parameters<AuthMFARecoveryCodesApi['verify']>[0];
/** The result of `mfa.enroll`. */
export type AuthMFAEnrollResponse = Outcome<EnrolledTotp | EnrolledPhone | EnrolledKey, AuthError>;
/** The result of `mfa.enroll` of an app. */
export type AuthMFAEnrollTOTPResponse = Outcome<EnrolledTotp, AuthError>;
/** The result of `mfa.enroll` of a phone. */
export type AuthMFAEnrollPhoneResponse = Outcome<EnrolledPhone, AuthError>;
/** The result of `mfa.enroll` of a security key. */
export type AuthMFAEnrollWebauthnResponse = Outcome<EnrolledKey, AuthError>;
/** The result of `mfa.unenroll`. */
export type AuthMFAUnenrollResponse = Awaited<ReturnType<GoTrueMFAApi['unenroll']>>;
/** The result of `mfa.verify`. */
export type AuthMFAVerifyResponse = Awaited<ReturnType<GoTrueMFAApi['verify']>>;
/** The session of `mfa.verify`. */
export type AuthMFAVerifyResponseData = NonNullable<AuthMFAVerifyResponse['data']>;
/** The result of `mfa.challenge`. */
export type AuthMFAChallengeResponse = Awaited<ReturnType<GoTrueMFAApi['challenge']>>;
/** The same for every type of factor. */
export type AuthMFAChallengeTOTPResponse = AuthMFAChallengeResponse;
/** The same for every type of factor. */
export type AuthMFAChallengePhoneResponse = AuthMFAChallengeResponse;
/** The same for every type of factor. */
export type AuthMFAChallengeWebauthnResponse = AuthMFAChallengeResponse;
/** The result of `mfa.listFactors`. */
export type AuthMFAListFactorsResponse = Awaited<ReturnType<GoTrueMFAApi['listFactors']>>;
/** The result of `mfa.getAuthenticatorAssuranceLevel`. */
export type AuthMFAGetAuthenticatorAssuranceLevelResponse = Awaited<
  ReturnType<GoTrueMFAApi['getAuthenticatorAssuranceLevel']>
>;
/** `aal1`, or `aal2` after a second factor. */
export type AuthenticatorAssuranceLevels = NonNullable<
  NonNullable<AuthMFAGetAuthenticatorAssuranceLevelResponse['data']>['currentLevel']
>;
/** An authentication method of the session. */
export type AMREntry = NonNullable<
  AuthMFAGetAuthenticatorAssuranceLevelResponse['data']
>['currentAuthenticationMethods'][number];
/** The name of an authentication method. */
export type AMRMethod = AMREntry['method'];
/** The result of `mfa.recoveryCodes.getStatus`. */
export type AuthMFARecoveryCodesStatusResponse = Awaited<ReturnType<AuthMFARecoveryCodesApi['getStatus']>>;
/** The data of `mfa.recoveryCodes.getStatus`. */
export type AuthMFARecoveryCodesStatusResponseData = NonNullable<AuthMFARecoveryCodesStatusResponse['data']>;
/** The result of `mfa.recoveryCodes.generate`. */
export type AuthMFARecoveryCodesGenerateResponse = Awaited<ReturnType<AuthMFARecoveryCodesApi['generate']>>;
/** The data of `mfa.recoveryCodes.generate`. */
export type AuthMFARecoveryCodesGenerateResponseData = NonNullable<
  AuthMFARecoveryCodesGenerateResponse['data']
>;

// Passkeys.
/** `auth.passkey`. */
export type AuthPasskeyApi = SupabaseAuthClient['passkey'];
/** The parameters of `passkey.verifyRegistration`. */
export type VerifyPasskeyRegistrationParams = Parameters<AuthPasskeyApi['verifyRegistration']>[0];
/** The parameters of `passkey.startAuthentication`. */
export type StartPasskeyAuthenticationParams = NonNullable<
  Parameters<AuthPasskeyApi['startAuthentication']>[0]
>;
/** The parameters of `passkey.verifyAuthentication`. */
export type VerifyPasskeyAuthenticationParams = Parameters<AuthPasskeyApi['verifyAuthentication']>[0];
/** The parameters of `passkey.update`. */
export type PasskeyUpdateParams = Parameters<AuthPasskeyApi['update']>[0];
/** The parameters of `passkey.delete`. */
export type PasskeyDeleteParams = Parameters<AuthPasskeyApi['delete']>[0];
/** The result of `passkey.startRegistration`. */
export type AuthPasskeyRegistrationOptionsResponse = Awaited<ReturnType<AuthPasskeyApi['startRegistration']>>;
/** The result of `passkey.verifyRegistration`. */
export type AuthPasskeyRegistrationVerifyResponse = Awaited<ReturnType<AuthPasskeyApi['verifyRegistration']>>;
/** The result of `passkey.startAuthentication`. */
export type AuthPasskeyAuthenticationOptionsResponse = Awaited<
  ReturnType<AuthPasskeyApi['startAuthentication']>
>;
/** The result of `passkey.verifyAuthentication`. */
export type AuthPasskeyAuthenticationVerifyResponse = Awaited<
  ReturnType<AuthPasskeyApi['verifyAuthentication']>
>;
/** The result of `passkey.list`. */
export type AuthPasskeyListResponse = Awaited<ReturnType<AuthPasskeyApi['list']>>;
/** The result of `passkey.update`. */
export type AuthPasskeyUpdateResponse = Awaited<ReturnType<AuthPasskeyApi['update']>>;
/** The result of `passkey.delete`. */
export type AuthPasskeyDeleteResponse = Awaited<ReturnType<AuthPasskeyApi['delete']>>;
/** A passkey of the user. */
export type PasskeyListItem = NonNullable<AuthPasskeyListResponse['data']>[number];
/** A passkey that was registered. */
export type PasskeyMetadata = PasskeyListItem;
/** The challenge of a registration. */
export type PasskeyRegistrationOptionsResponse = NonNullable<AuthPasskeyRegistrationOptionsResponse['data']>;
/** The challenge of a sign-in. */
export type PasskeyAuthenticationOptionsResponse = NonNullable<
  AuthPasskeyAuthenticationOptionsResponse['data']
>;
/** The parameters of `registerPasskey`. */
export type RegisterPasskeyCredentials = NonNullable<Parameters<SupabaseAuthClient['registerPasskey']>[0]>;
/** The parameters of `signInWithPasskey`. */
export type SignInWithPasskeyCredentials = NonNullable<
  Parameters<SupabaseAuthClient['signInWithPasskey']>[0]
>;

// Consent to other applications.
/** `auth.oauth`. */
export type AuthOAuthServerApi = SupabaseAuthClient['oauth'];
/** The result of `oauth.getAuthorizationDetails`. */
export type AuthOAuthAuthorizationDetailsResponse = Awaited<
  ReturnType<AuthOAuthServerApi['getAuthorizationDetails']>
>;
/** An application’s request to the user. */
export type OAuthAuthorizationDetails = Exclude<
  NonNullable<AuthOAuthAuthorizationDetailsResponse['data']>,
  OAuthRedirect
>;
/** The application that requests access. */
export type OAuthAuthorizationClient = OAuthAuthorizationDetails['client'];
/** The redirect for an application that already has consent. */
export type OAuthRedirect = NonNullable<AuthOAuthConsentResponse['data']>;
/** The result of `oauth.approveAuthorization` and `denyAuthorization`. */
export type AuthOAuthConsentResponse = Awaited<ReturnType<AuthOAuthServerApi['approveAuthorization']>>;
/** The result of `oauth.listGrants`. */
export type AuthOAuthGrantsResponse = Awaited<ReturnType<AuthOAuthServerApi['listGrants']>>;
/** An application with consent. */
export type OAuthGrant = NonNullable<AuthOAuthGrantsResponse['data']>[number];
/** The result of `oauth.revokeGrant`. */
export type AuthOAuthRevokeGrantResponse = Awaited<ReturnType<AuthOAuthServerApi['revokeGrant']>>;

// Administration.
/** The parameters of `admin.generateLink`. */
export type GenerateLinkParams = Parameters<Admin['generateLink']>[0];
/** What a link is for. */
export type GenerateLinkType = GenerateLinkParams['type'];
/** The data of the user, and where the link leads. */
export type GenerateLinkOptions = NonNullable<GenerateLinkParams['options']>;
/** The parameters of `admin.generateLink` for a link of this type. */
export type GenerateSignupLinkParams = GenerateLinkParams & OfType<'signup'>;
/** The parameters of `admin.generateLink` for a link of this type. */
export type GenerateInviteOrMagiclinkParams = GenerateLinkParams & OfType<'invite' | 'magiclink'>;
/** The parameters of `admin.generateLink` for a link of this type. */
export type GenerateRecoveryLinkParams = GenerateLinkParams & OfType<'recovery'>;
/** The parameters of `admin.generateLink` for a link of this type. */
export type GenerateEmailChangeLinkParams = GenerateLinkParams &
  OfType<'email_change_current' | 'email_change_new'>;
/** The result of `admin.generateLink`. */
export type GenerateLinkResponse = Awaited<ReturnType<Admin['generateLink']>>;
/** A link and its parts. */
export type GenerateLinkProperties = NonNullable<GenerateLinkResponse['data']['properties']>;
/** The parameters of `admin.listUsers`. */
export type PageParams = NonNullable<Parameters<Admin['listUsers']>[0]>;
/** `auth.admin.mfa`. */
export type GoTrueAdminMFAApi = Admin['mfa'];
/** The parameters of `admin.mfa.listFactors`. */
export type AuthMFAAdminListFactorsParams = Parameters<GoTrueAdminMFAApi['listFactors']>[0];
/** The result of `admin.mfa.listFactors`. */
export type AuthMFAAdminListFactorsResponse = Awaited<ReturnType<GoTrueAdminMFAApi['listFactors']>>;
/** The parameters of `admin.mfa.deleteFactor`. */
export type AuthMFAAdminDeleteFactorParams = Parameters<GoTrueAdminMFAApi['deleteFactor']>[0];
/** The result of `admin.mfa.deleteFactor`. */
export type AuthMFAAdminDeleteFactorResponse = Awaited<ReturnType<GoTrueAdminMFAApi['deleteFactor']>>;
/** `auth.admin.passkey`. */
export type GoTrueAdminPasskeyApi = Admin['passkey'];
/** The parameters of `admin.passkey.listPasskeys`. */
export type AuthPasskeyAdminListParams = Parameters<GoTrueAdminPasskeyApi['listPasskeys']>[0];
/** The parameters of `admin.passkey.deletePasskey`. */
export type AuthPasskeyAdminDeleteParams = Parameters<GoTrueAdminPasskeyApi['deletePasskey']>[0];
/** `auth.admin.oauth`. */
export type GoTrueAdminOAuthApi = Admin['oauth'];
/** The parameters of `admin.oauth.createClient`. */
export type CreateOAuthClientParams = Parameters<GoTrueAdminOAuthApi['createClient']>[0];
/** The parameters of `admin.oauth.updateClient`. */
export type UpdateOAuthClientParams = Parameters<GoTrueAdminOAuthApi['updateClient']>[1];
/** The result of `admin.oauth.getClient`. */
export type OAuthClientResponse = Awaited<ReturnType<GoTrueAdminOAuthApi['getClient']>>;
/** An application that signs users in by this project. */
export type OAuthClient = NonNullable<OAuthClientResponse['data']>;
/** The result of `admin.oauth.listClients`. */
export type OAuthClientListResponse = Awaited<ReturnType<GoTrueAdminOAuthApi['listClients']>>;
/** How an application gets tokens. */
export type OAuthClientGrantType = NonNullable<CreateOAuthClientParams['grant_types']>[number];
/** How an application authenticates. */
export type OAuthClientTokenEndpointAuthMethod = NonNullable<
  CreateOAuthClientParams['token_endpoint_auth_method']
>;
/** `auth.admin.customProviders`. */
export type GoTrueAdminCustomProvidersApi = Admin['customProviders'];
/** The parameters of `admin.customProviders.listProviders`. */
export type ListCustomProvidersParams = NonNullable<
  Parameters<GoTrueAdminCustomProvidersApi['listProviders']>[0]
>;
/** The parameters of `admin.customProviders.createProvider`. */
export type CreateCustomProviderParams = Parameters<GoTrueAdminCustomProvidersApi['createProvider']>[0];
/** The parameters of `admin.customProviders.updateProvider`. */
export type UpdateCustomProviderParams = Parameters<GoTrueAdminCustomProvidersApi['updateProvider']>[1];
/** The result of `admin.customProviders.getProvider`. */
export type CustomProviderResponse = Awaited<ReturnType<GoTrueAdminCustomProvidersApi['getProvider']>>;
/** The result of `admin.customProviders.listProviders`. */
export type CustomProviderListResponse = Awaited<ReturnType<GoTrueAdminCustomProvidersApi['listProviders']>>;
/** A provider that the project has added. */
export type CustomOAuthProvider = NonNullable<CustomProviderResponse['data']>;
/** OpenID Connect, or OAuth 2.0 with explicit endpoints. */
export type CustomProviderType = CreateCustomProviderParams['provider_type'];
