import { expect, it } from 'vitest';
import { createAuditContext } from '../src/audit/audit-context.ts';
import { withDeadlineScale } from '../src/target/deadlines.ts';
import { awaitDelivery } from '../src/audits/rest/notifications.ts';

it('an undelivered notification fails an audit with the name of the rule', async () => {
  const empty = createAuditContext({
    authUrl: 'http://project.test/auth/v1',
    restUrl: 'http://project.test/rest/v1',
    storageUrl: null,
    realtimeUrl: null,
    anonKey: 'key',
    serviceKey: null,
    mailboxUrl: null,
    smsInMailbox: false,
    redirectTo: 'http://localhost:5173/home',
    fetch: () => Promise.resolve(Response.json([])),
  });
  const user = { id: '', email: '', password: '', accessToken: '', refreshToken: '' };
  const hurried = { record: () => {}, roundTripMs: () => 0, scale: (ms: number) => ms / 50 };
  const delivery = withDeadlineScale(hurried, () => awaitDelivery(empty, user, 1));
  await expect(delivery).rejects.toThrow(
    '1 notifications of the recipient are delivered within 200 ms (protocol/product.md#delivery); came: 0 are delivered',
  );
});
