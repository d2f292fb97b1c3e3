import { createOAuthServer, type OAuthApplication } from '../../auth-client/features/oauth-server.ts';
import type { AuthClient } from '../../auth-client/index.ts';
import type { Settle } from '../outcome.ts';
import type { AuthError } from './auth-error.ts';
import { navigate, type Navigation } from './navigation.ts';

/** An application's request to the user, in the vendor's form. */
export interface AuthorizationDetails {
  authorization_id: string;
  redirect_uri: string;
  client: OAuthApplication;
  user: { id: string; email: string };
  scope: string;
}

/** Consent to other applications, in the vendor's form. */
export function createOAuthMethods(auth: AuthClient, settle: Settle<AuthError>) {
  const server = createOAuthServer(auth);
  const leave = async (decision: Promise<{ readonly redirectUrl: string }>, options?: Navigation) => {
    const { redirectUrl } = await decision;
    navigate(redirectUrl, options);
    return { redirect_url: redirectUrl };
  };
  return {
    getAuthorizationDetails: (authorizationId: string) =>
      settle(async (): Promise<AuthorizationDetails | { redirect_url: string }> => {
        const request = await server.getAuthorization({ authorizationId });
        if (request.redirectUrl !== null) return { redirect_url: request.redirectUrl };
        return {
          authorization_id: authorizationId,
          redirect_uri: request.redirectUri,
          client: request.application,
          user: { id: request.user.id, email: request.user.email ?? '' },
          scope: request.scopes.join(' '),
        };
      }),
    approveAuthorization: (authorizationId: string, options?: Navigation) =>
      settle(() => leave(server.approveAuthorization({ authorizationId }), options)),
    denyAuthorization: (authorizationId: string, options?: Navigation) =>
      settle(() => leave(server.denyAuthorization({ authorizationId }), options)),
    listGrants: () =>
      settle(async () =>
        (await server.listGrants()).map(({ application, scopes, grantedAtMs }) => ({
          client: application,
          scopes,
          granted_at: new Date(grantedAtMs).toISOString(),
        })),
      ),
    revokeGrant: (request: { clientId: string }) =>
      settle(() => server.revokeGrant(request).then(() => ({}))),
  };
}
