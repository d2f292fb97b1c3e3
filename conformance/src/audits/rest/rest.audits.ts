import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import { assertError, assertRefusedKey, assertStatus, at, createWire } from '../../target/wire.ts';
import { awaitDelivery, notify, notifyOnce, rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const source = 'protocol/product.md#notifications';

const object = { Accept: 'application/vnd.pgrst.object+json' } as const;

/** PostgREST's protocol over the product's own schema (supabase/migrations). */
export const restAudits: readonly Audit[] = [
  audit(
    'REST-101',
    'a request without an API key is refused with 401',
    { source: 'protocol/rest.md#gateway' },
    async ({ target, rest }) => {
      assertRefusedKey(await createWire(rest.baseUrl, '', target.fetch).send('GET', '/notifications'));
    },
  ),
  audit('REST-102', 'an anonymous request reads no rows', { source }, async ({ rest }) => {
    const response = await rest.send('GET', '/notifications', { query: { select: '*' } });
    if (response.status === 200) assert.deepEqual(response.json, [], 'the response');
    else assertError(response, 401, '42501');
  }),
  audit(
    'REST-103',
    'a token that is not a JWT is refused as PGRST301',
    { source: 'protocol/rest.md#tokens' },
    async ({ rest }) => {
      assertError(await rest.send('GET', '/notifications', { token: 'not-a-jwt' }), 401, 'PGRST301');
    },
  ),
  audit(
    'REST-104',
    'a refused token gets WWW-Authenticate: Bearer',
    { source: 'protocol/rest.md#tokens' },
    async ({ rest }) => {
      const response = await rest.send('GET', '/notifications', { token: 'not-a-jwt' });
      assert.match(
        response.headers.get('www-authenticate') ?? '',
        /^Bearer/,
        'the header www-authenticate of the response',
      );
    },
  ),
  audit(
    'REST-105',
    'an unknown table is refused as PGRST205',
    { source: 'protocol/rest.md#schemas' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      assertError(await context.rest.send('GET', '/no_such_table', { token }), 404, 'PGRST205');
    },
  ),
  audit(
    'REST-420',
    'a path of two segments that calls no function is refused as PGRST125',
    { source: 'protocol/rest.md#errors', since: '1.0.0' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      assertError(await context.rest.send('GET', '/notifications/first', { token }), 404, 'PGRST125');
    },
  ),
  audit(
    'REST-106',
    'an unknown column is refused as 42703',
    { source: 'protocol/rest.md#filters' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      assertError(
        await context.rest.send('GET', '/notifications', { token, query: { select: 'no_such_column' } }),
        400,
        '42703',
      );
    },
  ),
  audit(
    'REST-107',
    "a user reads none of another's rows, even with a filter for them",
    { source },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await notifyOnce(context, grace, ada);
      const response = await context.rest.send('GET', '/notifications', {
        token: grace.accessToken,
        query: { recipient_id: `eq.${ada.id}` },
      });
      assert.deepEqual(rowsOf(response), [], 'the rows of the response');
    },
  ),
  audit(
    'REST-108',
    'the recipient reads the row, unread, with the sender stamped by the server',
    { source },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await notifyOnce(context, grace, ada);
      const [row] = rowsOf(
        await context.rest.send('GET', '/notifications', { token: ada.accessToken, query: { select: '*' } }),
      );
      assert.equal(at(row, 'status'), 'unread', 'status of the row');
      const content = JSON.parse(String(at(row, 'content'))) as unknown;
      assert.equal(at(content, 'metadata', 'actor_id'), grace.id, 'metadata.actor_id of the content');
    },
  ),
  audit('REST-109', 'a row for another user cannot be inserted as read', { source }, async (context) => {
    const [ada, grace] = [await context.newUser(), await context.newUser()];
    const sent = await context.rest.send('POST', '/notifications', {
      token: grace.accessToken,
      body: { recipient_id: ada.id, status: 'archived', content: '{}' },
    });
    // A schema may reject the status or replace it.
    const count = sent.status === 201 ? 2 : 1;
    await notifyOnce(context, grace, ada);
    for (const row of await awaitDelivery(context, ada, count, 'status'))
      assert.equal(at(row, 'status'), 'unread', 'status of the row');
  }),
  audit(
    'REST-110',
    'an update with return=representation returns the rows',
    { source: 'protocol/rest.md#updates-and-deletes' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const id = await notifyOnce(context, grace, ada);
      const response = await context.rest.send('PATCH', '/notifications', {
        token: ada.accessToken,
        query: { id: `eq.${id}`, select: 'id,status' },
        body: { status: 'read' },
        headers: { Prefer: 'return=representation' },
      });
      assert.deepEqual(rowsOf(response), [{ id, status: 'read' }], 'the rows of the response');
    },
  ),
  audit('REST-111', "an update of another's row changes nothing", { source }, async (context) => {
    const [ada, grace] = [await context.newUser(), await context.newUser()];
    const id = await notifyOnce(context, grace, ada);
    const response = await context.rest.send('PATCH', '/notifications', {
      token: grace.accessToken,
      query: { id: `eq.${id}` },
      body: { status: 'read' },
      headers: { Prefer: 'return=representation' },
    });
    assert.deepEqual(rowsOf(response), [], 'the rows of the response');
  }),
  audit(
    'REST-112',
    'PATCH with return=minimal responds 204',
    { source: 'protocol/rest.md#updates-and-deletes' },
    async (context) => {
      const { accessToken: token, id } = await context.newUser();
      const response = await context.rest.send('PATCH', '/notifications', {
        token,
        query: { recipient_id: `eq.${id}` },
        body: { status: 'read' },
        headers: { Prefer: 'return=minimal' },
      });
      assertStatus(response, 204);
    },
  ),
  audit(
    'REST-113',
    'count=exact returns the total in Content-Range',
    { source: 'protocol/rest.md#counts' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await notify(context, grace, ada, 3);
      const response = await context.rest.send('HEAD', '/notifications', {
        token: ada.accessToken,
        query: { status: 'eq.unread' },
        headers: { Prefer: 'count=exact' },
      });
      assert.match(
        response.headers.get('content-range') ?? '',
        /\/3$/,
        'the header content-range of the response',
      );
    },
  ),
  audit(
    'REST-114',
    'limit and offset select pages of an order',
    { source: 'protocol/rest.md#order-and-ranges' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      const ids = await notify(context, grace, ada, 3);
      const response = await context.rest.send('GET', '/notifications', {
        token: ada.accessToken,
        query: { select: 'id', order: 'created_at.asc', limit: '1', offset: '1' },
      });
      assert.deepEqual(rowsOf(response), [{ id: ids[1] }], 'the rows of the response');
    },
  ),
  audit(
    'REST-115',
    'a counted part of the rows responds 206',
    { source: 'protocol/rest.md#order-and-ranges' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      await notify(context, grace, ada, 2);
      const response = await context.rest.send('GET', '/notifications', {
        token: ada.accessToken,
        query: { select: 'id', limit: '1' },
        headers: { Prefer: 'count=exact' },
      });
      assertStatus(response, 206);
      assert.equal(
        response.headers.get('content-range'),
        '0-0/2',
        'the header content-range of the response',
      );
    },
  ),
  audit(
    'REST-116',
    'an offset past the counted end is refused as PGRST103',
    { source: 'protocol/rest.md#order-and-ranges' },
    async (context) => {
      const { accessToken: token } = await context.newUser();
      const response = await context.rest.send('GET', '/notifications', {
        token,
        query: { offset: '10' },
        headers: { Prefer: 'count=exact' },
      });
      assertError(response, 416, 'PGRST103');
    },
  ),
  audit(
    'REST-117',
    'an object requested for no rows is refused as PGRST116',
    { source: 'protocol/product.md#preferences' },
    async (context) => {
      const { accessToken: token, id } = await context.newUser();
      const response = await context.rest.send('GET', '/notification_preferences', {
        token,
        query: { user_id: `eq.${id}` },
        headers: object,
      });
      assertError(response, 406, 'PGRST116');
    },
  ),
  audit(
    'REST-118',
    'an object requested for one row is that row',
    { source: 'protocol/rest.md#media-types' },
    async (context) => {
      const { accessToken: token, id } = await context.newUser();
      assertStatus(
        await context.rest.send('POST', '/notification_preferences', { token, body: { user_id: id } }),
        201,
      );
      const response = await context.rest.send('GET', '/notification_preferences', {
        token,
        query: { user_id: `eq.${id}` },
        headers: object,
      });
      assertStatus(response, 200);
      assert.equal(at(response.json, 'user_id'), id, 'user_id of the response');
      assert.equal(
        at(response.json, 'email_digest_frequency'),
        'daily',
        'email_digest_frequency of the response',
      );
      assert.equal(at(response.json, 'email_edits'), false, 'email_edits of the response');
    },
  ),
  audit(
    'REST-119',
    'a second row of preferences is refused as 23505',
    { source: 'protocol/rest.md#errors' },
    async (context) => {
      const { accessToken: token, id } = await context.newUser();
      await context.rest.send('POST', '/notification_preferences', { token, body: { user_id: id } });
      assertError(
        await context.rest.send('POST', '/notification_preferences', { token, body: { user_id: id } }),
        409,
        '23505',
      );
    },
  ),
  audit(
    'REST-120',
    "inserting another's preferences is refused as 42501 with 403",
    { source: 'protocol/rest.md#permissions' },
    async (context) => {
      const [ada, grace] = [await context.newUser(), await context.newUser()];
      assertError(
        await context.rest.send('POST', '/notification_preferences', {
          token: grace.accessToken,
          body: { user_id: ada.id },
        }),
        403,
        '42501',
      );
    },
  ),
  audit(
    'REST-121',
    'a value that the check refuses is 23514',
    { source: 'protocol/rest.md#errors' },
    async (context) => {
      const { accessToken: token, id } = await context.newUser();
      const response = await context.rest.send('POST', '/notification_preferences', {
        token,
        body: { user_id: id, email_digest_frequency: 'every minute' },
      });
      assertError(response, 400, '23514');
    },
  ),
];
