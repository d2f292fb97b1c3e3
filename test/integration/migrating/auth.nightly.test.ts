import { accountRows } from './auth-account.ts';
import { eventRows } from './auth-events.ts';
import { signInRows } from './auth-sign-in.ts';
import { createAuthTools } from './auth-tools.ts';
import { testRows } from './page.ts';

const tools = createAuthTools();

testRows('Auth', [...eventRows(tools), ...signInRows(tools), ...accountRows(tools)], {
  ...tools,
  elsewhere: {
    '`mfa.recoveryCodes.getStatus`, `generate`, `verify`, `regenerate`, `unenroll`':
      'test/integration/second-factors.test.ts',
    '`mfa.webauthn.register`, `authenticate`': 'test/integration/second-factors.test.ts',
    '`exchangeCodeForSession(code, { flowId })`': 'test/auth-client/callback.test.ts',
    '`admin.oauth.listClients`, `createClient`, `getClient`, `updateClient`, `deleteClient`, `regenerateClientSecret`':
      'test/integration/oauth-server.test.ts',
    '`admin.customProviders.listProviders`, `createProvider`, `getProvider`, `updateProvider`, `deleteProvider`':
      'test/integration/admin-client.test.ts',
    '`oauth.getAuthorizationDetails(id)`': 'test/integration/oauth-server.test.ts',
    '`oauth.approveAuthorization`, `denyAuthorization`, `listGrants`, `revokeGrant`':
      'test/integration/oauth-server.test.ts',
  },
});
