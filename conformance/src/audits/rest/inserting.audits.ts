import { assert } from '../../target/assertion.ts';
import { auditsOf, type Audit } from '../../audit/audit.ts';
import type { AuditUser } from '../../audit/audit-context.ts';
import { assertError, assertStatus, assertStatusIn, at } from '../../target/wire.ts';
import { asService, newCaller } from './callers.ts';
import { createPreferences } from './inbox.ts';
import { awaitDelivery, rowsOf } from './notifications.ts';

const audit = auditsOf('rest');
const source = 'protocol/rest.md#inserts-and-upserts';
const representation = { Prefer: 'return=representation' } as const;
const object = 'application/vnd.pgrst.object+json';
const preferences = '/notification_preferences';

const letter = (user: AuditUser) => ({ recipient_id: user.id, content: '{"type":"comment"}' });

const inserts: readonly Audit[] = [
  audit('REST-250', 'an insert responds 201 without a body by default', { source }, async (context) => {
    const { user, send } = await newCaller(context);
    const response = await send('POST', preferences, { body: { user_id: user.id } });
    assertStatus(response, 201);
    assert.equal(response.text, '', 'the text of the response');
  }),
  audit(
    'REST-251',
    'return=representation returns the row with its defaults',
    { source },
    async (context) => {
      const { user, send } = await newCaller(context);
      const response = await send('POST', preferences, {
        body: { user_id: user.id },
        headers: representation,
      });
      assertStatus(response, 201);
      assert.equal(at(response.json, 0, 'user_id'), user.id, '0.user_id of the response');
      assert.equal(
        at(response.json, 0, 'enable_in_app_notifications'),
        true,
        '0.enable_in_app_notifications of the response',
      );
    },
  ),
  audit('REST-252', 'return=headers-only returns the location of the row', { source }, async (context) => {
    const { user, send } = await newCaller(context);
    const headers = { Prefer: 'return=headers-only' };
    const response = await send('POST', preferences, { body: { user_id: user.id }, headers });
    assertStatus(response, 201);
    assert.match(
      response.headers.get('location') ?? '',
      /^\/notification_preferences\?id=eq\.[\da-f-]{36}$/,
      'the header location of the response',
    );
    assert.equal(response.text, '', 'the text of the response');
  }),
  audit('REST-253', 'select narrows the columns that an insert returns', { source }, async (context) => {
    const { user, send } = await newCaller(context);
    const query = { select: 'email_edits' };
    const response = await send('POST', preferences, {
      body: { user_id: user.id },
      query,
      headers: representation,
    });
    assert.deepEqual(response.json, [{ email_edits: false }], 'the response');
  }),
  audit(
    'REST-254',
    'an inserted row can be returned as an object',
    { source: 'protocol/rest.md#media-types' },
    async (context) => {
      const { user, send } = await newCaller(context);
      const headers = { ...representation, Accept: object };
      const response = await send('POST', preferences, { body: { user_id: user.id }, headers });
      assertStatus(response, 201);
      assert.equal(at(response.json, 'user_id'), user.id, 'user_id of the response');
    },
  ),
  audit(
    'REST-255',
    'an insert into an unknown column is refused as PGRST204',
    { source },
    async (context) => {
      const { user, send } = await newCaller(context);
      assertError(
        await send('POST', preferences, { body: { user_id: user.id, no_such_column: 1 } }),
        400,
        'PGRST204',
      );
    },
  ),
  audit('REST-256', 'rows of different keys are refused as PGRST102', { source }, async (context) => {
    const { user, send } = await newCaller(context);
    const body = [letter(user), { recipient_id: user.id }];
    assertError(await send('POST', '/notifications', { body }), 400, 'PGRST102');
  }),
  audit('REST-257', 'columns allows rows of different keys', { source }, async (context) => {
    const { user, send } = await newCaller(context);
    const body = [letter(user), { recipient_id: user.id }];
    const query = { columns: 'recipient_id,content' };
    assertStatus(await send('POST', '/notifications', { body, query }), 201);
    assert.equal((await awaitDelivery(context, user, 2)).length, 2, 'the number of rows');
  }),
  audit('REST-258', 'columns ignores members that it does not contain', { source }, async (context) => {
    const { user, send } = await newCaller(context);
    const body = { user_id: user.id, email_edits: true, no_such_column: 1 };
    const response = await send('POST', preferences, {
      body,
      query: { columns: 'user_id' },
      headers: representation,
    });
    assertStatus(response, 201);
    assert.equal(at(response.json, 0, 'email_edits'), false, '0.email_edits of the response');
  }),
  audit('REST-259', 'missing=default uses the default for a missing column', { source }, async (context) => {
    const { user, send } = await newCaller(context);
    const request = { body: { user_id: user.id }, query: { columns: 'user_id,email_edits' } };
    assertError(await send('POST', preferences, request), 400, '23502');
    assertStatus(
      await send('POST', preferences, { ...request, headers: { Prefer: 'missing=default' } }),
      201,
    );
  }),
  audit('REST-260', 'a body that is not JSON is refused as PGRST102', { source }, async (context) => {
    const { send } = await newCaller(context);
    assertError(await send('POST', preferences, { body: '{"user_id":' }), 400, 'PGRST102');
  }),
  audit('REST-261', 'an insert of no rows responds 201', { source }, async (context) => {
    const { send } = await newCaller(context);
    const response = await send('POST', '/notifications', { body: [], headers: representation });
    assertStatus(response, 201);
    assert.deepEqual(response.json, [], 'the response');
  }),
  audit('REST-262', 'a missing value is refused as 23502', { source }, async (context) => {
    const { send } = await newCaller(context);
    assertError(await send('POST', '/notifications', { body: { content: '{}' } }), 400, '23502');
  }),
  audit(
    'REST-263',
    'a reference to a missing row is refused as 23503 with 409',
    { source, needs: ['service-key'] },
    async (context) => {
      const body = { user_id: '00000000-0000-4000-8000-000000000000' };
      assertError(await asService(context)('POST', preferences, { body }), 409, '23503');
    },
  ),
  audit(
    'REST-264',
    'a value of the wrong type in the body is refused as 22P02',
    { source },
    async (context) => {
      const { send } = await newCaller(context);
      assertError(await send('POST', preferences, { body: { user_id: 'not-a-uuid' } }), 400, '22P02');
    },
  ),
  audit(
    'REST-265',
    'the message of a refused check names the constraint',
    { source: 'protocol/rest.md#errors' },
    async (context) => {
      const { user, send } = await newCaller(context);
      const response = await send('POST', preferences, {
        body: { user_id: user.id, email_digest_frequency: 'x' },
      });
      assert.match(
        String(at(response.json, 'message')),
        /violates check constraint/,
        'message of the response',
      );
    },
  ),
  audit('REST-266', 'one invalid row of several rolls all of them back', { source }, async (context) => {
    const { send } = await newCaller(context);
    const body = [
      { entity_type: 'document', entity_id: 'first' },
      { entity_type: 'document', entity_id: null },
    ];
    assertError(await send('POST', '/muted_threads', { body }), 400, '23502');
    assert.deepEqual(rowsOf(await send('GET', '/muted_threads')), [], 'the rows');
  }),
  audit('REST-267', 'rows can be inserted as CSV', { source, level: 'SHOULD' }, async (context) => {
    const { user, send } = await newCaller(context);
    const headers = { 'Content-Type': 'text/csv' };
    const body = `user_id,email_digest_frequency\n${user.id},weekly\n`;
    assertStatus(await send('POST', preferences, { body, headers }), 201);
    const response = await send('GET', preferences, { query: { select: 'email_digest_frequency' } });
    assert.deepEqual(rowsOf(response), [{ email_digest_frequency: 'weekly' }], 'the rows of the response');
  }),
  audit(
    'REST-268',
    'an anonymous request inserts nothing',
    { source: 'protocol/product.md#notifications' },
    async (context) => {
      const user = await context.newUser();
      assertError(await context.rest.send('POST', '/notifications', { body: letter(user) }), 401, '42501');
    },
  ),
  audit(
    'REST-269',
    'a write into a schema that is not exposed is refused as PGRST106',
    { source: 'protocol/rest.md#schemas' },
    async (context) => {
      const { user, send } = await newCaller(context);
      const headers = { 'Content-Profile': 'no_such_schema' };
      assertError(await send('POST', preferences, { body: { user_id: user.id }, headers }), 406, 'PGRST106');
    },
  ),
];

