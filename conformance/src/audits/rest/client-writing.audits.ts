import { assert } from '../../target/assertion.ts';
import { RestError, expectAffected } from 'supabase-protocol-clients/rest-client';
import type { Audit } from '../../audit/audit.ts';
import { clientAuditsOf, refusalOf } from '../../clients/client-audit.ts';
import { newCaller, newInbox } from './callers.ts';
import { createPreferences } from './inbox.ts';
import { awaitDelivery } from './notifications.ts';
import { restOf } from './rest-of.ts';

const audit = clientAuditsOf('rest-client');

export const clientWritingAudits: readonly Audit[] = [
  audit(
    'CLIENT-REST-301',
    'a write without a filter is refused before a request is sent, unless all() selects every row',
    { source: 'protocol/rest.md#null-and-undefined' },
    async ({ server, open }) => {
      const { user, statuses } = await newInbox(server, 2);
      const tab = await open();
      const table = restOf(tab, user).from('notifications');
      for (const query of [table.delete().where(), table.update({ status: 'read' }).where()]) {
        assert.equal(
          (await refusalOf(RestError, query.execute())).code,
          'invalid-query',
          'the code of the refusal',
        );
      }
      assert.deepEqual(
        [tab.wire.requests, await statuses()],
        [[], ['unread', 'unread']],
        'the sent requests and the statuses',
      );
      assert.equal(await table.update({ status: 'read' }).all(), 2, 'the result of the query');
      assert.equal(await table.delete().all(), 2, 'the result of the query');
      assert.deepEqual(await statuses(), [], 'the statuses');
    },
  ),
  audit(
    'CLIENT-REST-302',
    'an insert returns no rows by default, so that a sender need not be allowed to read',
    { source: 'protocol/rest.md#affected-rows' },
    async ({ server, open }) => {
      const [sender, recipient] = [await newCaller(server), await newInbox(server, 0)];
      const tab = await open();
      const { rest, row } = {
        rest: restOf(tab, sender.user),
        row: { recipient_id: recipient.user.id, content: '{}' },
      };
      assert.equal(await rest.from('notifications').insert(row), undefined, 'the result of the query');
      assert.deepEqual(
        await awaitDelivery(server, recipient.user, 1, 'status'),
        [{ status: 'unread' }],
        'the notifications',
      );
      const own = { user_id: sender.user.id, email_edits: true };
      const made = await rest
        .from('notification_preferences')
        .insert(own)
        .select('email_edits, email_mentions');
      assert.deepEqual(made, [{ email_edits: true, email_mentions: true }], 'the created row');
    },
  ),
  audit(
    'CLIENT-REST-303',
    'a write returns the number of rows that it changed, without another user’s rows',
    { source: 'protocol/rest.md#affected-rows' },
    async ({ server, open }) => {
      const [mine, theirs] = [await newInbox(server, 2), await newInbox(server, 1)];
      const read = restOf(await open(), mine.user)
        .from('notifications')
        .update({ status: 'read' })
        .in('id', [...mine.ids, ...theirs.ids]);
      assert.equal(await read, 2, 'the result');
      assert.deepEqual(await theirs.statuses(), ['unread'], 'the statuses');
      const refusal = await refusalOf(RestError, read.with(expectAffected(3)).execute());
      assert.equal(refusal.code, 'affected-rows', 'the code of the refusal');
    },
  ),
  audit(
    'CLIENT-REST-304',
    'a write of more rows than maybeSingle allows is rolled back by the server',
    { source: 'protocol/rest.md#one-row' },
    async ({ server, open }) => {
      const { user, ids, statuses } = await newInbox(server, 2);
      const read = restOf(await open(), user)
        .from('notifications')
        .update({ status: 'read' })
        .in('id', ids)
        .select('id')
        .maybeSingle();
      await refusalOf(RestError, read.execute());
      assert.deepEqual(await statuses(), ['unread', 'unread'], 'the statuses');
    },
  ),
  audit(
    'CLIENT-REST-305',
    'an upsert overwrites the row that the constraint names, or leaves it unchanged',
    { source: 'protocol/rest.md#inserts-and-upserts' },
    async ({ server, open }) => {
      const { user } = await newCaller(server);
      const id = await createPreferences(server, user);
      const table = restOf(await open(), user).from('notification_preferences');
      const row = { user_id: user.id, email_edits: true };
      const edits = async () => (await table.select('id, email_edits').single().execute()) as unknown;
      await table.upsert(row, { onConflict: 'user_id', ignoreDuplicates: true });
      assert.deepEqual(await edits(), { id, email_edits: false }, 'the switch for edits');
      await table.upsert(row, { onConflict: 'user_id' });
      assert.deepEqual(await edits(), { id, email_edits: true }, 'the switch for edits');
    },
  ),
  audit(
    'CLIENT-REST-306',
    "a function's arguments are sent in the body with any content",
    { source: 'protocol/rest.md#quoting' },
    async ({ server, open }) => {
      const [inviter, invitee] = [await newCaller(server), await newCaller(server)];
      const tab = await open();
      const name = `eq.1,"(\\ &=+% 😀`;
      const [made] = await restOf(tab, inviter.user).rpc('create_invitation', {
        invitee_email: invitee.user.email,
        entity_type: 'document',
        entity_id: 'd-1',
        entity_name: name,
      });
      assert.ok(made, 'the invitation is returned');
      const [found] = await restOf(tab, invitee.user).rpc('get_invitation', { token: made.token });
      assert.deepEqual(
        [found?.entity_name, found?.is_for_me],
        [name, true],
        'entity_name and is_for_me of the invitation',
      );
      assert.deepEqual(
        tab.wire.requests.map(({ method, query }) => [method, query.size]),
        [
          ['POST', 0],
          ['POST', 0],
        ],
        'the sent requests',
      );
    },
  ),
];
