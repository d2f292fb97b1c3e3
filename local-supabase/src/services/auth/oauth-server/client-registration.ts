import { registerClient } from '../admin/oauth-clients.ts';
import type { AuthContext } from '../context.ts';
import { type Call, sendJson } from '../http/call.ts';
import { forbidden } from '../http/errors.ts';

/** POST /oauth/clients/register (RFC 7591): 201 and the client with its secret. */
export async function registerDynamicClient(context: AuthContext, call: Call): Promise<Response> {
  if (!context.settings.oauthDynamicRegistrationEnabled)
    throw forbidden(
      'oauth_dynamic_client_registration_disabled',
      'Dynamic client registration is not enabled',
    );
  return sendJson(call, await registerClient(context, call, 'dynamic'), 201);
}