const upserts: readonly Audit[] = [
  audit(
    'REST-270',
    'an upsert that ignores duplicates keeps the row and returns none',
    { source },
    async (context) => {
      const { user, send } = await newCaller(context);
      await createPreferences(context, user);
      const response = await send('POST', preferences, {
        query: { on_conflict: 'user_id' },
        body: { user_id: user.id, email_edits: true },
        headers: { Prefer: 'resolution=ignore-duplicates,return=representation' },
      });
      assertStatusIn(response, [200, 201]);
      assert.deepEqual(response.json, [], 'the response');
      const row = await send('GET', preferences, { query: { select: 'email_edits' } });
      assert.deepEqual(rowsOf(row), [{ email_edits: false }], 'the row');
    },
  ),
  audit('REST-271', 'a merging upsert that inserts responds 201', { source }, async (context) => {
    const { user, send } = await newCaller(context);
    const response = await send('POST', preferences, {
      query: { on_conflict: 'user_id' },
      body: { user_id: user.id },
      headers: { Prefer: 'resolution=merge-duplicates' },
    });
    assertStatus(response, 201);
  }),
  audit(
    'REST-272',
    'a merging upsert that inserts nothing responds 200',
    { source, level: 'SHOULD' },
    async (context) => {
      const { user, send } = await newCaller(context);
      await createPreferences(context, user);
      const response = await send('POST', preferences, {
        query: { on_conflict: 'user_id' },
        body: { user_id: user.id, email_edits: true },
        headers: { Prefer: 'resolution=merge-duplicates,return=representation' },
      });
      assertStatus(response, 200);
    },
  ),
  audit(
    'REST-273',
    'on_conflict without a unique constraint is refused as 42P10',
    { source },
    async (context) => {
      const { user, send } = await newCaller(context);
      const response = await send('POST', preferences, {
        query: { on_conflict: 'email_edits' },
        body: { user_id: user.id },
        headers: { Prefer: 'resolution=merge-duplicates' },
      });
      assertError(response, 400, '42P10');
    },
  ),
  audit('REST-274', 'PUT writes the row of its key', { source }, async (context) => {
    const { user, send } = await newCaller(context);
    const id = await createPreferences(context, user);
    const body = { id, user_id: user.id, email_digest_frequency: 'never' };
    const query = { id: `eq.${id}`, columns: 'id,user_id,email_digest_frequency' };
    const response = await send('PUT', preferences, { query, body, headers: representation });
    assertStatusIn(response, [200, 201]);
    assert.equal(
      at(response.json, 0, 'email_digest_frequency'),
      'never',
      '0.email_digest_frequency of the response',
    );
  }),
  audit(
    'REST-275',
    'PUT without the key in the query is refused as PGRST105',
    { source, level: 'SHOULD' },
    async (context) => {
      const { user, send } = await newCaller(context);
      const body = { id: '00000000-0000-4000-8000-000000000000', user_id: user.id };
      assertError(
        await send('PUT', preferences, { body, query: { email_edits: 'eq.true' } }),
        405,
        'PGRST105',
      );
    },
  ),
];

export const restInsertingAudits: readonly Audit[] = [...inserts, ...upserts];
