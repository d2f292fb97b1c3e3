import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertStatus, assertStatusIn, at } from '../../target/wire.ts';
import { awaitDelivery, notify, notifyOnce, rowsOf, sendContents } from './notifications.ts';

const audit = auditsOf('rest');

/** The features that the product uses: its writes, its functions and the headers that browsers may read. */
export const restProductAudits: readonly Audit[] = [
  audit(
    'REST-122',
    'a value of the wrong type is 22P02',
    { source: 'protocol/rest.md#filters' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      assertError(
        await context.rest.send('GET', '/notifications', { token, query: { id: 'eq.not-a-uuid' } }),
        400,
        '22P02',
      );
    },
  ),
  audit(
    'REST-123',
    'logic trees and lists filter as written',
    { source: 'protocol/rest.md#logic-trees' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const ids = await notify(context, grace, ada, 3);
      const response = await context.rest.send('GET', '/notifications', {
        token: ada.accessToken,
        query: {
          select: 'id',
          or: `(id.eq.${ids[0]},and(id.in.(${ids[2]}),status.not.eq.read))`,
          order: 'created_at.asc',
        },
      });
      assert.deepEqual(rowsOf(response), [{ id: ids[0] }, { id: ids[2] }], 'the rows of the response');
    },
  ),
  audit(
    'REST-124',
    'a merging upsert updates the row',
    { source: 'protocol/rest.md#inserts-and-upserts' },
    async (context) => {
      const { accessToken: token, id } = await context.newUser();
      await context.rest.send('POST', '/notification_preferences', { token, body: { user_id: id } });
      const response = await context.rest.send('POST', '/notification_preferences', {
        token,
        query: { on_conflict: 'user_id', select: 'email_edits' },
        body: { user_id: id, email_edits: true },
        headers: { Prefer: 'resolution=merge-duplicates,return=representation' },
      });
      assertStatusIn(response, [200, 201]);
      assert.deepEqual(response.json, [{ email_edits: true }], 'the response');
    },
  ),
  audit(
    'REST-125',
    'DELETE by id plus recipient removes the row',
    { source: 'protocol/product.md#notifications' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const id = await notifyOnce(context, grace, ada);
      const query = { id: `eq.${id}`, recipient_id: `eq.${ada.id}` };
      assertStatus(
        await context.rest.send('DELETE', '/notifications', { token: ada.accessToken, query }),
        204,
      );
      assert.deepEqual(
        rowsOf(await context.rest.send('GET', '/notifications', { token: ada.accessToken })),
        [],
        'the rows',
      );
    },
  ),
  audit(
    'REST-126',
    'a notification of a type that the recipient disabled is not created',
    { source: 'protocol/product.md#notifications' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await context.rest.send('POST', '/notification_preferences', {
        token: ada.accessToken,
        body: { user_id: ada.id, in_app_mentions: false },
      });
      const body = { recipient_id: ada.id, content: JSON.stringify({ type: 'mention' }) };
      assertStatus(
        await context.rest.send('POST', '/notifications', {
          token: grace.accessToken,
          body,
          headers: { Prefer: 'return=minimal' },
        }),
        201,
      );
      // Notifications are delivered in order, so after this one the mention can no longer be late.
      const ids = await sendContents(context, grace, ada, [{ type: 'comment' }]);
      assert.deepEqual(
        rowsOf(
          await context.rest.send('GET', '/notifications', {
            token: ada.accessToken,
            query: { select: 'id' },
          }),
        ),
        ids.map((id) => ({ id })),
        'the rows',
      );
    },
  ),
  audit(
    'REST-127',
    'an unknown function is refused as PGRST202',
    { source: 'protocol/rest.md#functions-of-the-database' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      assertError(
        await context.rest.send('POST', '/rpc/no_such_function', { token, body: {} }),
        404,
        'PGRST202',
      );
    },
  ),
  audit(
    'REST-128',
    'an invitation is created, read and accepted through functions, and notifies the inviter',
    { source: 'protocol/product.md#invitations' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const made = await context.rest.send('POST', '/rpc/create_invitation', {
        token: ada.accessToken,
        body: { invitee_email: grace.email, entity_type: 'project', entity_id: 'p-1', entity_name: 'Engine' },
      });
      assertStatus(made, 200);
      const [invite] = await awaitDelivery(context, grace, 1, 'content');
      assert.match(String(at(invite, 'content')), /"invite"/, 'content of the invitation');
      const invitation: unknown = Array.isArray(made.json) ? made.json[0] : made.json;
      const token = String(at(invitation, 'token') ?? made.json);
      const accepted = await context.rest.send('POST', '/rpc/accept_invitation', {
        token: grace.accessToken,
        body: { token },
      });
      assertStatusIn(accepted, [200, 204]);
      assert.equal((await awaitDelivery(context, ada, 1)).length, 1, 'the number of rows');
    },
  ),
  audit(
    'REST-129',
    'the table of invitations cannot be read directly',
    { source: 'protocol/product.md#invitations' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const response = await context.rest.send('GET', '/invitations', { token });
      if (response.status === 200) assert.deepEqual(response.json, [], 'the response');
      else assertStatusIn(response, [403, 404]);
    },
  ),
  audit(
    'REST-130',
    'text/csv is returned on request',
    { source: 'protocol/rest.md#media-types' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await notifyOnce(context, grace, ada);
      const response = await context.rest.send('GET', '/notifications', {
        token: ada.accessToken,
        query: { select: 'status' },
        headers: { Accept: 'text/csv' },
      });
      assertStatus(response, 200);
      assert.deepEqual(response.text.trim().split(/\r?\n/), ['status', 'unread'], 'the text of the response');
    },
  ),
  audit(
    'REST-131',
    'a write of more rows than max-affected is refused and changes none',
    { source: 'protocol/rest.md#preferences' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await notify(context, grace, ada, 2);
      const response = await context.rest.send('PATCH', '/notifications', {
        token: ada.accessToken,
        query: { recipient_id: `eq.${ada.id}` },
        body: { status: 'read' },
        headers: { Prefer: 'handling=strict,max-affected=1' },
      });
      assertError(response, 400, 'PGRST124');
      const unread = rowsOf(
        await context.rest.send('GET', '/notifications', {
          token: ada.accessToken,
          query: { status: 'eq.unread' },
        }),
      );
      assert.equal(unread.length, 2, 'the number of unread rows');
    },
  ),
  audit(
    'REST-132',
    'the browser may read the Content-Range of a response',
    { source: 'protocol/rest.md#cors' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const response = await context.rest.send('GET', '/notifications', {
        token,
        headers: { Origin: 'http://localhost:5173' },
      });
      assert.ok(response.headers.get('access-control-allow-origin'), 'the origin is allowed');
      assert.match(
        response.headers.get('access-control-expose-headers') ?? '',
        /content-range|\*/i,
        'the header access-control-expose-headers of the response',
      );
    },
  ),
];
