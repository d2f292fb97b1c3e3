import { describe, expect, it } from 'vitest';

import { openAuthWorld, origin } from './auth-world.ts';

describe('provisioning by SCIM', () => {
  it('describes the service and lists nothing', async () => {
    const world = await openAuthWorld();
    const { status, headers, body } = await world.get('/scim/v2/ServiceProviderConfig');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/scim+json']);
    expect(body).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      authenticationSchemes: [{ type: 'oauthbearertoken', primary: true }],
      meta: { location: `${origin}/auth/v1/scim/v2/ServiceProviderConfig` },
    });
    expect((await world.get('/scim/v2/Schemas')).body).toMatchObject({ totalResults: 0, Resources: [] });
  });

  it.each([
    ['GET', 'ResourceTypes?filter=', 403, 'Filtering is not supported on this endpoint'],
    ['GET', 'Users', 404, 'Endpoint or resource does not exist'],
    ['DELETE', 'Users/1', 404, 'Endpoint or resource does not exist'],
    ['POST', 'Schemas', 405, undefined],
  ])('responds to %s %s with %d', async (method, path, status, detail) => {
    const response = await (await openAuthWorld()).ask(method, `/scim/v2/${path}`);
    expect([response.status, (response.body as unknown as { detail?: string }).detail]).toEqual([
      status,
      detail,
    ]);
  });

  it('responds 404 if it is disabled', async () => {
    const { status, body } = await (await openAuthWorld({ scimEnabled: false })).get('/scim/v2/Users');
    expect([status, body.code]).toEqual([404, 'feature_disabled']);
  });
});
