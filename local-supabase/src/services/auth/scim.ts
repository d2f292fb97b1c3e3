import type { AuthContext } from './context.ts';
import type { Call } from './http/call.ts';
import { notFound } from './http/errors.ts';

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';
const configSchema = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const unsupported = { supported: false };

const sendScim = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/scim+json' } });

/** An error response of RFC 7644 section 3.12. */
const sendError = (status: number, detail: string): Response =>
  sendScim({ schemas: [errorSchema], detail, status: String(status) }, status);

/** Throws 404 feature_disabled unless the project enables SCIM. */
export function requireScim({ settings }: AuthContext): void {
  if (!settings.scimEnabled) throw notFound('feature_disabled', 'SCIM server is disabled');
}

/** GET /scim/v2/ServiceProviderConfig (RFC 7643 section 5): only bearer tokens are supported. */
export async function readServiceProviderConfig(_: AuthContext, call: Call): Promise<Response> {
  return sendScim({
    schemas: [configSchema],
    patch: unsupported,
    bulk: { ...unsupported, maxOperations: 0, maxPayloadSize: 0 },
    filter: { ...unsupported, maxResults: 0 },
    changePassword: unsupported,
    sort: unsupported,
    etag: unsupported,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'OAuth Bearer Token',
        description: 'Authentication scheme using the OAuth Bearer Token Standard',
        specUri: 'http://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: {
      resourceType: 'ServiceProviderConfig',
      location: `${call.authUrl}/scim/v2/ServiceProviderConfig`,
    },
  });
}

/** GET /scim/v2/ResourceTypes and /scim/v2/Schemas: an empty list, as in GoTrue; 403 with a filter. */
export async function listNoResources(_: AuthContext, call: Call): Promise<Response> {
  if (call.url.searchParams.has('filter'))
    return sendError(403, 'Filtering is not supported on this endpoint');
  return sendScim({ schemas: [listSchema], totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] });
}

/** Any other path below /scim/v2: 404. */
export async function respondUnknownResource(): Promise<Response> {
  return sendError(404, 'Endpoint or resource does not exist');
}
